// Changes the view in place, and reads it again when the figures changed. Without this script every link is a plain page.
const place = document.querySelector("[data-board]");
const status = document.querySelector("[data-board-status]");
let reading = null, shownAddress = location.pathname + location.search;

// The one in hand, so that it is in hand again afterwards: its group and its column, or what it says.
function nameOf(element) {
  const group = element.closest("[role=group], .pages")?.getAttribute("aria-label") ?? "";
  return [group, element.tagName, element.dataset.column ?? element.textContent.trim()].join("|");
}

// What a menu of the bar is called: its legend, or its only word.
const legendOf = (menu) => {
  const summary = menu.querySelector("summary");
  return (summary.querySelector("span:not(.count)") ?? summary.firstChild).textContent.trim();
};

function holdOn() {
  const held = document.activeElement, board = document.getElementById("board");
  const search = document.getElementById("search"), menu = held.closest("details.pop");
  return {
    name: place.contains(held) && held !== search ? nameOf(held) : "",
    tag: held.tagName,
    typed: held === search ? search.value : null,
    menu: menu && place.contains(menu) ? legendOf(menu) : "",
    across: board?.scrollLeft ?? 0,
  };
}

// A menu closes with a choice and has the focus; the filters stay open.
function restore({ name, tag, typed, menu, across }) {
  const board = document.getElementById("board");
  const own = [...place.querySelectorAll("details.pop")].find((one) => menu && legendOf(one) === menu);
  if (own?.classList.contains("sheet")) own.open = true;
  board?.scrollTo(across, 0);
  const search = document.getElementById("search");
  if (typed !== null && search) { search.value = typed; search.focus({ preventScroll: true }); return; }
  const named = [...place.querySelectorAll(tag)].find((one) => name && nameOf(one) === name);
  (named?.checkVisibility() ? named : own?.querySelector("summary"))?.focus({ preventScroll: true });
}

// Fetches the address and puts its view in the place of this one; what can't be read so is opened as a plain page.
async function show(address, { isOwn = true } = {}) {
  reading?.abort();
  const own = reading = new AbortController();
  place.setAttribute("aria-busy", "true");
  try {
    const cache = isOwn ? "default" : "no-cache";  // after a hint: the server shall look at its figures anew
    const reply = await fetch(address, { headers: { Accept: "text/html" }, cache, signal: own.signal });
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    const next = page.querySelector("[data-board]");
    if (!next) throw new Error("no board");
    const held = holdOn();
    place.replaceChildren(...next.childNodes);
    place.dataset.version = next.dataset.version;
    document.title = page.title;
    restore(held);
    status.textContent = isOwn ? "" : status.dataset.changed;
    place.dispatchEvent(new Event("shown", { bubbles: true }));
    shownAddress = location.pathname + location.search;
  } catch (error) {
    if (error.name !== "AbortError" && isOwn) location.assign(address);
  } finally {
    if (reading === own) { reading = null; place.removeAttribute("aria-busy"); }
  }
}

function go(address) {
  history.pushState(null, "", address);
  show(address);
}

function isOfThisBoard(link) {
  return link?.getAttribute("href")?.startsWith("?") && !new URL(link.href).searchParams.has("format");
}

function follow() {
  place.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || !isOfThisBoard(link)) return;
    event.preventDefault();
    go(link.href);
  });
  place.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = [...new FormData(event.target)].filter(([, value]) => value);
    go(`${location.pathname}?${new URLSearchParams(given)}`);
  });
  addEventListener("popstate", () => {
    if (location.pathname + location.search !== shownAddress) show(location.href);
  });
}

// A hint carries the version of the figures alone; a page in the background catches up when it is looked at.
function listen(address) {
  let heard = place.dataset.version, socket = null, isLeft = false;
  const catchUp = () => {
    if (!document.hidden && !reading && heard !== place.dataset.version) show(location.href, { isOwn: false });
  };
  const connect = () => {
    socket = new WebSocket(address);
    socket.addEventListener("message", (event) => { heard = JSON.parse(event.data).version; catchUp(); });
    socket.addEventListener("close", () => { if (!isLeft) setTimeout(connect, 5000 + 5000 * Math.random()); });
  };
  document.addEventListener("visibilitychange", catchUp);
  addEventListener("pagehide", () => { isLeft = true; socket.close(); });
  addEventListener("pageshow", (event) => { if (event.persisted) { isLeft = false; connect(); } });
  connect();
}

if (place) {
  follow();
  if (place.dataset.socket) listen(place.dataset.socket);
  else setInterval(() => { if (!document.hidden && !reading) show(location.href, { isOwn: false }); }, 60000);
}
