// Sends answers in the background and keeps each one until the server has it: in this browser's storage where that is
// allowed, else in memory. The server takes every answer once, so sending twice does no harm.
for (const place of document.querySelectorAll("[data-outbox]")) {
  const form = document.querySelector("[data-trial]");
  const again = document.querySelector("[data-send]");
  const name = `outbox:${form.action}`;
  const WAITS = [1000, 2000, 4000, 8000, 15000]; // milliseconds between attempts
  let letters = read();
  let isSending = false;
  let failures = 0;
  let timer;

  function read() {
    try { return JSON.parse(localStorage.getItem(name)) || []; } catch { return []; }
  }

  function keep() {
    try {
      if (letters.length) localStorage.setItem(name, JSON.stringify(letters));
      else localStorage.removeItem(name);
    } catch { /* storage is blocked: the letters stay in memory */ }
  }

  function tell(text, state) {
    place.textContent = text;
    place.dataset.state = state;
    again.hidden = state !== "failed";
  }

  async function send() {
    if (isSending || !letters.length) return;
    isSending = true;
    clearTimeout(timer);
    const letter = letters[0];
    try {
      const reply = await fetch(form.action, { method: "POST", body: new URLSearchParams(letter.fields), headers: { Accept: "application/json" } });
      if (reply.ok) delivered(letter);
      else if (reply.status >= 400 && reply.status < 500 && ![408, 425, 429].includes(reply.status)) refused(letter);
      else failed();
    } catch { failed(); }
    isSending = false;
    if (letters.length && !failures) send();
  }

  function delivered(letter) {
    failures = 0;
    letters = letters.filter((other) => other !== letter);
    keep();
    tell(place.dataset.saved.replace("{number}", letter.number), "saved");
    if (!letters.length) form.dispatchEvent(new CustomEvent("outbox:empty"));
  }

  function refused(letter) {
    letters = letters.filter((other) => other !== letter);
    keep();
    tell(place.dataset.refused, "refused");
    form.dispatchEvent(new CustomEvent("outbox:refused"));
  }

  function failed() {
    tell(place.dataset.failed, "failed");
    timer = setTimeout(() => { send(); }, WAITS[Math.min(failures, WAITS.length - 1)]);
    failures += 1;
  }

  form.addEventListener("outbox:put", (event) => {
    letters.push(event.detail);
    keep();
    if (!failures) tell(place.dataset.sending, "sending");
    send();
  });
  form.addEventListener("outbox:ask", (event) => { event.detail.waiting = letters.map((letter) => letter.fields.position); });
  again.addEventListener("click", () => { failures = 0; send(); });
  window.addEventListener("online", () => { failures = 0; send(); });
  window.addEventListener("beforeunload", (event) => { if (letters.length) event.preventDefault(); });
  send();
}
