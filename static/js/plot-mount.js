// Mounts Plotly's figure as the site describes it, in light or dark colours; a page follows a change of its theme.
const place = document.getElementById("plot");
const dark = matchMedia("(prefers-color-scheme: dark)");

function mount(figures) {
  const { data, layout } = (dark.matches && figures.dark) || figures.light;
  Plotly.react(place, data, layout, { responsive: true, displayModeBar: false });
}

function mountAndFollow(figures) {
  mount(figures);
  dark.addEventListener("change", () => mount(figures));
}

const held = document.getElementById("figure"); // in a file of its own
if (held) mount(JSON.parse(held.textContent));
else fetch(place.dataset.plot).then((answer) => answer.json()).then(mountAndFollow);
