// Draws a chart from its JSON with the page's own colours, light or dark, and again when the theme changes.
const place = document.getElementById("plot");
const dark = matchMedia("(prefers-color-scheme: dark)");
const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function colourOf(role) {
  return token({ human: "human", simulated: "quiet" }[role] ?? role.replace("t", "tone-"));
}

// Categories stand down the side or along the bottom; what shares one is moved apart a little.
function traceOf(trace, number, chart) {
  const isAcross = chart.form === "across", colour = colourOf(trace.role), count = chart.traces.length;
  const shift = isAcross ? (number - (count - 1) / 2) * 0.8 / count : 0;
  const valueOf = (point) => (isAcross ? point.x : point.y);
  const most = Math.max(...trace.points.map((point) => point.count));
  const spread = {
    type: "data", symmetric: false, width: 0, thickness: 2, color: colour,
    array: trace.points.map((point) => (point.high === null ? 0 : point.high - valueOf(point))),
    arrayminus: trace.points.map((point) => (point.low === null ? 0 : valueOf(point) - point.low)),
  };
  return {
    type: "scatter", name: trace.name, mode: chart.lines ? "lines+markers" : "markers",
    x: trace.points.map((point) => point.x), y: trace.points.map((point) => point.y + shift),
    text: trace.points.map((point) => point.label), hovertemplate: "%{text}<extra>%{fullData.name}</extra>",
    [isAcross ? "error_x" : "error_y"]: spread, line: { color: colour, width: 1.5 }, cliponaxis: false,
    marker: { color: colour, symbol: trace.symbol, size: trace.points.map((point) => (most > 1 ? 6 + 22 * Math.sqrt(point.count / most) : 10)) },
  };
}

function axisOf(axis, isTurned) {
  return {
    title: { text: axis.title }, range: isTurned ? [axis.high, axis.low] : [axis.low, axis.high], automargin: true, fixedrange: true,
    tickvals: axis.ticks.map(([where]) => where), ticktext: axis.ticks.map(([, text]) => text),
    gridcolor: token("rule"), zeroline: false, color: token("ink"),
  };
}

function guessing({ x, y, diagonal }) {
  const line = { color: token("chance"), dash: "dash", width: 1 };
  const upright = { type: "line", xref: "x", yref: "paper", x0: x.guess, x1: x.guess, y0: 0, y1: 1, line };
  const level = { type: "line", xref: "paper", yref: "y", x0: 0, x1: 1, y0: y.guess, y1: y.guess, line };
  const across = { type: "line", xref: "x", yref: "y", x0: 0, y0: 0, x1: 100, y1: 100, line };
  return [...(x.guess === null ? [] : [upright]), ...(y.guess === null ? [] : [level]), ...(diagonal ? [across] : [])];
}

function draw(chart) {
  Plotly.react(place, chart.traces.map((trace, number) => traceOf(trace, number, chart)), {
    font: { family: "Inter, system-ui, sans-serif", size: 13, color: token("ink") },
    paper_bgcolor: token("raised"), plot_bgcolor: token("raised"), margin: { l: 60, r: 20, t: 20, b: 50 },
    xaxis: axisOf(chart.x), yaxis: axisOf(chart.y, chart.form === "across"), shapes: guessing(chart),
    legend: { orientation: "h", y: 1.02, yanchor: "bottom" },
    hoverlabel: { bgcolor: token("ink"), font: { color: token("paper") } },
  }, { responsive: true, displayModeBar: false });
}

fetch(place.dataset.plot).then((answer) => answer.json()).then((chart) => {
  draw(chart);
  dark.addEventListener("change", () => draw(chart));
});
