// Counts down how long a break still lasts. Without this script the page says it once, and an early press shows it again.
for (const left of document.querySelectorAll("[data-break-left]")) {
  const button = left.closest("form").querySelector("button");
  const end = performance.now() + 1000 * Number(left.dataset.breakLeft);
  const tick = () => {
    const seconds = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    left.querySelector("[data-seconds]").textContent = seconds;
    left.hidden = !seconds;
    button.disabled = seconds > 0;
    if (seconds) setTimeout(tick, 200);
  };
  tick();
}
