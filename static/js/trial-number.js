// Empties the number for each question of a sheet, and opens it with the answers, after a full watch.
for (const typed of document.querySelectorAll("[data-typed]")) {
  const form = typed.closest("[data-trial]");
  form.addEventListener("trial:load", () => { typed.value = ""; });
  form.addEventListener("trial:open", () => typed.focus());
}
