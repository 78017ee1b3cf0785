"""The design of a study that rates predictions: whole predictions are dealt to sheets. Pure, as design.py."""

from collections import defaultdict
from collections.abc import Sequence

from humantrials.design import PlannedSlot, PoolItem, Sheet, lot

A_SHEET = 10  # predictions


def sheets_of_predictions(pool: Sequence[PoolItem], replicates: int, seed: int) -> tuple[Sheet, ...]:
    """For each replicate all predictions in an order of its own, ten a sheet, as evenly as they go."""
    questions = by_prediction(pool)
    sheets = []
    for replicate in range(replicates):
        order = sorted(questions, key=lambda name: lot(f"{seed}/sheets/{replicate}", name))
        count = -(-len(order) // A_SHEET)
        for number in range(count):
            own = order[number::count]
            sheets.append(tuple(PlannedSlot(item, replicate) for name in own for item in questions[name]))
    return tuple(sheets)


def draw_predictions(pool: Sequence[PoolItem], wanted: int, seed: int) -> list[str]:
    """The questions about so many predictions."""
    questions = by_prediction(pool)
    chosen = sorted(questions, key=lambda name: lot(f"{seed}/pool", name))[:wanted]
    return sorted(item for name in chosen for item in questions[name])


def by_prediction(pool: Sequence[PoolItem]) -> dict[str, list[str]]:
    """Prediction -> the questions about it, in one order."""
    found: dict[str, list[str]] = defaultdict(list)
    for one in sorted(pool, key=lambda one: one.item):
        found[one.group].append(one.item)
    return found
