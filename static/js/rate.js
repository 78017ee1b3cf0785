// A page with one question: answers open when all its pictures are shown, and are timed from then. Without this script the
// form still sends its answer, untimed.
for (const form of document.querySelectorAll("[data-rate]")) {
  const pictures = [...form.querySelectorAll("img")];
  const buttons = [...form.querySelectorAll("button[name=answer]")];
  const waiting = form.querySelector("[data-waiting]");
  const failure = form.querySelector("[data-failure]");
  let since = performance.now();

  function open(isOpen) {
    for (const button of buttons) button.disabled = !isOpen;
    if (isOpen) openSoon(buttons);
    if (waiting) waiting.hidden = isOpen;
  }

  function hideFailure() {
    document.activeElement.blur(); // hidden now: a key pressed at once is meant for the answers
    failure.hidden = true;
  }

  // Ready to be painted, and a frame later painted.
  function show() {
    open(false);
    Promise.all(pictures.map((one) => one.decode())).then(
      () => requestAnimationFrame(() => { since = performance.now(); open(true); }),
      () => { waiting.hidden = true; failure.hidden = false; failure.querySelector("[data-retry]").focus(); },
    );
  }

  if (pictures.length) {
    failure.querySelector("[data-retry]").addEventListener("click", () => {
      hideFailure();
      for (const one of pictures) if (!one.naturalWidth) one.src = one.src; // asks for it again
      show();
    });
    failure.querySelector("[data-anyway]").addEventListener("click", () => {
      hideFailure();
      form.elements.problem.value = "picture";
      since = performance.now();
      open(true);
    });
    show();
  }
  form.addEventListener("submit", () => {
    form.elements.seconds.value = ((performance.now() - since) / 1000).toFixed(3);
    for (const [name, value] of Object.entries(personSigns())) {
      const field = form.elements[name]; // not after an answer: how sure, and why
      if (field) field.value = value;
    }
  });
}
