// Draws Figure 3 from its JSON with the page's own colours, light or dark, and again when the theme changes.
const place = document.getElementById("plot");
const dark = matchMedia("(prefers-color-scheme: dark)");

function draw({ bars, chance }) {
  const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const colours = bars.map((bar) => token(bar.role));
  const axis = { gridcolor: token("rule"), zeroline: false, color: token("quiet"), fixedrange: true };
  const trace = {
    type: "scatter", mode: "markers",
    x: bars.map((bar) => 100 * bar.mean), y: bars.map((bar) => bar.name),
    error_x: { type: "data", array: bars.map((bar) => 100 * (bar.deviation ?? 0)), color: token("chance"), thickness: 3, width: 0 },
    marker: { color: colours, size: 11 },
    customdata: bars.map((bar) => [bar.deviation === null ? "–" : (100 * bar.deviation).toFixed(1), bar.tests]),
    hovertemplate: "%{y}: %{x:.1f} % ± %{customdata[0]}, %{customdata[1]} tests<extra></extra>",
  };
  const guessing = chance === null ? [] : [{
    type: "line", xref: "x", yref: "paper", x0: 100 * chance, x1: 100 * chance, y0: 0, y1: 1,
    line: { color: token("chance"), dash: "dash", width: 1 },
  }];
  Plotly.react(place, [trace], {
    font: { family: "Inter, system-ui, sans-serif", size: 13, color: token("ink") },
    paper_bgcolor: token("raised"), plot_bgcolor: token("raised"), margin: { l: 170, r: 30, t: 20, b: 40 },
    xaxis: { ...axis, range: [0, 102], ticksuffix: " %" }, yaxis: { ...axis, automargin: true, color: token("ink") },
    shapes: guessing, hoverlabel: { bgcolor: token("ink"), font: { color: token("paper") } },
  }, { responsive: true, displayModeBar: false });
}

fetch(place.dataset.plot).then((answer) => answer.json()).then((figure) => {
  draw(figure);
  dark.addEventListener("change", () => draw(figure));
});
