// Tells the width of the page with the consent. Without this script a study that asks for a width lets nobody in, and says so.
for (const field of document.querySelectorAll("[data-page-width]")) {
  const measure = () => { field.value = innerWidth; };
  measure();
  addEventListener("resize", measure);
}
// A browser that can't show a small clip of the kind that the study has learns it before anybody agrees. One that won't play
// by itself has still decoded the first picture; a page out of view shows none, and is not judged.
const PATIENCE = 8000; // milliseconds from the start of the clip to its first picture
for (const clip of document.querySelectorAll("[data-probe]")) {
  const judge = (isShown) => {
    document.querySelector("[data-unplayable]").hidden = isShown;
    document.querySelector("[data-consent] [value=yes]").disabled = !isShown;
  };
  const fail = () => { if (clip.error?.code !== MediaError.MEDIA_ERR_NETWORK) judge(false); };
  clip.addEventListener("error", fail);
  if (clip.error) fail();
  clip.play().then(() => {
    if (!clip.requestVideoFrameCallback) return;
    const timer = setTimeout(() => { if (!document.hidden) judge(false); }, PATIENCE);
    clip.requestVideoFrameCallback(() => { clearTimeout(timer); judge(true); });
  }, () => {});
}
