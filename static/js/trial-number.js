// Empties the number for each question of a sheet, and opens it with the answers, after a full watch.
for (const number of document.querySelectorAll("[data-number]")) {
  const form = number.closest("[data-trial]");
  form.addEventListener("trial:load", () => { number.value = ""; });
  form.addEventListener("trial:open", () => number.focus());
}
