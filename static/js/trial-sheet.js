// Leads through the clips of a sheet on one page: the answer goes to the outbox, the next clip comes into the same player.
// Without this script each answer is posted by the form and the server shows the next clip.
for (const list of document.querySelectorAll("[data-questions]")) {
  const form = document.querySelector("[data-trial]");
  const sentence = form.querySelector("[data-question]");
  const note = form.querySelector("[data-note]");
  const answers = form.querySelector("[data-answers]");
  const number = document.querySelector("[data-number]");
  const progress = document.querySelector("[data-progress]");
  const timeLeft = document.querySelector("[data-time-left]");
  const report = document.querySelector("[data-problem]");
  const place = document.querySelector("[data-outbox]");
  const after = document.querySelector("[data-follow-up]"); // asked right after an answer, where the study asks so
  const began = performance.now();
  const questions = [...list.children];
  const before = progress.value; // answered when this page was loaded
  let left = questions;
  let done = 0; // since this page was loaded
  const answered = () => before + questions.length - left.length;

  function show() {
    const next = left[0];
    progress.value = answered();
    number.textContent = number.dataset.text.replace("{number}", Math.min(answered() + 1, progress.max)).replace("{total}", progress.max);
    timeLeft.textContent = timeLeft.dataset.text.replace("{minutes}", minutes());
    if (!next) return end();
    form.elements.position.value = next.dataset.position;
    report.elements.position.value = next.dataset.position;
    report.closest("details").open = false;
    event.submitter?.blur(); // hidden now: a key pressed at once is meant for the answers
    sentence.textContent = next.querySelector("span").textContent;
    note.textContent = next.dataset.note;
    note.hidden = !next.dataset.note;
    const clips = [...next.querySelectorAll("[data-src]")];
    form.querySelectorAll(".frame").forEach((frame, place) => draw(frame, clips[place].dataset));
    offer([...next.querySelectorAll("[data-value]")]);
    const clip = form.querySelector(".clip"); // zoomed in, the answers alone fill the view
    clip?.scrollIntoView({ block: clip.getBoundingClientRect().top < 0 ? "start" : "nearest" });
    form.dispatchEvent(new CustomEvent("trial:load", { detail: clips.map((clip) => clip.dataset.src) }));
  }

  // The middle frame of a clip with its box.
  function draw(frame, clip) {
    frame.hidden = !clip.frame;
    if (!clip.frame) return;
    frame.querySelector("[data-frame]").src = clip.frame;
    frame.querySelector("[data-view]").setAttribute("viewBox", clip.view);
    const [x, y, width, height] = clip.box.split(" ");
    for (const [name, value] of Object.entries({ x, y, width, height })) frame.querySelector("[data-box]").setAttribute(name, value);
  }

  // The buttons of this question, where it has others than the one before.
  function offer(options) {
    const values = (all) => all.map((one) => one.value ?? one.dataset.value).join("\n");
    if (values([...answers.children]) === values(options)) return;
    answers.classList.toggle("many", options.length > 2);
    answers.replaceChildren(...options.map((option) => {
      const button = document.createElement("button");
      Object.assign(button, { type: "submit", name: "answer", value: option.dataset.value, textContent: option.textContent });
      button.dataset.key = option.dataset.key;
      if (option.dataset.key) {
        const key = document.createElement("kbd");
        key.setAttribute("aria-hidden", "true");
        key.textContent = option.dataset.key;
        button.setAttribute("aria-keyshortcuts", option.dataset.key);
        button.append(" ", key);
      }
      return button;
    }));
  }

  function minutes() {
    const pace = done ? (performance.now() - began) / 1000 / done : Number(timeLeft.dataset.seconds);
    return Math.max(1, Math.ceil(((progress.max - answered()) * pace) / 60));
  }

  function end() {
    form.classList.add("over");
    for (const button of form.querySelectorAll(".answers button")) button.disabled = true;
    form.querySelector("[data-hint]").textContent = place.dataset.ending;
    document.dispatchEvent(new CustomEvent("outbox:over", { detail: { isLast: "last" in list.dataset } }));
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!left.length || !event.submitter || event.submitter.disabled) return;
    const fields = Object.fromEntries(new FormData(form, event.submitter));
    const given = left[0];
    left = left.slice(1);
    done += 1;
    document.dispatchEvent(new CustomEvent("outbox:put", { detail: { position: fields.position, number: answered(), fields } }));
    if (given.dataset.confidence || "why" in given.dataset) ask(given);
    else show();
  });

  // How sure, and why: the answer is on its way already. The next clip is loaded afterwards.
  let asked = 0;
  function ask(given) {
    asked = performance.now();
    after.reset();
    after.elements.position.value = given.dataset.position;
    for (const field of after.querySelectorAll("[data-why-field]")) field.hidden = !("why" in given.dataset);
    form.hidden = true;
    after.hidden = false;
    openSoon(after.querySelectorAll("button"));
    [...after.querySelectorAll("textarea, [data-heading], button")].find((one) => !one.closest("[hidden]")).focus();
  }

  after?.addEventListener("submit", (event) => {
    event.preventDefault();
    if (after.hidden) return;
    after.elements.seconds.value = ((performance.now() - asked) / 1000).toFixed(3);
    const fields = Object.fromEntries(new FormData(after, event.submitter));
    const position = `${fields.position}+`; // beside the letter of the answer, and sent after it
    document.dispatchEvent(new CustomEvent("outbox:put", { detail: { position, number: answered(), to: after.getAttribute("action"), fields } }));
    after.hidden = true;
    form.hidden = false;
    show();
  });

  report.addEventListener("submit", (event) => {
    event.preventDefault();
    fetch(report.action, { method: "POST", body: new URLSearchParams(new FormData(report)) }).catch(() => {});
    report.closest("details").open = false;
    event.submitter?.blur(); // hidden now: a key pressed at once is meant for the answers
    form.dispatchEvent(new CustomEvent("trial:problem"));
  });

  // What was answered here before and is still on its way is not asked again.
  async function skip() {
    const ask = { waiting: [] };
    document.dispatchEvent(new CustomEvent("outbox:ask", { detail: ask }));
    const waiting = await ask.waiting;
    const unasked = left.filter((one) => !waiting.includes(one.dataset.position));
    if (unasked.length === left.length) return;
    left = unasked;
    show();
  }
  skip();
}
