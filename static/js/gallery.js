// Plays a clip while it is pointed at, or when its button is pressed. Without this script it has the browser's controls.
const calm = matchMedia("(prefers-reduced-motion: reduce)");

for (const card of document.querySelectorAll("[data-gallery]")) {
  const video = card.querySelector("video");
  const button = card.querySelector("[data-play]");
  if (!video || !button) continue;
  const words = [button.textContent, button.dataset.playing];
  const stop = () => { video.pause(); video.load(); };
  // A refused start (no data, power saving) leaves the poster and the button as they are.
  const play = () => video.play().catch(() => {});

  video.removeAttribute("controls");
  button.hidden = false;
  button.addEventListener("click", () => (video.paused ? play() : stop()));
  video.addEventListener("click", () => (video.paused ? play() : stop()));
  video.addEventListener("play", () => { button.textContent = words[1]; });
  for (const name of ["pause", "emptied"]) video.addEventListener(name, () => { button.textContent = words[0]; });
  card.addEventListener("pointerenter", (event) => { if (event.pointerType === "mouse" && !calm.matches) play(); });
  card.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") stop(); });
}
