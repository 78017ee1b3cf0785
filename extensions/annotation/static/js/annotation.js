// Of a stage's form: times it, and lets it be sent once every video was watched to its end. Without this script it can be sent at once.
const since = performance.now();

for (const alarm of document.querySelectorAll('[data-errors]')) alarm.focus();

for (const form of document.querySelectorAll('form[data-work]')) {
  const films = [...form.querySelectorAll('video[data-watch]')];
  const send = form.querySelector('[data-send]');
  const hint = form.querySelector('[data-hint]');
  const wasSent = form.elements.seconds.dataset.seconds !== '';
  const waiting = new Set(wasSent ? [] : films);
  const show = () => {
    send.disabled = waiting.size > 0;
    hint.hidden = waiting.size === 0;
  };
  const isOver = (film) => {
    waiting.delete(film);
    const mark = film.closest('figure')?.querySelector('[data-seen]');
    if (mark) mark.hidden = false;
    show();
  };
  for (const film of films) {
    const failure = film.parentElement.querySelector('[data-failure]');
    film.addEventListener('ended', () => {
      let played = 0;
      for (let part = 0; part < film.played.length; part += 1) played += film.played.end(part) - film.played.start(part);
      if (played >= 0.95 * film.duration) isOver(film);
    });
    // Whoever can't watch it must be able to say so, by a flag or a bad question, and go on.
    film.addEventListener('error', () => { failure.hidden = false; isOver(film); });
    failure.querySelector('[data-again]').addEventListener('click', () => { failure.hidden = true; film.load(); });
  }
  show();
  form.addEventListener('submit', () => {
    form.elements.seconds.value = ((performance.now() - since) / 1000).toFixed(3);
  });
}
