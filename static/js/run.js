// Keeps a run's page current until the run is over. Without this script the page reloads itself.
for (const live of document.querySelectorAll("[data-run-live]")) {
  const { runLive: address, runSocket: socketAddress } = live.dataset;
  let isReading = false, isDue = false, isClosed = false;

  async function readAgain() {
    if (isReading) { isDue = true; return; }
    isReading = true;
    try {
      const response = await fetch(address, { headers: { Accept: "text/html" } });
      if (response.ok) show(await response.text());
    } catch { /* the next hint or the next round tries again */ }
    isReading = false;
    if (isDue) { isDue = false; setTimeout(readAgain, 500); }
  }

  function show(html) {
    const next = new DOMParser().parseFromString(html, "text/html").body;
    const inUse = live.querySelector(".replies:has(details[open])");  // somebody reads: the list must not jump
    if (inUse) next.querySelector(".replies")?.replaceWith(inUse);
    next.querySelector(".shards")?.toggleAttribute("open", live.querySelector(".shards[open]") !== null);
    live.replaceChildren(...next.childNodes);
    if (live.querySelector("[data-run-over]")) location.reload();
  }

  if (socketAddress) {
    const socket = new WebSocket(socketAddress);
    socket.addEventListener("message", readAgain);
    addEventListener("pagehide", () => { isClosed = true; socket.close(); });
  }
  setInterval(() => { if (!isClosed && !document.hidden) readAgain(); }, 5000);
}
