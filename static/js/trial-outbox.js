// Sends answers in the background. Each is kept in this browser before it is sent, and until the server has it: in
// IndexedDB, or in memory where that is blocked. The server takes every answer once, so sending twice does no harm.
const WAITS = [1000, 2000, 4000, 8000, 15000]; // milliseconds between attempts
const PATIENT = 5; // attempts in vain after the last answer; then the code is asked for without the rest
const KEPT_FOR = 14 * 24 * 3600 * 1000; // milliseconds; older letters are of studies that nobody came back to
const PENDING = 2000; // milliseconds that a blocked storage may keep us waiting

// Where letters lie: {road, position, number, fields, at}, and `to` where it is another address than the road's. Every act may fail; the caller has the letters in memory too.
function shelf() {
  const opening = new Promise((resolve, reject) => {
    const request = indexedDB.open("outbox", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("letters", { keyPath: ["road", "position"] });
    request.onsuccess = () => resolve(request.result);
    request.onerror = request.onblocked = () => reject(request.error);
    setTimeout(reject, PENDING);
  });
  const act = async (mode, todo) => {
    const transaction = (await opening).transaction("letters", mode);
    const request = todo(transaction.objectStore("letters"));
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = transaction.onerror = () => reject(transaction.error);
    });
  };
  return {
    all: () => act("readonly", (letters) => letters.getAll()),
    keep: (letter) => act("readwrite", (letters) => letters.put(letter)),
    drop: (letter) => act("readwrite", (letters) => letters.delete([letter.road, letter.position])),
  };
}

for (const place of document.querySelectorAll("[data-outbox]")) {
  const road = place.dataset.answer;
  const again = document.querySelector("[data-send]");
  const repair = document.querySelector("[data-repair]");
  const store = shelf();
  const kept = new WeakMap(); // letter -> the promise that it is kept
  let letters = [];
  let isSending = false;
  let isOver = "over" in place.dataset; // the last answer of this page is given
  let isLast = false; // and of the study
  let isReturning = false; // the server wants to say something else than this page does
  let failures = 0;
  let timer;
  const ready = read();

  async function read() {
    try {
      const found = await store.all();
      for (const old of found.filter((letter) => letter.at < Date.now() - KEPT_FOR)) store.drop(old).catch(() => {});
      letters = [...found.filter((letter) => letter.road === road), ...letters];
    } catch { /* blocked: what is given from now on stays in memory */ }
    return letters.map((letter) => letter.position);
  }

  function tell(text, state) {
    place.textContent = text;
    place.dataset.state = state;
    place.classList.toggle("wrong", state === "failed" || state === "refused");
    again.hidden = state !== "failed";
  }

  async function send() {
    clearTimeout(timer);
    if (isSending || !letters.length) return;
    isSending = true;
    const letter = letters[0];
    await kept.get(letter);
    try {
      const reply = await fetch(letter.to || road, { method: "POST", body: new URLSearchParams(letter.fields), headers: { Accept: "application/json" } });
      if (reply.ok) await delivered(letter);
      else if (reply.status >= 400 && reply.status < 500 && ![408, 425, 429].includes(reply.status)) await refused(letter);
      else failed();
    } catch { failed(); }
    isSending = false;
    if (!failures) next();
  }

  // One after the other; when the last one is there the road goes on.
  function next() {
    if (letters.length) send();
    else if (isOver || isReturning) location.assign(place.dataset.page);
  }

  async function gone(letter) {
    failures = 0;
    letters = letters.filter((other) => other !== letter);
    await store.drop(letter).catch(() => {});
  }

  async function delivered(letter) {
    await gone(letter);
    tell(place.dataset.saved.replace("{number}", letter.number), "saved");
  }

  async function refused(letter) {
    await gone(letter);
    tell(place.dataset.refused, "refused");
    isReturning = true;
  }

  function failed() {
    tell(place.dataset.failed, "failed");
    timer = setTimeout(send, WAITS[Math.min(failures, WAITS.length - 1)]);
    failures += 1;
    if (isLast && failures >= PATIENT) askForCode();
  }

  // Nobody is left without a code because answers don't get through: the server marks the sheet, and we keep trying.
  async function askForCode() {
    if (!repair || !repair.hidden) return;
    try {
      const reply = await fetch(place.dataset.codeAt, { method: "POST" });
      if (!reply.ok || !repair.hidden) return;
      if (reply.status === 204) return arrived();
      repair.replaceChildren(...new DOMParser().parseFromString(await reply.text(), "text/html").body.childNodes);
      repair.hidden = false;
      document.querySelector("[data-trial]").hidden = true;
    } catch { /* no network at all: asked again with the next attempt */ }
  }

  // The server has everything, from another tab or device.
  async function arrived() {
    clearTimeout(timer);
    await Promise.all(letters.map(gone));
    next();
  }

  document.addEventListener("outbox:put", (event) => {
    const letter = { ...event.detail, road, at: Date.now() };
    letters.push(letter);
    if (!failures) tell(place.dataset.sending, "sending");
    kept.set(letter, store.keep(letter).catch(() => {}));
    if (!failures) send();
  });
  document.addEventListener("outbox:ask", (event) => { event.detail.waiting = ready; });
  document.addEventListener("outbox:over", (event) => {
    isOver = true;
    isLast = event.detail.isLast;
    failures = 0;
    next();
  });
  again.addEventListener("click", send);
  window.addEventListener("online", send);
  window.addEventListener("beforeunload", (event) => { if (letters.length) event.preventDefault(); });
  ready.then(send);
}
