// Mounts Plotly's figure as the site describes it. On a page its colours are the style sheet's, light or dark, and change with the theme.
const place = document.getElementById("plot");
const dark = matchMedia("(prefers-color-scheme: dark)");
const token = (_, name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function mount(text) {
  const { data, layout, config } = JSON.parse(text.replace(/var\(--([\w-]+)\)/g, token));
  Plotly.react(place, data, layout, config);
}

function mountAndFollow(text) {
  mount(text);
  dark.addEventListener("change", () => mount(text));
}

const held = document.getElementById("figure"); // in a file of its own
if (held) mount(held.textContent);
else fetch(place.dataset.plot).then((answer) => answer.text()).then(mountAndFollow);
