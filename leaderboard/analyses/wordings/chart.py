"""Accuracy in each wording of the same questions."""

from leaderboard.analyses.wordings.section import Found
from leaderboard.charts.chart import MOST, PER_CENT, UPWARDS, Axis, Chart, Point, Trace
from leaderboard.exports.table import Table


def wordings_chart(found: Found) -> Chart:
    """The accuracy of the first models in each wording; wordings from papers come first."""
    names = list(dict.fromkeys(one["name"] for _row, _title, figures in found for one in figures["each"]))
    ours = {one["name"] for _row, _title, figures in found for one in figures["each"] if one["ours"]}
    titles = [f"{name} (ours)" if name in ours else name for name in names]
    traces, body = [], []
    for row, title, figures in found:
        scores = {one["name"]: 100 * one["score"] for one in figures["each"]}
        points = [Point(names.index(name), value, f"{name} {value:.1f} %") for name, value in scores.items()]
        traces.append(Trace(f"{row.name}, {title}", tuple(points)))
        body.append((row.name, str(title), *(round(scores[name], 1) if name in scores else None for name in names)))
    title = "Accuracy by wording"
    return Chart(
        title=title,
        form=UPWARDS,
        x=Axis("", -0.4, max(0, len(names) - 1) + 0.4, tuple(enumerate(map(str, range(1, len(names) + 1))))),
        y=Axis("Accuracy in per cent", 0, 100, PER_CENT),
        traces=tuple(traces[:MOST]),
        table=Table(title, ("Model or group", "Prompting", *titles), tuple(body)),
        note="; ".join(f"{number}: {name}" for number, name in enumerate(titles, start=1)) + ".",
        has_lines=True,
    )
