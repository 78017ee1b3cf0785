// Reads a part of the page again while somebody looks at it, every ten seconds or as often as `data-every` says.
// An address that answers with the whole page is asked for the part of the same id; where that is gone, or the answer
// comes from elsewhere, the page has something new to say. Without this script the page reloads itself.
function readAgain(part, page) {
  if (!part.id) return part.replaceChildren(...page.body.childNodes);
  const fresh = page.getElementById(part.id);
  if (!fresh) return location.reload();
  if (fresh.innerHTML !== part.innerHTML) part.replaceChildren(...fresh.childNodes); // else it would be read out again
}

function watch(part) {
  const round = setInterval(async () => {
    if (!part.isConnected) return clearInterval(round);
    if (document.hidden || part.contains(document.activeElement)) return; // whoever reads with the keyboard is not moved
    try {
      const reply = await fetch(part.dataset.livePart, { headers: { Accept: "text/html" } });
      if (reply.redirected) return location.replace(reply.url);
      if (reply.ok) readAgain(part, new DOMParser().parseFromString(await reply.text(), "text/html"));
    } catch { /* the next round tries again */ }
  }, 1000 * (part.dataset.every ?? 10));
}

const watchAll = () => document.querySelectorAll("[data-live-part]").forEach(watch);
watchAll();
document.addEventListener("main-replaced", watchAll);
