// Space plays and pauses, the other keys stand on the answers. Keys of the place (code) and of the letter (key) both count,
// so that every keyboard layout works.
for (const form of document.querySelectorAll("[data-trial]")) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.target.closest("summary, [data-problem], .failure")) return;
    if (event.code === "Space") {
      if (event.target.closest("button, a")) return; // what has the focus is pressed instead
      event.preventDefault();
      form.dispatchEvent(new CustomEvent("trial:play"));
      return;
    }
    const names = [event.key.toUpperCase(), event.code.replace(/^(Key|Digit|Numpad)/, "")];
    const button = [...form.querySelectorAll(".answers button")].find((one) => one.dataset.key && names.includes(one.dataset.key));
    if (button && !button.disabled) button.click();
  });
}
