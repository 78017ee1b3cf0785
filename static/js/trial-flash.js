// Measures how late somebody presses: each clip flashes once, and the press is told by the second of the clip. Without this
// script the step is left out.
for (const place of document.querySelectorAll("[data-flashes]")) {
  const form = document.querySelector("[data-flash-form]");
  const [start, press, count] = ["start", "press", "count"].map((name) => place.querySelector(`[data-${name}]`));
  const clips = [...place.querySelectorAll("[data-flash]")];
  let number = -1; // of the clip that plays

  function play() {
    number += 1;
    clips.forEach((clip, own) => { clip.hidden = own !== number; });
    start.hidden = true;
    press.hidden = false;
    press.focus();
    const video = clips[number].querySelector("video");
    count.textContent = `${number + 1} / ${clips.length}`;
    video.addEventListener("ended", next, { once: true });
    video.play().catch(next);
  }

  function mark() {
    const field = number < 0 ? null : form.elements[`press${number + 1}`];
    const video = clips[number]?.querySelector("video");
    if (!field || field.value || video.paused) return;
    field.value = video.currentTime.toFixed(3);
    press.classList.add("pressed");
  }

  function next() {
    press.classList.remove("pressed");
    press.hidden = true;
    if (number + 1 === clips.length) return form.submit();
    start.textContent = start.dataset.again;
    start.hidden = false;
    start.focus();
  }

  place.hidden = false;
  clips[0].hidden = false;
  start.addEventListener("click", play);
  press.addEventListener("click", mark);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    if (event.key.toUpperCase() === "M" || event.code === "KeyM") { event.preventDefault(); mark(); }
  });
}
