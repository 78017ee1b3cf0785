// Beside "Clips" a form offers what their benchmark has. Without this script it offers everything.
function offer(form) {
  const pack = form.querySelector("select[name=pack]");
  const selects = [...form.querySelectorAll("select")];

  function follow() {
    const title = pack.selectedOptions[0].text; // "GRASP: Official clips"; groups of choices have the benchmark's title
    for (const group of form.querySelectorAll("optgroup")) {
      group.hidden = group.disabled = pack.value !== "" && !title.startsWith(`${group.label}: `);
    }
    for (const select of selects) choose(select);
  }

  pack.addEventListener("change", follow);
  follow();
}

// The same value if it is offered still, else the first that is.
function choose(select) {
  if (!select.selectedOptions[0]?.parentElement.disabled) return;
  const offered = [...select.options].filter((option) => !option.parentElement.disabled);
  (offered.find((option) => option.value === select.value) ?? offered[0]).selected = true;
}

const offerAll = () => document.querySelectorAll("[data-pack-choices]").forEach(offer);
offerAll();
document.addEventListener("main-replaced", offerAll);
