// Draws the box on the picture by mouse, finger or keys. The four number fields hold the box and nothing else does: every way of
// drawing writes them, and the picture is drawn from them. What the picture shows goes with the form, and the server compares.
const EDGES = ['left', 'top', 'width', 'height'];
const CORNER = ['x', 'y', 'width', 'height'];
const LEAST = 4; // pixels of the clip: the shortest side that the server takes
const STEP = 8; // pixels of the clip for one press of an arrow key
const STILL = 4; // pixels of the screen: a shorter drag is a click
const REACH = { mouse: 8, pen: 12, touch: 20 }; // pixels of the screen around an edge that take hold of it

const between = (value, low, high) => Math.min(Math.max(Math.round(value), low), high);

// One side of the box runs from low to high; these give it for where the pointer is, within the frame of so many pixels.
const drawn = (from, most) => (to) => {
  const [a, b] = [between(from, 0, most), between(to, 0, most)];
  const low = Math.min(a, b, most - LEAST);
  return [low, Math.max(a, b, low + LEAST)];
};
const moved = ([low, high], from, most) => (to) => {
  const way = between(to - from, -low, most - high);
  return [low + way, high + way];
};
const sized = ([low, high], end, from, most) => (to) => {
  if (end === 0) return [low, high];
  return end < 0 ? drawn(high, most)(low + to - from) : drawn(low, most)(high + to - from);
};

// Which end of a side the pointer has hold of: -1, 1, 0 for what lies between, null for outside. Half of a small box can be moved.
function endAt(value, [low, high], reach) {
  const inside = Math.min(reach, (high - low) / 4);
  if (value < low - reach || value > high + reach) return null;
  if (value <= low + inside) return -1;
  return value >= high - inside ? 1 : 0;
}

