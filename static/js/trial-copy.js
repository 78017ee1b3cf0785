// Copies the completion code. Without this script it can be marked and copied by hand.
for (const button of document.querySelectorAll("[data-copy]")) {
  const code = button.parentElement.querySelector("[data-code]");
  button.hidden = !navigator.clipboard;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = button.dataset.copied;
  });
}
