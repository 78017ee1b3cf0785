// Plays the clips of a trial and measures what really happened. Answers open when every clip has ended after one full watch:
// what counts is the part that was presented in view, by the clip's time against the time that passed: neither seeking nor
// more than double speed can fake it, and held pictures, long sound, loops and slow play miss nothing. It survives a reload. Without this script the form still sends its answer, untimed.
const STEP = 0.1; // seconds of clip that are marked as seen at once
const FASTEST = 2; // times its own speed that a clip may be played at
const SLACK = 0.3; // seconds of the clip that it may be ahead of the clock: reports come late
const ENOUGH = 0.97; // of the clip; the last frames are not reported by every browser
const PATIENCE = 20000; // milliseconds without a frame before loading counts as failed
const FRAMES = 40; // refreshes of the screen that its rate is measured on, at most
const FEW = 10; // and at least
const SMALL = 600; // CSS pixels: a touch screen with a shorter side than this is a phone's
const clock = (at = performance.now()) => performance.timeOrigin + at; // goes on over a reload

// What was measured on this page before it was loaded again; kept until the answer is sent.
const memory = {
  read(key) { try { return JSON.parse(sessionStorage.getItem(key)); } catch { return null; } },
  write(key, kept) { try { sessionStorage.setItem(key, JSON.stringify(kept)); } catch { /* blocked: a reload begins anew */ } },
  drop(key) { try { sessionStorage.removeItem(key); } catch { /* blocked */ } },
};

const steps = []; // milliseconds from one redrawing of the screen to the next
function measureSteps(before) {
  requestAnimationFrame((now) => {
    if (before) steps.push(now - before);
    if (steps.length < FRAMES) measureSteps(now);
  });
}
measureSteps();
const refreshRate = () => (steps.length < FEW ? "" : 1000 / [...steps].sort((one, other) => one - other)[steps.length >> 1]);

function deviceKind() {
  if (!matchMedia("(pointer: coarse)").matches) return "computer";
  return Math.min(screen.width, screen.height) < SMALL ? "phone" : "tablet";
}

