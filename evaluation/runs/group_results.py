"""A run's scores of groups of questions; a group has a score only if each of its questions is answered."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import QuerySet

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import Item, Pack
from benchmarks.packs.clusters import labels_of_groups
from evaluation.models import Score
from measures.scores.group_scores import group_scores, guessed

CELL = "reading__response__cell"


@dataclass(frozen=True)
class PackGroup:
    """One group of a pack, with its items in their order."""

    items: tuple[int, ...]
    rule: str
    chance: float
    is_whole: bool  # it has as many questions as its benchmark asks for
    label: int  # its cluster: see benchmarks/packs/clusters.py


@dataclass(frozen=True)
class ScoredGroups:
    """The scores of each group, one per seed, and the groups with only some of their questions answered."""

    scores: Mapping[str, list[float]]
    incomplete: frozenset[str]


def groups_of(pack: Pack, strategy: str) -> dict[str, PackGroup]:
    """The groups of the questions that this strategy asks; {} if the benchmark has none."""
    benchmark = BENCHMARKS.get(pack.benchmark)
    if benchmark is None or benchmark.groups is None:
        return {}
    kinds = next((one.kinds for one in benchmark.strategies if one.name == strategy), ())
    items = pack.items.filter(kind__in=kinds).exclude(group="")
    labels = labels_of_groups(items)
    found: dict[str, list[Item]] = {}
    for item in items.order_by("group", "place", "pk").only("group", "rule", "options"):
        found.setdefault(item.group, []).append(item)
    size = benchmark.groups.size
    return {name: _group(members, size, labels[members[0].pk]) for name, members in found.items()}


def _group(members: list[Item], size: int, label: int) -> PackGroup:
    rule = members[0].rule
    chance = guessed(rule, [1 / len(item.options) if item.options else 0.0 for item in members])
    return PackGroup(tuple(item.pk for item in members), rule, chance, size in (0, len(members)), label)


def scored_groups(scores: QuerySet[Score], groups: Mapping[str, PackGroup]) -> ScoredGroups:
    """The group scores that follow from these scores of one run."""
    place_of = {item: (name, place) for name, group in groups.items() for place, item in enumerate(group.items)}
    rows = scores.order_by().values_list(f"{CELL}__item_id", f"{CELL}__seed", "value")
    answers = [(*place_of[item], seed, value) for item, seed, value in rows.iterator() if item in place_of]
    sizes = {name: len(group.items) for name, group in groups.items() if group.is_whole}
    found = group_scores(answers, {name: group.rule for name, group in groups.items()}, sizes)
    return ScoredGroups(found, frozenset(Counter(name for name, *_ in answers).keys() - found.keys()))
