// Checks the design of a new study when a field was changed. Without this script, a button does.
const form = document.querySelector("[data-design]");
let rounds = 0;

async function check() {
  const round = ++rounds;
  const typed = new FormData(form);
  typed.set("check", "1");
  try {
    const reply = await fetch(location.href, { method: "POST", body: typed });
    const fresh = new DOMParser().parseFromString(await reply.text(), "text/html").getElementById("design");
    if (fresh && round === rounds) document.getElementById("design").replaceChildren(...fresh.childNodes);
  } catch { /* the next change tries again */ }
}

form.addEventListener("change", check);
if (!form.querySelector(".errorlist")) check();
