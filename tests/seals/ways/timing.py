"""Attacks on response times: pages of single items, and reports on right and wrong answers."""

from functools import partial

from tests.seals.attacker import Attacker, Target, clocked
from tests.seals.learning import guesses


def pages(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from the shortest response time of each item's page."""
    features = {}
    for item in sorted((*target.ids, *target.told)):  # in mixed order, so that a busy moment affects both answers alike
        address = f"/benchmarks/{target.benchmark}/items/{item}/"
        cost = clocked(partial(attacker.visitor.get, address))
        features[item] = {"clock": cost.clock, "processor": cost.processor}
    return guesses(target, features)


def reports(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from the time of an upload with one answer, once the first option and once the second."""
    features = {}
    for item in sorted((*target.ids, *target.told)):  # in mixed order, so that a busy moment affects both answers alike
        costs = [
            clocked(partial(attacker.upload, target, [{"item": item, "answer": option}]), times=2)
            for option in target.options
        ]
        features[item] = {
            name: figure
            for unit in ("clock", "processor")
            for name, figure in _apart(unit, *(getattr(cost, unit) for cost in costs)).items()
        }
    return guesses(target, features)


def _apart(unit: str, first: float, second: float) -> dict[str, float]:
    return {f"{unit} apart": first - second, f"{unit} first": first, f"{unit} second": second}
