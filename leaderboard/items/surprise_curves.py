"""The surprise of prediction models on the board at one item."""

from benchmarks.models import Item
from evaluation.models import ModelResponse
from evaluation.parsing.surprise import surprises_in
from leaderboard.items.item_detail import BY_SURPRISE, listed_runs
from measures.scores.clip_surprise import NotSurprises

MOST = 6  # models


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
