// Follows packs in the making. Without this script the page loads itself again every few seconds.
const place = document.querySelector("[data-progress]");
const PAUSE = 2000;

async function look() {
  const answer = await fetch(place.dataset.progress).then((reply) => reply.json()).catch(() => null);
  if (answer === null) return setTimeout(look, PAUSE);
  const open = new Map(answer.productions.filter((one) => one.is_open).map((one) => [one.pack, one]));
  for (const section of place.querySelectorAll("[data-pack]")) {
    const bar = section.querySelector("progress");
    if (!bar) continue;
    const now = open.get(section.dataset.pack);
    if (!now) return location.reload();
    bar.max = now.total || 1;
    bar.value = now.done;
    section.querySelector("[data-done]").textContent = now.done;
    section.querySelector("[data-total]").textContent = now.total;
  }
  return open.size ? setTimeout(look, PAUSE) : null;
}

if (place.querySelector("progress")) setTimeout(look, PAUSE);
