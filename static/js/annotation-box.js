// Draws the box on the picture: by mouse or finger with Annotorious, by keys on a button, by numbers in the fields. All three are one box.
const STEP = 8;
const SHAPE = 'RECTANGLE';

function boxOf(form) {
  const [left, top, width, height] = ['left', 'top', 'width', 'height'].map((name) => form.elements[name].value.trim());
  return [left, top, width, height].every((text) => /^\d+$/.test(text)) && +width > 0 && +height > 0
    ? { left: +left, top: +top, width: +width, height: +height } : null;
}

function start(form) {
  const picture = form.querySelector('[data-frame]');
  const whole = { width: +form.dataset.width, height: +form.dataset.height };
  const said = form.querySelector('[data-said]');
  const keys = form.querySelector('[data-keys]');
  const annotator = Annotorious.createImageAnnotator(picture, { drawingEnabled: true, drawingMode: 'drag' });
  const scale = () => picture.naturalWidth / whole.width;

  const write = (box) => {
    for (const name of ['left', 'top', 'width', 'height']) form.elements[name].value = box ? Math.round(box[name]) : '';
    const words = box ? said.dataset.text : said.dataset.none;
    said.textContent = words.replace(/\{(\w+)\}/g, (_, name) => Math.round(box[name]));
  };

  const within = (box) => {
    const width = Math.min(Math.max(Math.round(box.width), STEP), whole.width);
    const height = Math.min(Math.max(Math.round(box.height), STEP), whole.height);
    const left = Math.min(Math.max(Math.round(box.left), 0), whole.width - width);
    const top = Math.min(Math.max(Math.round(box.top), 0), whole.height - height);
    return { left, top, width, height };
  };

  const draw = (box) => {
    annotator.setAnnotations([]);
    if (!box) return;
    const [x, y, w, h] = [box.left, box.top, box.width, box.height].map((edge) => edge * scale());
    const geometry = { x, y, w, h, bounds: { minX: x, minY: y, maxX: x + w, maxY: y + h } };
    annotator.addAnnotation({ id: 'box', bodies: [], target: { annotation: 'box', selector: { type: SHAPE, geometry } } });
  };

  const read = (annotation) => {
    const { minX, minY, maxX, maxY } = annotation.target.selector.geometry.bounds;
    const [left, top, right, bottom] = [minX, minY, maxX, maxY].map((edge) => edge / scale());
    return within({ left, top, width: right - left, height: bottom - top });
  };

  annotator.on('createAnnotation', (annotation) => {
    for (const other of annotator.getAnnotations()) if (other.id !== annotation.id) annotator.removeAnnotation(other.id);
    write(read(annotation));
  });
  annotator.on('updateAnnotation', (annotation) => write(read(annotation)));
  annotator.on('deleteAnnotation', () => write(null));

  // The library's handles are nameless stops for the Tab key; the button and the fields do what they do.
  const silence = () => {
    for (const handle of form.querySelectorAll('.a9s-annotationlayer [tabindex="0"]')) {
      handle.setAttribute('tabindex', '-1');
      handle.setAttribute('aria-hidden', 'true');
    }
  };
  new MutationObserver(silence).observe(form.querySelector('[data-canvas]'), { childList: true, subtree: true });
  silence();

  const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  keys.hidden = false;
  keys.addEventListener('click', (event) => event.preventDefault());
  keys.addEventListener('keydown', (event) => {
    const box = boxOf(form);
    let next;
    if (event.key === 'Enter' || event.key === ' ') {
      next = box ?? { left: whole.width / 4, top: whole.height / 4, width: whole.width / 2, height: whole.height / 2 };
    } else if (event.key === 'Delete' || event.key === 'Backspace') next = null;
    else if (event.key in moves && box) {
      const [x, y] = moves[event.key].map((way) => way * (event.ctrlKey ? 1 : STEP));
      next = event.shiftKey
        ? { ...box, width: box.width + x, height: box.height + y }
        : { ...box, left: box.left + x, top: box.top + y };
    } else return;
    event.preventDefault();
    const kept = next && within(next);
    write(kept);
    draw(kept);
  });
  for (const name of ['left', 'top', 'width', 'height']) {
    form.elements[name].addEventListener('input', () => draw(boxOf(form)));
  }
  draw(boxOf(form));
}

for (const form of document.querySelectorAll('form[data-box]')) {
  const picture = form.querySelector('[data-frame]');
  if (picture.complete && picture.naturalWidth) start(form);
  else picture.addEventListener('load', () => start(form), { once: true });
}
