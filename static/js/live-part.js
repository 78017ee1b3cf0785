// Reads a part of the page again every ten seconds while somebody looks at it. Without this script the page reloads itself.
for (const part of document.querySelectorAll("[data-live-part]")) {
  setInterval(async () => {
    if (document.hidden || part.contains(document.activeElement)) return; // whoever reads with the keyboard is not moved
    try {
      const reply = await fetch(part.dataset.livePart, { headers: { Accept: "text/html" } });
      if (reply.ok) part.replaceChildren(...new DOMParser().parseFromString(await reply.text(), "text/html").body.childNodes);
    } catch { /* the next round tries again */ }
  }, 10000);
}
