// Plays two clips of one scene in step, shows the moment where they part, and steps by frames. Without this script each
// has the browser's controls alone.
const APART = 0.06; // seconds between the clips that nobody sees; more is set right

for (const bar of document.querySelectorAll("[data-twin-controls]")) {
  const both = [...bar.parentElement.querySelectorAll("[data-twins] video")];
  const [first, second] = both;
  const button = bar.querySelector("[data-twin=play]");
  const words = [button.textContent, button.dataset.playing];
  const frame = bar.dataset.seconds / bar.dataset.frames || 0.04;
  const pause = () => both.forEach((video) => video.pause());
  const label = () => { button.textContent = words[Number(!first.paused)]; };

  function seek(seconds) {
    pause();
    for (const video of both) video.currentTime = Math.max(0, Math.min(seconds, video.duration || seconds));
  }

  function follow() {
    if (first.paused) return;
    if (!first.seeking && !second.seeking && !second.ended && Math.abs(first.currentTime - second.currentTime) > APART) {
      second.currentTime = first.currentTime;
    }
    requestAnimationFrame(follow);
  }

  function play() {
    if (!first.paused) return pause();
    if (first.ended) seek(0);
    // A refused start leaves the posters and the button as they are.
    Promise.all(both.map((video) => video.play())).then(follow).catch(pause);
  }

  const acts = {
    play,
    moment: () => seek(Number(bar.dataset.moment)),
    back: () => seek(first.currentTime - frame),
    next: () => seek(first.currentTime + frame),
  };
  bar.hidden = false;
  bar.addEventListener("click", (event) => acts[event.target.dataset.twin]?.());
  for (const name of ["play", "pause", "ended"]) first.addEventListener(name, label);
  first.addEventListener("pause", () => second.pause());
}
