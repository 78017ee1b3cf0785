// The form beside a clip: keys, single pictures, two clips in step, the moment of a break. Without this script the form is
// sent as it is, with the browser's own player. Keys act while a question or a clip has the focus.
for (const place of document.querySelectorAll("[data-rating]")) {
  const form = place.closest("[data-trial]");
  const videos = [...form.querySelectorAll("[data-clip]")];
  const groups = [...place.querySelectorAll("[data-group]")];
  const ofBreak = place.querySelector("[data-of-break]");
  const [line, slider, seconds, row] = ["line", "slider", "seconds", "frames"].map((name) => place.querySelector(`[data-${name}]`));
  const isOpen = () => !form.querySelector(".answers button").disabled; // after a full watch any moment may be looked at
  let { length, frame } = place.dataset;

  // The question that came into view: its radio groups, with nothing chosen.
  form.addEventListener("trial:load", () => {
    const own = place.querySelector(`[data-of="${form.elements.position.value}"]`);
    ({ length, frame } = own.dataset);
    const names = own.dataset.groups.split(" ");
    for (const group of groups) group.hidden = group.disabled = !names.includes(group.dataset.group);
    for (const field of place.querySelectorAll("input[type=radio]")) field.checked = false;
    for (const told of place.querySelectorAll(".errorlist")) told.remove();
    if (form.elements.asked) form.elements.asked.value = own.dataset.groups;
    if (ofBreak) { form.elements.length.value = length; seconds.value = ""; beginLine(); }
  });
  form.addEventListener("trial:open", () => { if (ofBreak) beginLine(); });

  function step(count) {
    if (!isOpen()) return;
    for (const video of videos) {
      video.pause();
      video.currentTime = Math.min(Math.max(0, video.currentTime + count * frame), video.duration - 0.001);
    }
    form.classList.add("scrubbing");
  }
  // The button that starts a clip goes away with the focus: the clip keeps it, so that keys go on acting.
  for (const video of videos) {
    const player = video.closest("[data-player]");
    player.tabIndex = -1;
    video.addEventListener("play", () => {
      form.classList.remove("scrubbing");
      if (document.activeElement === document.body || player.contains(document.activeElement)) player.focus({ preventScroll: true });
    });
  }

  function together() {
    for (const video of videos) { video.pause(); video.currentTime = 0; }
    form.dispatchEvent(new CustomEvent("trial:together"));
  }

  // A chosen "break" asks for its moment, kind and severity; the other answers don't.
  function beginLine() {
    const choice = form.elements["choice-seen"].value;
    ofBreak.disabled = choice !== "break";
    line.hidden = !isOpen();
    slider.max = length;
    slider.value = typedNumber(seconds.value) || 0;
    seconds.setCustomValidity(!seconds.value || isMoment(typedNumber(seconds.value)) ? "" : seconds.dataset.wrong);
  }

  function mark(at) {
    form.elements["choice-seen"].value = "break";
    seconds.value = Math.floor(Math.min(at, length) * 100 + 0.001) / 100; // never behind the end
    beginLine();
  }

  const isMoment = (at) => at >= 0 && at <= length;

  function seek(at) {
    if (!isOpen() || !isMoment(at)) return;
    videos[0].pause();
    form.classList.add("scrubbing");
    videos[0].currentTime = Math.min(at, videos[0].duration - 0.001);
  }

  if (ofBreak) {
    for (const field of ofBreak.querySelectorAll("input[name]")) field.required = true;
    place.addEventListener("change", ({ target }) => { if (target.name === "choice-seen") beginLine(); });
    slider.addEventListener("input", () => { mark(Number(slider.value)); seek(Number(slider.value)); });
    seconds.addEventListener("input", () => { beginLine(); seek(typedNumber(seconds.value)); });
    beginLine();
  }
  if (row) row.hidden = false;
  place.querySelector("[data-keys]").hidden = false;
  place.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (!button) return;
    if (button.dataset.step) step(Number(button.dataset.step));
    if ("mark" in button.dataset) mark(videos[0].currentTime);
    if ("together" in button.dataset) together();
  });

  // A digit is the choice of that value or place; 0 is "can't tell" where the scale has no 0.
  function choose(group, digit) {
    const radios = [...group.querySelectorAll("input[type=radio]")];
    const byValue = radios.find((one) => one.value === digit);
    const chosen = digit === "0" && !byValue ? radios.find((one) => one.value === "na") : byValue || radios.filter((one) => one.value !== "na")[digit - 1];
    if (!chosen) return;
    chosen.checked = true;
    chosen.focus();
    chosen.dispatchEvent(new Event("change", { bubbles: true }));
  }

  form.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.repeat || event.target.closest("[inputmode], summary")) return;
    const group = event.target.closest("[data-group]") || (event.target.closest("[data-player]") && groups.find((one) => !one.disabled));
    if (!group) return;
    if (/^[0-9]$/.test(event.key)) choose(group, event.key);
    else if (event.key === "," || event.key === ".") step(event.key === "," ? -1 : 1);
    else if (ofBreak && event.key.toLowerCase() === "m") mark(videos[0].currentTime);
    else return;
    event.preventDefault();
  });
}
