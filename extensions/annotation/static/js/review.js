// Decides cards without leaving the page, and by keys: `data-key` names the key of a button or field of the card.
// The answer holds the card anew, and the figures (`data-figures`) that moved. Without this script every button sends its form.
const cards = () => [...document.querySelectorAll("[data-review] [data-card]")];
const current = () => document.activeElement.closest?.("[data-card]");
const showKeys = () => document.querySelector(".keys")?.removeAttribute("hidden");

function go(step) {
  const all = cards();
  const at = all.indexOf(current());
  const next = all[at < 0 ? 0 : Math.min(Math.max(at + step, 0), all.length - 1)];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function play(video) {
  if (!video) return;
  video.closest("details")?.setAttribute("open", "");
  if (video.paused) video.play(); else video.pause();
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  const card = form.closest("[data-review] [data-card]");
  if (!card) return;
  event.preventDefault();
  const body = new FormData(form, event.submitter);
  for (const button of form.querySelectorAll("button")) button.disabled = true;
  try {
    const reply = await fetch(form.action, { method: "POST", body, headers: { "X-Part": "card" } });
    if (reply.status >= 500 || reply.redirected) throw new Error();
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    const fresh = document.adoptNode(page.querySelector("[data-card]"));
    card.replaceWith(fresh);
    for (const figures of page.querySelectorAll("[data-figures]")) document.getElementById(figures.id)?.replaceWith(document.adoptNode(figures));
    (fresh.querySelector("[role=alert]") ? fresh.querySelector("select, input:not([type=hidden])") : fresh)?.focus();
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
    " ": () => play(card?.querySelector("video")),
  };
  const own = /^[a-z]$/.test(key) ? card?.querySelector(`[data-key="${key}"]`) : null;
  if (!own && (!(key in acts) || !(card || (key === "j" && cards().length)))) return;
  event.preventDefault();
  if (own?.matches("button")) own.click();
  else if (own) own.focus();
  else acts[key]();
});

showKeys();
document.addEventListener("main-replaced", showKeys);
