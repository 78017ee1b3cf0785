// Tells the width of the page with the consent. Without this script a study that asks for a width lets nobody in, and says so.
for (const field of document.querySelectorAll("[data-page-width]")) {
  const measure = () => { field.value = innerWidth; };
  measure();
  addEventListener("resize", measure);
}
