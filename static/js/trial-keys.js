// Space plays and pauses, J and K press the first and the second answer. Keys of the place (code) and of the letter (key)
// both count, so that every keyboard layout works.
const KEYS = { KeyJ: 0, j: 0, KeyK: 1, k: 1 };

for (const form of document.querySelectorAll("[data-trial]")) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.target.closest("summary, [data-problem], .failure")) return;
    if (event.code === "Space") {
      if (event.target.closest("button, a")) return; // what has the focus is pressed instead
      event.preventDefault();
      form.dispatchEvent(new CustomEvent("trial:play"));
      return;
    }
    const number = KEYS[event.code] ?? KEYS[event.key.toLowerCase()];
    const button = form.querySelectorAll(".answers button")[number];
    if (button && !button.disabled) button.click();
  });
}