// One clip with its button. It counts into `trial.log` and tells the trial when there is more of it seen.
function playerIn(place, trial) {
  const video = place.querySelector("[data-clip]");
  const play = place.querySelector("[data-play]");
  const waiting = place.querySelector("[data-waiting]");
  const failure = place.querySelector("[data-failure]");
  const tick = place.closest("figure")?.querySelector("[data-seen]");
  const frames = "requestVideoFrameCallback" in video;
  let seen, last, markedAt, ahead, before, shownAt, endedAt, stalledAt, droppedBefore, droppedEarlier, timer, wantsToPlay, wasEnded;

  function begin(source, kept) {
    if (source) video.src = source;
    seen = new Set(kept?.seen);
    shownAt = kept?.shownAt ?? null;
    endedAt = kept?.endedAt ?? null; // end of a clip that had been watched in full
    wasEnded = endedAt !== null;
    droppedEarlier = kept?.dropped ?? 0;
    last = stalledAt = null;
    markedAt = ahead = 0;
    before = [last, markedAt, ahead];
    droppedBefore = dropped();
    wantsToPlay = false;
    failure.hidden = waiting.hidden = true;
    if (tick) tick.hidden = !isDone();
    showButton();
    if (video.error) fail();
  }

  const dropped = () => (video.getVideoPlaybackQuality ? video.getVideoPlaybackQuality().droppedVideoFrames : 0);
  const total = () => Math.max(1, Math.floor(video.duration / STEP));
  const watched = () => (video.duration ? Math.min(1, seen.size / total()) : 0);
  const isDone = () => endedAt !== null;

  // The clip has come to this time. What lies between two reports was played if so much time has passed, too. Firefox at times
  // reports pictures that are still to come: a report that lies behind them goes on from the last one in time.
  function mark(time, now) {
    if (shownAt === null && !video.paused) shownAt = clock(now);
    if (last !== null && time < last) [last, markedAt, ahead] = before;
    if (last === null || ahead < SLACK) before = [last, markedAt, ahead];
    ahead = last === null ? 0 : Math.max(0, ahead + time - last - (FASTEST * (now - markedAt)) / 1000);
    markedAt = now;
    const isPlaying = !document.hidden && last !== null && time > last && ahead < SLACK;
    if (isPlaying) for (let at = Math.floor(last / STEP); at <= Math.floor(time / STEP); at += 1) if (at < total()) seen.add(at);
    last = time;
  }

  // The clip has come to its end; it is done if it was watched in full by then, at once or in parts.
  function end(now) {
    wasEnded = true;
    if (last !== null) mark(video.duration, now);
    if (endedAt === null && watched() >= ENOUGH) endedAt = clock(now);
    if (tick) tick.hidden = !isDone();
    trial.seenMore();
  }

  function watchFrames() {
    if (frames) video.requestVideoFrameCallback((now, frame) => { mark(frame.mediaTime, frame.expectedDisplayTime || now); watchFrames(); });
  }

  function showButton() {
    const isAgain = wasEnded;
    play.hidden = !video.paused || !failure.hidden;
    play.setAttribute("aria-label", isAgain ? play.dataset.again : play.dataset.first);
    for (const icon of play.querySelectorAll("[data-icon]")) icon.toggleAttribute("hidden", (icon.dataset.icon === "again") !== isAgain);
  }

  function start() {
    if (!failure.hidden || !video.paused) return;
    trial.hush(video);
    if (video.ended) { trial.log.replays += 1; last = 0; } else last ??= video.currentTime; // the first frame may go unreported
    markedAt = performance.now();
    wantsToPlay = true;
    expectFrame();
    const promise = video.play();
    if (promise) promise.catch((error) => { if (error.name !== "AbortError") fail(); });
  }

  function stop() {
    wantsToPlay = false;
    if (!video.paused) { trial.log.pauses += 1; video.pause(); }
  }

  function expectFrame() {
    clearTimeout(timer);
    timer = setTimeout(() => { if (wantsToPlay && video.readyState < 3) fail(); }, PATIENCE);
  }

  function fail() {
    clearTimeout(timer);
    if (!failure.hidden) return;
    trial.log.failures += 1;
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

  const shape = () => { if (video.videoWidth) place.style.setProperty("--shape", video.videoWidth / video.videoHeight); };
  video.addEventListener("loadedmetadata", shape);
  shape();
  video.addEventListener("playing", () => {
    clearTimeout(timer);
    waiting.hidden = true;
    if (stalledAt !== null) { trial.log.stalled_seconds += (performance.now() - stalledAt) / 1000; stalledAt = null; }
    if (!frames && shownAt === null) shownAt = clock();
    showButton();
  });
  video.addEventListener("waiting", () => {
    waiting.hidden = false;
    expectFrame();
    if (shownAt !== null && stalledAt === null && !video.seeking) { trial.log.stalls += 1; stalledAt = performance.now(); }
  });
  // A held picture and the end of a long sound have no frames of their own.
  video.addEventListener("timeupdate", () => { if (!frames || shownAt !== null) mark(video.currentTime, performance.now()); });
  video.addEventListener("ended", () => {
    end(performance.now());
    wantsToPlay = false;
    showButton();
  });
  video.addEventListener("pause", () => { waiting.hidden = true; stalledAt = null; showButton(); });
  video.addEventListener("play", showButton);
  video.addEventListener("seeking", () => { if (video.loop) end(performance.now()); }); // the browser's own loop never ends
  video.addEventListener("seeking", () => { if (video.currentTime > 0.05 && !(trial.scrubs && isDone())) trial.log.seeks += 1; last = video.currentTime === 0 ? 0 : null; });
  video.addEventListener("ratechange", () => { if (video.playbackRate !== 1) trial.log.rate_changes += 1; });
  video.addEventListener("error", fail);
  video.addEventListener("click", () => (video.paused ? start() : stop()));
  play.addEventListener("click", start);
  failure.querySelector("[data-retry]").addEventListener("click", retry);

  video.controls = false;
  watchFrames();
  return {
    video, play, frames, begin, start, stop, watched, isDone,
    dropped: () => droppedEarlier + Math.max(0, dropped() - droppedBefore),
    shownAt: () => shownAt,
    endedAt: () => endedAt,
    kept: () => ({ seen: [...seen], shownAt, endedAt, dropped: droppedEarlier + Math.max(0, dropped() - droppedBefore) }),
  };
}

for (const form of document.querySelectorAll("[data-trial]")) {
  const hint = form.querySelector("[data-hint]");
  let awayAt, isOpen, isSent, players = [];
  const trial = {
    log: null,
    scrubs: form.querySelector("[data-moment], [data-rating]") !== null, // after a full watch any moment may be looked at
    seenMore: () => { if (!isOpen && players.every((one) => one.isDone())) open(true); },
    isTogether: false, // clips are started side by side
    hush: (playing) => { if (!trial.isTogether) for (const one of players) if (one.video !== playing && !one.video.paused) one.video.pause(); },
  };
  const watched = () => Math.min(...players.map((one) => one.watched()));

  const key = () => `clip ${form.action} ${form.elements.position.value}`;

  // Begins the question in view, or goes on with it after a reload.
  function begin(sources = []) {
    const kept = memory.read(key());
    forgetInputs();
    trial.log = { replays: 0, stalls: 0, stalled_seconds: 0, pauses: 0, seeks: 0, rate_changes: 0, leaves: 0, away_seconds: 0, failures: 0, reloads: 0, problem: "", presses: "", ...kept?.log };
    if (kept) trial.log.reloads += 1;
    awayAt = null;
    isSent = false;
    open(false);
    hint.textContent = form.dataset.watch;
    players.forEach((one, place) => one.begin(sources[place], kept?.players[place]));
    if (trial.log.problem) open(true);
    trial.seenMore();
  }

  function keep() {
    if (players.some((one) => one.shownAt() !== null)) memory.write(key(), { log: trial.log, players: players.map((one) => one.kept()) });
  }

  function open(now) {
    isOpen = now;
    for (const button of form.querySelectorAll(".answers button")) button.disabled = !now;
    if (!now) return;
    hint.textContent = form.dataset.answer;
    form.dispatchEvent(new CustomEvent("trial:open"));
  }

  // Space: stops what plays; else what was not seen yet comes first.
  function playOrStop() {
    const playing = players.filter((one) => !one.video.paused);
    if (playing.length) return playing.forEach((one) => one.stop());
    (players.find((one) => !one.isDone()) || players[0]).start();
  }

  // Everything that was measured goes into the hidden fields, right before the answer is sent.
  function fill() {
    const now = clock();
    const videos = players.map((one) => one.video);
    const shown = players.map((one) => one.shownAt()).filter((at) => at !== null);
    const ended = players.map((one) => one.endedAt()).filter((at) => at !== null);
    const dropped = players.reduce((sum, one) => sum + one.dropped(), 0);
    const values = { ...trial.log, watched: watched().toFixed(3), dropped_frames: dropped, clock: players[0].frames ? "frame" : "event" };
    Object.assign(values, {
      viewport_width: innerWidth, viewport_height: innerHeight, pixel_ratio: devicePixelRatio, device: deviceKind(),
      clip_width: videos[0].getBoundingClientRect().width, refresh_hz: refreshRate(),
      volume: Math.min(...videos.map((one) => one.volume)), muted: Number(videos.some((one) => one.muted)),
    });
    if (shown.length) values.seconds = ((now - Math.min(...shown)) / 1000).toFixed(3);
    if (ended.length === players.length) values.after_end = ((now - Math.max(...ended)) / 1000).toFixed(3);
    Object.assign(values, personSigns());
    for (const [name, value] of Object.entries(values)) {
      const field = form.elements[name];
      if (field) field.value = typeof value === "number" ? String(Math.round(value * 1000) / 1000) : value;
    }
  }

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      keep();
      awayAt = performance.now();
      trial.log.leaves += 1;
      for (const one of players) if (!one.video.paused) { one.video.pause(); hint.textContent = form.dataset.away; }
    } else if (awayAt !== null) {
      trial.log.away_seconds += (performance.now() - awayAt) / 1000;
      awayAt = null;
    }
  });

  form.addEventListener("trial:play", playOrStop);
  form.addEventListener("trial:together", () => {
    trial.isTogether = true;
    for (const one of players) one.start();
    trial.isTogether = false;
  });
  // A press while the clip is watched for the first time, at a second of it.
  form.addEventListener("trial:press", (event) => {
    if (!players[0].isDone()) trial.log.presses = `${trial.log.presses} ${event.detail}`.trim();
  });
  form.addEventListener("trial:problem", () => { trial.log.problem = "reported"; open(true); });
  form.addEventListener("trial:load", (event) => {
    begin(event.detail);
    players[0].play.focus({ preventScroll: true });
  });
  form.addEventListener("submit", () => { fill(); memory.drop(key()); isSent = true; });
  window.addEventListener("pagehide", () => { if (!isSent) keep(); });

  players = [...form.querySelectorAll("[data-player]")].map((place) => playerIn(place, trial));
  begin();
}
