"""The surprise of prediction models on the board at one item, beside the presses of people."""

from collections.abc import Collection

from benchmarks.models import Item
from evaluation.models import ModelResponse
from evaluation.parsing.numeric_replies import surprises_in
from humantrials.models import Trial
from humantrials.results.moments import presses_at
from leaderboard.analyses.surprise.chart import Curve, press_curve, surprise_chart
from leaderboard.charts.chart import Chart
from leaderboard.items.item_detail import BY_SURPRISE, listed_runs
from measures.scores.clip_surprise import NotSurprises

MOST = 6  # models


def chart_at(item: Item, trials: Collection[Trial], marks_violation: bool) -> Chart | None:
    """Curves of prediction models and of people's presses; the violation is marked once the answer is requested."""
    if item.clip is None:
        return None
    curves = [*presses_of(item, trials), *curves_at(item)]
    if not curves:
        return None
    violation = item.clip.facts.get("first_violation") if marks_violation else None
    marks = [("Physics is broken", float(violation["seconds"]))] if violation else []
    return surprise_chart(curves, item.clip.seconds, marks)


def presses_of(item: Item, trials: Collection[Trial]) -> list[Curve]:
    """A curve of people and one of simulated people, if any pressed in a study that may be read."""
    if item.kind != "plausibility" or item.clip is None:
        return []
    named = (("People's presses", False), ("Simulated people's presses", True))
    found = ((name, presses_at(item, trials, is_simulated=is_simulated)) for name, is_simulated in named)
    return [press_curve(name, presses, item.clip.seconds) for name, presses in found if presses]


def curves_at(item: Item) -> list[tuple[str, list[float], list[float]]]:
    """Name, seconds and surprises of each run's first seed; windows without times are spread evenly."""
    if item.kind != "plausibility":
        return []
    found = ModelResponse.objects.filter(cell__item=item, cell__run__in=listed_runs(item))
    found = found.filter(cell__run__strategy__in=BY_SURPRISE).select_related("cell__run__model")
    seconds = item.clip.seconds if item.clip else 0.0
    curves: dict[int, tuple[str, list[float], list[float]]] = {}
    for response in found.order_by("cell__run_id", "cell__seed")[: 4 * MOST]:
        try:
            values, times = surprises_in(response.raw)
        except NotSurprises:
            continue
        times = times or [seconds * (place + 1) / len(values) for place in range(len(values))]
        curves.setdefault(response.cell.run_id, (response.cell.run.model.name, times, values))
    return list(curves.values())[:MOST]
