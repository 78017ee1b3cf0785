// Shows a clip's controls when it is pointed at or played: drawing them at once takes as long as half of the page.
// Where no scripts run, another element with controls stands in (templates/leaderboard/parts/player.html).
for (const place of document.querySelectorAll("[data-player]")) {
  const [video, button] = ["video", "[data-play]"].map((name) => place.querySelector(name));

  function open() {
    video.controls = true;
    video.preload = "metadata";
    button.hidden = true;
  }

  function play() {
    if (video.controls) return; // the browser's own controls have the click
    open();
    video.focus();
    video.play().catch(() => {}); // a refused start leaves the poster with the controls
  }

  button.hidden = false;
  for (const each of [button, video]) each.addEventListener("click", play);
  place.addEventListener("pointerenter", (event) => { if (event.pointerType === "mouse") open(); });
}
