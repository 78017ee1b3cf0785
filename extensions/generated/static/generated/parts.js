// Sends a file in parts and goes on where it broke off. Without this script the form sends it at once.
const PAUSE = 2000; // milliseconds between two tries

function improve(form) {
  const input = form.querySelector('input[type="file"]');
  const state = form.querySelector("[data-parts-state]");
  const bar = form.querySelector("[data-parts-progress]");
  const button = form.querySelector("button");
  const headers = { "X-CSRFToken": form.querySelector('[name="csrfmiddlewaretoken"]').value };
  const say = (words) => { state.hidden = false; state.textContent = words; };

  async function begin(file) {
    const fields = new FormData(form);
    fields.delete(input.name);
    fields.set("name", file.name);
    fields.set("size", file.size);
    const reply = await fetch(form.dataset.parts, { method: "POST", headers, body: fields });
    const begun = await reply.json();
    return reply.ok ? begun : { problem: Object.values(begun).flat().join(" ") };
  }

  async function send(file, { address, received, part }) {
    let start = received;
    while (start < file.size) {
      const end = Math.min(start + part, file.size);
      const place = { ...headers, "Content-Range": `bytes ${start}-${end - 1}/${file.size}` };
      try {
        const reply = await fetch(address, { method: "PUT", headers: place, body: file.slice(start, end) });
        if (reply.status >= 500) throw new Error(reply.statusText);
        const { received: here, detail } = await reply.json();
        if (here === undefined) return detail;
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
      if (!problem) return location.assign(begun.page);
      say(problem);
    } catch {
      say(state.dataset.again);
    }
    button.disabled = false;
    bar.hidden = true;
  });
}

document.querySelectorAll("[data-parts]").forEach(improve);
