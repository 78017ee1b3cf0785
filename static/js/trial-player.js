// Plays the clip of a trial and measures what really happened. Answers open after one full watch: what counts is the part
// that was played at normal speed and in view, which seeking to the end can't fake. Without this script the form still
// sends its answer, untimed.
for (const form of document.querySelectorAll("[data-trial]")) {
  const video = form.querySelector("[data-clip]");
  const play = form.querySelector("[data-play]");
  const hint = form.querySelector("[data-hint]");
  const waiting = form.querySelector("[data-waiting]");
  const failure = form.querySelector("[data-failure]");
  const answers = form.querySelectorAll(".answers button");
  const STEP = 0.1; // seconds of clip that are marked as seen at once
  const JUMP = 1; // a larger step between two frames is a seek, not playing
  const ENOUGH = 0.97; // of the clip; the last frames are not reported by every browser
  const PATIENCE = 20000; // milliseconds without a frame before loading counts as failed
  const frames = "requestVideoFrameCallback" in video;
  let log, seen, last, shownAt, endedAt, stalledAt, awayAt, droppedBefore, timer, isOpen, wantsToPlay;

  function begin() {
    log = { replays: 0, stalls: 0, stalled_seconds: 0, pauses: 0, seeks: 0, rate_changes: 0, leaves: 0, away_seconds: 0, failures: 0, problem: "" };
    seen = new Set();
    last = shownAt = endedAt = stalledAt = awayAt = null;
    droppedBefore = dropped();
    isOpen = wantsToPlay = false;
    open(false);
    failure.hidden = waiting.hidden = true;
    hint.textContent = form.dataset.watch;
    showButton();
  }

  function open(now) {
    isOpen = now;
    for (const button of answers) button.disabled = !now;
    if (now) hint.textContent = form.dataset.answer;
  }

  const dropped = () => (video.getVideoPlaybackQuality ? video.getVideoPlaybackQuality().droppedVideoFrames : 0);
  const total = () => Math.max(1, Math.floor(video.duration / STEP));
  const watched = () => (video.duration ? Math.min(1, seen.size / total()) : 0);

  // One more moment of the clip was on the screen.
  function mark(time, now) {
    if (shownAt === null && !video.paused) shownAt = now;
    const isPlaying = !document.hidden && last !== null && time > last && time - last < JUMP;
    if (isPlaying) for (let at = Math.floor(last / STEP); at <= Math.floor(time / STEP); at += 1) if (at < total()) seen.add(at);
    last = time;
    if (!isOpen && watched() >= ENOUGH) open(true);
  }

  function watchFrames() {
    if (frames) video.requestVideoFrameCallback((now, frame) => { mark(frame.mediaTime, frame.expectedDisplayTime || now); watchFrames(); });
  }

  function showButton() {
    const isAgain = endedAt !== null;
    play.hidden = !video.paused || !failure.hidden;
    play.setAttribute("aria-label", isAgain ? play.dataset.again : play.dataset.first);
    for (const icon of play.querySelectorAll("[data-icon]")) icon.toggleAttribute("hidden", (icon.dataset.icon === "again") !== isAgain);
  }

  function start() {
    if (!failure.hidden || !video.paused) return;
    if (video.ended) { log.replays += 1; last = null; }
    wantsToPlay = true;
    expectFrame();
    const promise = video.play();
    if (promise) promise.catch((error) => { if (error.name !== "AbortError") fail(); });
  }

  function stop() {
    wantsToPlay = false;
    if (!video.paused) { log.pauses += 1; video.pause(); }
  }

  function expectFrame() {
    clearTimeout(timer);
    timer = setTimeout(() => { if (wantsToPlay && video.readyState < 3) fail(); }, PATIENCE);
  }

  function fail() {
    clearTimeout(timer);
    if (!failure.hidden) return;
    log.failures += 1;
    wantsToPlay = false;
    waiting.hidden = true;
    failure.hidden = false;
    play.hidden = true;
    failure.querySelector("[data-retry]").focus();
  }

  function retry() {
    failure.hidden = true;
    last = null;
    video.load();
    showButton();
    start();
  }

  // Everything that was measured goes into the hidden fields, right before the answer is sent.
  function fill() {
    const now = performance.now();
    const values = { ...log, watched: watched().toFixed(3), dropped_frames: Math.max(0, dropped() - droppedBefore), clock: frames ? "frame" : "event" };
    if (shownAt !== null) values.seconds = ((now - shownAt) / 1000).toFixed(3);
    if (endedAt !== null) values.after_end = ((now - endedAt) / 1000).toFixed(3);
    for (const [name, value] of Object.entries(values)) {
      const field = form.elements[name];
      if (field) field.value = typeof value === "number" ? String(Math.round(value * 1000) / 1000) : value;
    }
  }

  video.addEventListener("playing", () => {
    clearTimeout(timer);
    waiting.hidden = true;
    if (stalledAt !== null) { log.stalled_seconds += (performance.now() - stalledAt) / 1000; stalledAt = null; }
    if (!frames && shownAt === null) shownAt = performance.now();
    showButton();
  });
  video.addEventListener("waiting", () => {
    waiting.hidden = false;
    expectFrame();
    if (shownAt !== null && stalledAt === null && !video.seeking) { log.stalls += 1; stalledAt = performance.now(); }
  });
  video.addEventListener("timeupdate", () => { if (!frames) mark(video.currentTime, performance.now()); });
  video.addEventListener("ended", () => {
    if (endedAt === null) endedAt = performance.now();
    if (last !== null) mark(video.duration, performance.now());
    wantsToPlay = false;
    showButton();
  });
  video.addEventListener("pause", () => { waiting.hidden = true; stalledAt = null; showButton(); });
  video.addEventListener("play", showButton);
  video.addEventListener("seeking", () => { if (video.currentTime > 0.05) log.seeks += 1; last = null; });
  video.addEventListener("ratechange", () => { if (video.playbackRate !== 1) { log.rate_changes += 1; video.playbackRate = 1; } });
  video.addEventListener("error", fail);
  video.addEventListener("click", () => (video.paused ? start() : stop()));
  play.addEventListener("click", start);
  failure.querySelector("[data-retry]").addEventListener("click", retry);

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      awayAt = performance.now();
      log.leaves += 1;
      if (!video.paused) { video.pause(); hint.textContent = form.dataset.away; }
    } else if (awayAt !== null) {
      log.away_seconds += (performance.now() - awayAt) / 1000;
      awayAt = null;
    }
  });

  form.addEventListener("trial:play", () => (video.paused ? start() : stop()));
  form.addEventListener("trial:problem", () => { log.problem = "reported"; open(true); });
  form.addEventListener("trial:load", (event) => { video.src = event.detail; begin(); play.focus({ preventScroll: true }); });
  form.addEventListener("submit", fill);

  video.controls = false;
  begin();
  watchFrames();
  if (video.error) fail();
}
