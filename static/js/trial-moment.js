// Marks the moment at which something impossible happens: a press while the video plays, then a slider that shows each moment.
// Without this script the number is typed, and the browser's own controls find it.
for (const place of document.querySelectorAll("[data-moment]")) {
  const form = place.closest("[data-trial]");
  const video = form.querySelector("[data-clip]");
  const [press, scrubber, slider, seconds] = ["press", "scrubber", "slider", "seconds"].map((name) => place.querySelector(`[data-${name}]`));
  const confirm = form.querySelector(".answers [value=seconds]");
  let marked; // the first press of this question

  function begin() {
    marked = null;
    seconds.value = "";
    slider.value = 0;
    scrubber.hidden = true;
    press.hidden = false;
    press.disabled = true;
    seconds.closest("p").hidden = true;
    form.classList.remove("scrubbing");
  }

  function mark() {
    if (press.disabled) return;
    const at = Math.min(video.currentTime, video.duration).toFixed(2);
    form.dispatchEvent(new CustomEvent("trial:press", { detail: at }));
    press.classList.add("main");
    setTimeout(() => press.classList.remove("main"), 300);
    if (marked === null) { marked = at; show(at); }
  }

  function show(at) {
    seconds.value = Number(at).toFixed(2);
    slider.value = at;
  }

  // After a full watch the moment can be corrected; the picture follows the slider.
  function correct() {
    scrubber.hidden = seconds.closest("p").hidden = false;
    slider.max = video.duration.toFixed(2);
    if (marked !== null) seek();
  }

  function seek() {
    video.pause();
    form.classList.add("scrubbing");
    video.currentTime = Math.min(Number(slider.value), video.duration - 0.001);
  }

  slider.addEventListener("input", () => { show(slider.value); seek(); });
  const longest = () => Number((video.duration || Infinity).toFixed(2)); // unknown where the clip does not load
  const isMoment = () => typedNumber(seconds.value) >= 0 && typedNumber(seconds.value) <= longest();
  seconds.addEventListener("input", () => { if (isMoment()) { slider.value = typedNumber(seconds.value); seek(); } });
  press.addEventListener("click", mark);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || form.hidden) return;
    if (event.key.toUpperCase() === "M" || event.code === "KeyM") { event.preventDefault(); mark(); }
  });
  video.addEventListener("play", () => { press.disabled = false; form.classList.remove("scrubbing"); });
  for (const name of ["pause", "ended"]) video.addEventListener(name, () => { press.disabled = true; });
  form.addEventListener("trial:open", () => (video.duration ? correct() : video.addEventListener("loadedmetadata", correct, { once: true })));
  form.addEventListener("trial:load", begin);
  // An answer that names a moment needs one: the slider's place is one only once somebody moved it.
  form.addEventListener("submit", (event) => {
    if (event.submitter !== confirm || isMoment()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    scrubber.hidden = seconds.closest("p").hidden = false;
    slider.focus();
  }, true);
  begin();
}
