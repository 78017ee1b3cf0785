// One press is one answer. The second press of a double click falls on the next question, which nobody has read yet: its
// buttons open a moment after they are shown, and keep their place for the keyboard. Times of answers begin when they are
// shown. Without this script the server takes no answer within half a second of another one (participation/progress.py).
const GUARD = 300; // milliseconds
const AGAIN = 3000; // after these a form that led nowhere may be sent again
const SENDING = "main form:not([data-trial]) button:not([type=button])"; // those of clips open once the clip was watched
let opensAt = 0;
let pressedAt = 0;

function hold(buttons, milliseconds) {
  for (const button of buttons) button.ariaDisabled = "true";
  setTimeout(() => { for (const button of buttons) button.ariaDisabled = null; }, milliseconds);
}

// Of what is in view from now on.
function openSoon(buttons) {
  opensAt = performance.now() + GUARD;
  hold(buttons, GUARD);
}

const inView = (form, selector) => [...form.querySelectorAll(selector)].filter((one) => !one.disabled && !one.closest("[hidden]"));

document.addEventListener("DOMContentLoaded", () => { // after the scripts that close buttons for reasons of their own
  const buttons = inView(document, SENDING);
  if (buttons.length) openSoon(buttons);
});
document.addEventListener("pointerdown", (event) => { pressedAt = event.timeStamp; }, true);
// A press that began too early may end on a button that is open by then; one of the keyboard has no detail.
document.addEventListener("click", (event) => {
  const isEarly = event.detail > 0 && pressedAt < opensAt && event.target.closest(SENDING);
  if (!isEarly && !event.target.closest("[aria-disabled=true]")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}, true);
document.addEventListener("submit", (event) => {
  if (!event.defaultPrevented) hold(inView(event.target, "button"), AGAIN);
});

// What tells a person from a program that steers the browser: the server only notes it (studies/programs.py).
const RECENT = 1000; // milliseconds before an answer in which a person has pressed, touched or moved something
let inputs = 0;
let inputAt = -RECENT;
for (const kind of ["pointermove", "pointerdown", "touchstart", "keydown", "click", "wheel"]) {
  document.addEventListener(kind, ({ isTrusted }) => { if (isTrusted) { inputs += 1; inputAt = performance.now(); } }, { capture: true, passive: true });
}
const forgetInputs = () => { inputs = 0; };
function personSigns() {
  const signs = { webdriver: navigator.webdriver, headless: /Headless/.test(navigator.userAgent), untrusted: performance.now() - inputAt > RECENT };
  return { automation: Object.keys(signs).filter((name) => signs[name]).join(" "), inputs };
}
