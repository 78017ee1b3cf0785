// What a page tells of the equipment before the clips. Without this script a study that asks for a width lets nobody in, and
// says so; the size of a card can be left out.
for (const field of document.querySelectorAll("[data-page-width]")) {
  const measure = () => { field.value = innerWidth; };
  measure();
  addEventListener("resize", measure);
}
const SHORT = 53.98 / 85.6; // of a card's long side
for (const slider of document.querySelectorAll("[data-card-slider]")) {
  const card = document.querySelector("[data-card]");
  const form = slider.closest("form");
  form.hidden = false;
  const room = form.clientWidth;
  const isUpright = room < 450; // CSS pixels: the long side of a card does not fit on a phone held upright
  slider.max = Math.min(slider.max, Math.floor(room / (isUpright ? SHORT : 1)));
  const fit = () => {
    card.setAttribute("width", Math.round(slider.value * (isUpright ? SHORT : 1)));
    card.setAttribute("height", Math.round(slider.value * (isUpright ? 1 : SHORT)));
  };
  slider.addEventListener("input", fit);
  fit();
}
