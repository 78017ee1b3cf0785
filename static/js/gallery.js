// Plays a clip while it is pointed at; pressed, it goes on until it is pressed again. Without this script it has the
// browser's controls.
const calm = matchMedia("(prefers-reduced-motion: reduce)");

for (const card of document.querySelectorAll("[data-gallery]")) {
  const video = card.querySelector("video");
  const button = card.querySelector("[data-play]");
  if (!video || !button) continue;
  const words = [button.textContent, button.dataset.playing];
  let isPressed = false;
  const stop = () => { isPressed = false; video.pause(); video.load(); };
  // A refused start (no data, power saving) leaves the poster and the button as they are.
  const play = () => video.play().catch(() => {});
  const label = () => { button.textContent = words[isPressed && !video.paused ? 1 : 0]; };
  const press = () => {
    if (isPressed && !video.paused) return stop();
    isPressed = true;
    play().then(label);  // it may have begun when it was pointed at
  };

  video.removeAttribute("controls");
  button.hidden = false;
  for (const each of [button, video]) each.addEventListener("click", press);
  for (const name of ["play", "pause", "emptied"]) video.addEventListener(name, label);
  card.addEventListener("pointerenter", (event) => { if (event.pointerType === "mouse" && !calm.matches) play(); });
  card.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse" && !isPressed) stop(); });
}
