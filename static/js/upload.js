// Drop a file, see how much has been sent. Without this script the form sends the file all the same.
function improve(form) {
  const drop = form.querySelector("[data-drop]");
  const input = form.querySelector('input[type="file"]');
  const state = form.querySelector("[data-upload-state]");
  const bar = form.querySelector("[data-upload-progress]");
  const say = (words) => { state.hidden = false; state.textContent = words; };
  form.querySelector("[data-drop-words]").hidden = false;

  for (const kind of ["dragenter", "dragover"]) {
    drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("over"); });
  }
  drop.addEventListener("dragleave", (event) => {
    if (!drop.contains(event.relatedTarget)) drop.classList.remove("over");
  });
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    if (event.dataTransfer.files.length) input.files = event.dataTransfer.files;
  });

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    const request = new XMLHttpRequest(); // fetch can't tell how much has been sent
    const fail = () => { button.disabled = false; bar.hidden = true; say(state.dataset.lost); };
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      bar.value = (100 * loaded) / total;
      say(`${state.dataset.sending} ${Math.floor(bar.value)} %`);
    });
    request.upload.addEventListener("load", () => say(state.dataset.checking));
    request.addEventListener("load", () => arrive(request, fail));
    request.addEventListener("error", fail);
    request.open("POST", form.action);
    request.send(new FormData(form));
    button.disabled = true;
    bar.hidden = false;
  });
}

// A stored file or a report has an address of its own; what the form itself has to say is shown in its place.
function arrive(request, fail) {
  if (request.status >= 500 || !request.responseURL) return fail();
  if (new URL(request.responseURL).pathname !== location.pathname) return location.assign(request.responseURL);
  const page = new DOMParser().parseFromString(request.responseText, "text/html");
  const main = page.querySelector("main");
  if (!main) return fail();
  document.querySelector("main").replaceWith(document.adoptNode(main));
  document.querySelectorAll("[data-upload]").forEach(improve);
  document.dispatchEvent(new Event("main-replaced")); // what else runs on the page finds its new parts
  document.querySelector('[aria-invalid="true"]')?.focus();
}

document.querySelectorAll("[data-upload]").forEach(improve);
