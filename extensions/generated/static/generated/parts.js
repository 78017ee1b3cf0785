// Sends a file in parts and goes on where it broke off. Without this script the form sends it at once.
const PAUSE = 2000; // milliseconds between two tries

function improve(form) {
  const input = form.querySelector('input[type="file"]');
  const state = form.querySelector("[data-parts-state]");
  const bar = form.querySelector("[data-parts-progress]");
  const button = form.querySelector("button");
  const say = (words) => { state.hidden = false; state.textContent = words; };

  async function begin(file) {
    const fields = new FormData(form);
    fields.delete(input.name);
    fields.set("name", file.name);
    fields.set("size", file.size);
    return (await fetch(form.action, { method: "POST", body: fields })).json();
  }

  async function send(file, { parts, received, part }) {
    const token = form.querySelector('[name="csrfmiddlewaretoken"]').value;
    let start = received;
    while (start < file.size) {
      const end = Math.min(start + part, file.size);
      const headers = { "X-CSRFToken": token, "Content-Range": `bytes ${start}-${end - 1}/${file.size}` };
      try {
        const reply = await fetch(parts, { method: "PUT", headers, body: file.slice(start, end) });
        if (reply.status >= 500) throw new Error(reply.statusText);
        const { received: here, problem } = await reply.json();
        if (here === undefined) return problem;
        start = here;
        bar.value = (100 * start) / file.size;
        say(`${state.dataset.sending} ${Math.floor(bar.value)} %`);
      } catch {
        say(state.dataset.again);
        await new Promise((resolve) => { setTimeout(resolve, PAUSE); });
      }
    }
    return "";
  }

  form.addEventListener("submit", async (event) => {
    const [file] = input.files;
    if (!file) return; // the site says what is missing
    event.preventDefault();
    button.disabled = true;
    bar.hidden = false;
    try {
      const begun = await begin(file);
      const problem = begun.problem || await send(file, begun);
      if (!problem) return location.assign(begun.address);
      say(problem);
    } catch {
      say(state.dataset.again);
    }
    button.disabled = false;
    bar.hidden = true;
  });
}

document.querySelectorAll("[data-parts]").forEach(improve);
