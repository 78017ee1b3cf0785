"""The chance level of each facet value of a pack: what guessing gets there, 0 to 1."""

from collections.abc import Mapping

import numpy as np

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.packs.item_arrays import Mask, PackFacts

Chances = Mapping[tuple[str, str], float]  # by facet and value


def chances_of_items(facts: PackFacts, items: Mask) -> Chances:
    """The mean of 1 / options over the items with each facet value, among these items."""
    keeps = (items & (facts.options > 0))[facts.facet_places]
    groups, options = facts.facet_groups[keeps], facts.options[facts.facet_places[keeps]]
    n = np.bincount(groups, minlength=len(facts.groups))
    total = np.bincount(groups, weights=1 / options, minlength=len(facts.groups))
    return {facts.groups[number]: float(total[number] / n[number]) for number in np.flatnonzero(n)}


def with_stated_chances(chances: Chances, slug: str, strategy: str) -> Chances:
    """The chance level of each column of the boards: as the definition states it, else that of the items."""
    benchmark = BENCHMARKS.get(slug)
    known = {one.name: one for one in benchmark.strategies} if benchmark else {}
    if benchmark is None or strategy not in known:
        return chances
    groups = benchmark.level(known[strategy].level).groups
    values = [(name, value.value) for name in groups for value in benchmark.facet(name).values]
    stated = {key: benchmark.chance(strategy, key[1]) for key in values}
    return {**chances, **{key: chance for key, chance in stated.items() if chance is not None}}
