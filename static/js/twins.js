// Plays two clips of one scene in step, with one button and one scrubber. Without this script each has the browser's controls.
const APART = 0.06; // seconds between the clips that nobody sees; more is set right

for (const place of document.querySelectorAll("[data-twins]")) {
  const [first, second] = place.querySelectorAll("video");
  const bar = place.querySelector("[data-transport]");
  const [button, scrubber, output] = ["button", "input", "output"].map((name) => bar.querySelector(name));
  const words = [button.textContent, button.dataset.playing];
  const both = [first, second];
  const end = () => Math.max(...both.map((video) => video.duration || 0)) || Number(scrubber.max);

  function show() {
    scrubber.max = end();
    scrubber.value = first.currentTime;
    output.textContent = `${first.currentTime.toFixed(1)} / ${end().toFixed(1)} s`;
    button.textContent = words[Number(!first.paused)];
  }

  function seek(seconds) {
    for (const video of both) video.currentTime = seconds;
    show();
  }

  function follow() {
    show();
    if (first.paused) return;
    if (!first.seeking && !second.seeking && !second.ended && Math.abs(first.currentTime - second.currentTime) > APART) {
      second.currentTime = first.currentTime;
    }
    requestAnimationFrame(follow);
  }

  function play() {
    if (first.ended) seek(0);
    // A refused start leaves the posters and the button as they are.
    Promise.all(both.map((video) => video.play())).then(follow).catch(() => both.forEach((video) => video.pause()));
  }

  for (const video of both) video.removeAttribute("controls");
  bar.hidden = false;
  button.addEventListener("click", () => (first.paused ? play() : both.forEach((video) => video.pause())));
  scrubber.addEventListener("input", () => seek(Number(scrubber.value)));
  for (const name of ["pause", "ended", "loadedmetadata", "timeupdate"]) first.addEventListener(name, show);
  first.addEventListener("pause", () => second.pause());
  show();
}
