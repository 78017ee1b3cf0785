// Somebody who comes again in the same browser goes on with a press: the key of their own address is kept here, under the
// study and the id of the link. Another browser has no such key, and the id alone opens nothing.
const shelf = {
  read(name) { try { return localStorage.getItem(name); } catch { return null; } },
  write(name, key) { try { localStorage.setItem(name, key); } catch { /* blocked: the receipt code remains */ } },
  drop(name) { try { localStorage.removeItem(name); } catch { /* blocked */ } },
};
// Staff see how many come by a link that was not filled in; scanners of links run no script.
if (document.querySelector("[data-unfilled]")) fetch(location, { method: "POST" }).catch(() => {});
const again = document.querySelector("[data-visit]");
if (again) {
  const name = `study ${again.dataset.visit}`;
  if (again.dataset.refused && shelf.read(name) === again.dataset.refused) shelf.drop(name);
  const kept = shelf.read(name);
  if (kept) {
    again.querySelector("[name=code]").value = kept;
    again.hidden = false;
    document.querySelector("[data-door]").hidden = true;
  }
  const consent = document.querySelector("[data-consent]");
  consent?.addEventListener("submit", ({ submitter }) => {
    if (submitter?.value === "yes") shelf.write(name, consent.elements.token.value);
  });
}
