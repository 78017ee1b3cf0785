// Leads through the clips of a sheet on one page: the answer goes to the outbox, the next clip comes into the same player.
// Without this script each answer is posted by the form and the server shows the next clip.
for (const list of document.querySelectorAll("[data-questions]")) {
  const form = document.querySelector("[data-trial]");
  const sentence = form.querySelector("[data-question]");
  const number = document.querySelector("[data-number]");
  const progress = document.querySelector("[data-progress]");
  const timeLeft = document.querySelector("[data-time-left]");
  const report = document.querySelector("[data-problem]");
  const place = document.querySelector("[data-outbox]");
  const began = performance.now();
  let done = 0; // since this page was loaded

  // What was answered here before and is still on its way is not asked again.
  const ask = { waiting: [] };
  form.dispatchEvent(new CustomEvent("outbox:ask", { detail: ask }));
  const questions = [...list.children];
  const left = questions.filter((one) => !ask.waiting.includes(one.dataset.position));
  const answered = () => progress.max - left.length;

  function show() {
    const next = left[0];
    progress.value = answered();
    number.textContent = number.dataset.text.replace("{number}", Math.min(answered() + 1, progress.max)).replace("{total}", progress.max);
    timeLeft.textContent = timeLeft.dataset.text.replace("{minutes}", minutes());
    if (!next) return end();
    form.elements.position.value = next.dataset.position;
    report.elements.position.value = next.dataset.position;
    report.closest("details").open = false;
    sentence.textContent = next.textContent;
    form.dispatchEvent(new CustomEvent("trial:load", { detail: next.dataset.src }));
  }

  function minutes() {
    const pace = done ? (performance.now() - began) / 1000 / done : Number(timeLeft.dataset.seconds);
    return Math.max(1, Math.ceil((left.length * pace) / 60));
  }

  function end() {
    form.classList.add("over");
    for (const button of form.querySelectorAll(".answers button")) button.disabled = true;
    const state = { waiting: [] };
    form.dispatchEvent(new CustomEvent("outbox:ask", { detail: state }));
    if (!state.waiting.length) location.assign(list.dataset.road);
    else form.querySelector("[data-hint]").textContent = place.dataset.ending;
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!left.length || !event.submitter || event.submitter.disabled) return;
    const fields = Object.fromEntries(new FormData(form, event.submitter));
    left.shift();
    done += 1;
    form.dispatchEvent(new CustomEvent("outbox:put", { detail: { number: answered(), fields } }));
    show();
  });
  form.addEventListener("outbox:empty", () => { if (!left.length) location.assign(list.dataset.road); });
  form.addEventListener("outbox:refused", () => location.assign(list.dataset.road));

  report.addEventListener("submit", (event) => {
    event.preventDefault();
    fetch(report.action, { method: "POST", body: new URLSearchParams(new FormData(report)) }).catch(() => {});
    report.closest("details").open = false;
    form.dispatchEvent(new CustomEvent("trial:problem"));
  });

  if (left.length < questions.length) show();
}
