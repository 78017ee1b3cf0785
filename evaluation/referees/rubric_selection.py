"""Selects the rubric for each item and its facts, and checks a referee before anything is written.

Facts about items are imported from a file. They contain the answers, so they are never served.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef

from benchmarks.definitions.files.table_text import json_rows, text_of
from benchmarks.disclosure import SCORER, expected_of, known_answers, open_answers
from benchmarks.models import Item, ItemFacet, ItemQuerySet, Pack
from evaluation.adapters.registry import ADAPTERS
from evaluation.errors import RunMisused
from evaluation.models import Briefing, Model
from evaluation.referees.rubrics import RUBRICS, Rubric

FACTS = ("pattern", "pred", "captions", "truth", "attributes", "actions")  # the facts for which rubrics have slots
OF_THE_ITEM = ("question", "expected")  # known for every item without a briefing


def briefings_in(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield (item id, facts) for every line; RunMisused or BadDefinition names the first bad line."""
    for number, row in json_rows(path.name, text_of(path)):
        yield _checked(row, f"{path}, line {number}")


@transaction.atomic
def save_briefings(*, pack: Pack, rows: Iterable[tuple[str, dict[str, str]]]) -> int:
    """Store these facts, replacing earlier ones of the same items; return the number of items."""
    count = 0
    for public_id, facts in rows:
        item = pack.items.filter(public_id=public_id).first()
        if item is None:
            raise RunMisused(f"{pack} has no item {public_id}")
        Briefing.objects.update_or_create(item=item, defaults={"facts": facts})
        count += 1
    return count


def _checked(row: dict[str, Any], where: str) -> tuple[str, dict[str, str]]:
    if not isinstance(item := row.pop("item", None), str) or not row:
        raise RunMisused(f'{where}: write {{"item": ID, "pattern": TEXT, …}}')
    for name, value in row.items():
        if name not in FACTS:
            raise RunMisused(f"{where}: there is no fact {name!r}; there is: {', '.join(FACTS)}")
        if not isinstance(value, str) or not value.strip():
            raise RunMisused(f"{where}: {name} has to be a text")
    return item, row


def brief_from_items(items: ItemQuerySet) -> int:
    """Store the items' own reference facts if none are imported; return the number of items."""
    known = [
        Briefing(item_id=pk, facts={name: answer.reference[name] for name in FACTS if name in answer.reference})
        for pk, answer in open_answers(items.filter(briefing=None), to=SCORER).items()
        if answer.reference
    ]
    Briefing.objects.bulk_create(known, batch_size=500, ignore_conflicts=True)
    return len(known)


def check_referee(referee: Model | None, rubric: str, benchmark: str, items: ItemQuerySet) -> None:
    """Raise RunMisused if the referee can't run here, no rubric fits, or a rubric lacks facts about an item."""
    if referee is None:
        if rubric:
            raise RunMisused(f"the rubric {rubric} is for a referee: name one, or leave it out")
        return
    if referee.kind not in ADAPTERS:
        raise RunMisused(f"{referee.slug} can't be asked here: its kind {referee.kind!r} is none of {_list(ADAPTERS)}")
    if rubric and rubric not in RUBRICS:
        raise RunMisused(f"there is no rubric {rubric!r}; there is: {_list(RUBRICS)}")
    fitting = rubrics_for(benchmark, rubric)
    if not fitting:
        raise RunMisused(f"{benchmark} is scored by rule: leave the referee out, or name a rubric: {_list(RUBRICS)}")
    if not rubric:
        _check_each_has_one(items, fitting)
    brief_from_items(items)
    for each in fitting:
        _check_facts(each, items if rubric else _of_datasets(items, each.datasets))


def _check_each_has_one(items: ItemQuerySet, fitting: Iterable[Rubric]) -> None:
    """Refuse items without a rubric, such as those scored by rule, before any model is queried."""
    datasets = tuple(name for each in fitting for name in each.datasets)
    if first := items.exclude(pk__in=_of_datasets(items, datasets)).order_by("public_id").first():
        raise RunMisused(f"{_no_rubric(first)}: leave the referee out, or name a rubric: {_list(RUBRICS)}")


def rubrics_for(benchmark: str, named: str) -> list[Rubric]:
    """Only the named rubric, or all rubrics for this benchmark's items."""
    return [RUBRICS[named]] if named else [each for each in RUBRICS.values() if each.benchmark == benchmark]


def rubric_of(item: Item, named: str) -> Rubric:
    """The named rubric, or the one for the item's data set; reads the prefetched facets."""
    if named:
        return RUBRICS[named]
    datasets = set(item.facet_values("test"))
    for rubric in RUBRICS.values():
        if rubric.benchmark == item.pack.benchmark and datasets.intersection(rubric.datasets):
            return rubric
    raise RunMisused(_no_rubric(item))


def _no_rubric(item: Item) -> str:
    return f"item {item.public_id}: no rubric is for its test ({_list(item.facet_values('test')) or 'none'})"


def facts_of(item: Item, rubric: Rubric) -> dict[str, str]:
    """The values of the rubric's slots, except the reply; RunMisused names the missing ones."""
    known = known_facts(item)
    if missing := [fact for fact in rubric.facts if not known.get(fact)]:
        raise RunMisused(_unknown(item, missing, rubric))
    return {fact: str(known[fact]) for fact in rubric.facts}


def known_facts(item: Item) -> dict[str, str]:
    """All facts about the item that a referee may use."""
    return {"question": item.text, "expected": expected_of(item, to=SCORER) or "", **_briefed(item)}


def _briefed(item: Item) -> Mapping[str, str]:
    try:
        return item.briefing.facts
    except Briefing.DoesNotExist:
        return {}


def _check_facts(rubric: Rubric, items: ItemQuerySet) -> None:
    needed = [fact for fact in rubric.facts if fact not in OF_THE_ITEM]
    ignorant = items.exclude(known_answers()) if "expected" in rubric.facts else items.none()
    if needed:
        ignorant = items.exclude(Exists(Briefing.objects.filter(item=OuterRef("pk"), facts__has_keys=needed)))
    if first := ignorant.order_by("public_id").first():
        raise RunMisused(_unknown(first, needed or ["expected"], rubric))


def _unknown(item: Item, facts: list[str], rubric: Rubric) -> str:
    return f"item {item.public_id}: the rubric {rubric.name} needs {_list(facts)}; see import_benchmark --briefings"


def _of_datasets(items: ItemQuerySet, datasets: tuple[str, ...]) -> ItemQuerySet:
    carrying = ItemFacet.objects.filter(name="test", value__in=datasets)
    return items.filter(pk__in=carrying.values("item_id"))


def _list(names: Iterable[str]) -> str:
    return ", ".join(names)