function start(form) {
  const canvas = form.querySelector('[data-canvas]');
  const svg = canvas.querySelector('svg');
  const rectangle = svg.querySelector('[data-rectangle]');
  const handles = svg.querySelector('[data-handles]');
  const announced = form.querySelector('[data-announced]');
  const keys = form.querySelector('[data-keys]');
  const undo = form.querySelector('[data-undo]');
  const remove = form.querySelector('[data-remove]');
  const fields = EDGES.map((name) => form.elements[name]);
  const { width: wide, height: high } = svg.viewBox.baseVal;
  const past = [];
  let drag = null;

  const typed = () => fields.map((field) => plainDigits(field.value));
  let settled = typed();

  const box = () => {
    const texts = typed();
    const [left, top, width, height] = texts.map(Number);
    return texts.every((text) => /^\d+$/.test(text)) && width > 0 && height > 0
      ? { across: [left, left + width], down: [top, top + height] } : null;
  };

  const show = () => {
    const found = box();
    for (const part of [rectangle, handles]) part.toggleAttribute('hidden', !found);
    for (const name of CORNER) rectangle.removeAttribute(name);
    if (found) {
      const { across: [left, right], down: [top, bottom] } = found;
      [left, top, right - left, bottom - top].forEach((value, at) => rectangle.setAttribute(CORNER[at], value));
      const [middle, centre] = [(left + right) / 2, (top + bottom) / 2];
      const points = [[left, top], [middle, top], [right, top], [right, centre], [right, bottom], [middle, bottom],
        [left, bottom], [left, centre]];
      handles.setAttribute('d', points.map(([x, y]) => `M${x} ${y}h0`).join(''));
    }
    form.elements.shown.value = found ? CORNER.map((name) => rectangle.getAttribute(name)).join(' ') : 'none';
    undo.disabled = past.length === 0;
    remove.disabled = !found;
  };

  const write = (next) => {
    const values = next
      ? [next.across[0], next.down[0], next.across[1] - next.across[0], next.down[1] - next.down[0]] : ['', '', '', ''];
    fields.forEach((field, at) => { field.value = values[at]; });
    show();
  };

  // A change is done: it can be undone, and is told to who can't see it.
  const settle = () => {
    if (typed().join() === settled.join()) return;
    past.push(settled);
    settled = typed();
    show();
    const values = Object.fromEntries(EDGES.map((name, at) => [name, settled[at]]));
    announced.textContent = (box() ? announced.dataset.text : announced.dataset.none).replace(/\{(\w+)\}/g, (_, name) => values[name]);
  };

  const takeBack = () => {
    if (past.length === 0) return;
    const before = past.pop();
    fields.forEach((field, at) => { field.value = before[at]; });
    settled = before;
    show();
  };

  // Where the pointer is in pixels of the clip, whatever the size on the screen and the zoom.
  const place = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
  const grip = (event, at) => {
    const reach = (REACH[event.pointerType] ?? REACH.mouse) / svg.getScreenCTM().a;
    const found = box();
    const ends = found && [endAt(at.x, found.across, reach), endAt(at.y, found.down, reach)];
    return ends && !ends.includes(null) ? { found, ends } : null;
  };
  const begun = (event) => {
    const at = place(event);
    const held = grip(event, at);
    if (!held) return { across: drawn(at.x, wide), down: drawn(at.y, high) };
    const { found: { across, down }, ends: [x, y] } = held;
    return x === 0 && y === 0
      ? { across: moved(across, at.x, wide), down: moved(down, at.y, high) }
      : { across: sized(across, x, at.x, wide), down: sized(down, y, at.y, high) };
  };
  const CURSORS = { '0,0': 'move', '-1,-1': 'falling', '1,1': 'falling', '-1,1': 'rising', '1,-1': 'rising' };
  const point = (event) => {
    const held = grip(event, place(event));
    canvas.dataset.over = !held ? 'nothing' : CURSORS[held.ends.join()] ?? (held.ends[0] ? 'across' : 'down');
  };

  canvas.addEventListener('pointerdown', (event) => {
    if (drag || event.button !== 0 || !event.isPrimary) return;
    drag = { id: event.pointerId, x: event.clientX, y: event.clientY, before: typed(), has: begun(event), hasMoved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!drag) point(event);
    if (drag?.id !== event.pointerId) return;
    drag.hasMoved ||= Math.hypot(event.clientX - drag.x, event.clientY - drag.y) >= STILL;
    if (!drag.hasMoved) return;
    const at = place(event);
    write({ across: drag.has.across(at.x), down: drag.has.down(at.y) });
  });
  canvas.addEventListener('pointerup', (event) => {
    if (drag?.id !== event.pointerId) return;
    drag = null;
    settle();
  });
  // The browser took the gesture, for a zoom with two fingers: the box is what it was.
  canvas.addEventListener('pointercancel', (event) => {
    if (drag?.id !== event.pointerId) return;
    fields.forEach((field, at) => { field.value = drag.before[at]; });
    drag = null;
    show();
  });
  // Else Chromium makes a fling of a finger that leaves the picture at speed, though nothing scrolls, and takes the next tap,
  // on "Go on", for the one that stops it. Two fingers may still zoom.
  canvas.addEventListener('touchmove', (event) => {
    if (drag && event.touches.length === 1 && event.cancelable) event.preventDefault();
  }, { passive: false });
  canvas.addEventListener('dragstart', (event) => event.preventDefault());

  const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  keys.addEventListener('keydown', (event) => {
    const found = box();
    let next;
    if (event.key === 'Enter' || event.key === ' ') {
      next = found ?? { across: drawn(wide / 4, wide)(wide * 0.75), down: drawn(high / 4, high)(high * 0.75) };
    } else if (event.key === 'Delete' || event.key === 'Backspace') next = null;
    else if (event.key in ways && found) {
      const [x, y] = ways[event.key].map((way) => way * (event.ctrlKey ? 1 : STEP));
      const { across: [left, right], down: [top, bottom] } = found;
      next = event.shiftKey
        ? { across: [left, between(right + x, left + LEAST, wide)], down: [top, between(bottom + y, top + LEAST, high)] }
        : { across: moved(found.across, 0, wide)(x), down: moved(found.down, 0, high)(y) };
    } else return;
    event.preventDefault();
    write(next);
    settle();
  });
  form.addEventListener('keydown', (event) => {
    const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'z';
    if (!isUndo || event.target.matches('input')) return;
    event.preventDefault();
    takeBack();
  });

  for (const field of fields) {
    field.addEventListener('input', show);
    field.addEventListener('change', settle);
  }
  undo.addEventListener('click', takeBack);
  remove.addEventListener('click', () => { write(null); settle(); });
  for (const part of form.querySelectorAll('[data-drawing]')) part.hidden = false;
  show();
}

for (const form of document.querySelectorAll('form[data-box]')) start(form);
