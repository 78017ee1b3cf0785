// ← and → lead to the items beside this one, unless a player or a field has the keys.
document.querySelector(".keys")?.removeAttribute("hidden");
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest("video, input, textarea, select, [tabindex], [contenteditable]")) return;
  const rel = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  const link = rel && document.querySelector(`.neighbours a[rel=${rel}]`);
  if (link) { event.preventDefault(); link.click(); }
});
