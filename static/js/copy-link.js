// A link to the view copies its address and says so. Without this script, or without a clipboard, it is a plain link.
document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[data-copied]");
  if (!link || !navigator.clipboard || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  event.stopPropagation();  // the board would read itself anew
  try {
    await navigator.clipboard.writeText(link.href);
    link.querySelector("[role=status]").textContent = link.dataset.copied;
  } catch {
    location.assign(link.href);
  }
}, true);

// The text in the field before a button: a snippet to embed, a link to send. Without this script the reader selects it.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button || !navigator.clipboard) return;
  const field = button.parentElement.querySelector("textarea, input");
  field.select();
  await navigator.clipboard.writeText(field.value).then(() => {
    button.nextElementSibling.textContent = button.dataset.copied;
  }, () => {});
});
