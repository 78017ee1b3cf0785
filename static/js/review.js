// Decides clips without leaving the page, and by keys. Without this script every button sends its form.
const cards = () => [...document.querySelectorAll("[data-review] .clip")];
const current = () => document.activeElement.closest?.(".clip");
const press = (card, act) => card?.querySelector(`button[value="${act}"]`)?.click();
const showKeys = () => document.querySelector(".keys")?.removeAttribute("hidden");

function go(step) {
  const all = cards();
  const at = all.indexOf(current());
  const next = all[at < 0 ? 0 : Math.min(Math.max(at + step, 0), all.length - 1)];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function play(video) {
  if (video.paused) video.play(); else video.pause();
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  const card = form.closest("[data-review] .clip");
  if (!card) return;
  event.preventDefault();
  const body = new FormData(form, event.submitter);
  for (const button of form.querySelectorAll("button")) button.disabled = true;
  try {
    const reply = await fetch(form.action, { method: "POST", body, headers: { "X-Part": "card" } });
    if (reply.status >= 500 || reply.redirected) throw new Error();
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    const fresh = document.adoptNode(page.querySelector(".clip"));
    card.replaceWith(fresh);
    (fresh.querySelector("[role=alert]") ? fresh.querySelector("select") : fresh)?.focus();
  } catch {
    location.reload(); // the page says what is true, or that one has to sign in
  }
});

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest("input, select, textarea, video, button, a")) return;
  const card = current();
  const key = event.key.toLowerCase();
  const acts = {
    j: () => go(1),
    l: () => go(-1),
    k: () => press(card, "keep"),
    u: () => press(card, "undo"),
    d: () => card.querySelector("select")?.focus(),
    " ": () => play(card.querySelector("video")),
  };
  if (!(key in acts) || !(card || (key === "j" && cards().length))) return;
  event.preventDefault();
  acts[key]();
});

showKeys();
document.addEventListener("main-replaced", showKeys);
