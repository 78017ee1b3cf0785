// Times a rating from the moment the page can be read. Without this script the form still sends it, untimed.
for (const form of document.querySelectorAll('[data-rate]')) {
  const since = performance.now();
  form.addEventListener('submit', () => {
    form.elements.seconds.value = ((performance.now() - since) / 1000).toFixed(3);
  });
}
