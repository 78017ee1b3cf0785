"""Attacks on response times: pages of single items, and reports on right and wrong answers."""

from functools import partial

from tests.seals.attacker import Attacker, Target, clocked
from tests.seals.learning import guesses


def pages(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from the shortest response time of each item's page."""
    features = {}
    for item in sorted((*target.ids, *target.told)):  # in mixed order, so that a busy moment affects both answers alike
        address = f"/benchmarks/{target.benchmark}/items/{item}/"
        features[item] = {"page": clocked(partial(attacker.visitor.get, address))}
    return guesses(target, features)


def reports(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from the time of an upload with one answer, once the first option and once the second."""
    features = {}
    for item in sorted((*target.ids, *target.told)):  # in mixed order, so that a busy moment affects both answers alike
        times = [
            clocked(partial(attacker.upload, target, [{"item": item, "answer": option}]), times=2)
            for option in target.options
        ]
        features[item] = {"apart": times[0] - times[1], "first": times[0], "second": times[1]}
    return guesses(target, features)
