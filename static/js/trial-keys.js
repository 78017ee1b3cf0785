// Space plays and pauses, the other keys stand on the answers. Keys of the place (code) and of the letter (key) both count,
// so that every keyboard layout works.
for (const form of document.querySelectorAll("[data-trial], [data-rate], [data-follow-up]")) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.target.closest("summary, textarea, [data-problem], .failure")) return;
    if (form.hidden) return;
    if (event.code === "Space" && "trial" in form.dataset) {
      if (event.target.closest("button, a, [type=radio]")) return; // what has the focus is pressed instead
      event.preventDefault();
      form.dispatchEvent(new CustomEvent("trial:play"));
      return;
    }
    if (event.target.closest("input[inputmode]")) return; // digits are typed there, and Enter answers
    const names = [event.key.toUpperCase(), event.code.replace(/^(Key|Digit|Numpad)/, "")];
    const button = [...form.querySelectorAll(".answers button, .choices button")].find((one) => one.dataset.key && names.includes(one.dataset.key));
    if (!button || button.disabled) return;
    event.stopImmediatePropagation(); // what the answer brings into view is another form, with keys of its own
    event.preventDefault(); // and perhaps a text field with the focus, where the letter would be typed
    button.click();
  });
}
