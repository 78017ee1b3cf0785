"""Facts about items for referees, imported from a file. They contain the answers, so they are never served."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.db import transaction

from benchmarks.definitions.files.table_text import json_rows, text_of
from benchmarks.disclosure import SCORER, open_answers
from benchmarks.models import ItemQuerySet, Pack
from evaluation.errors import RunMisused
from evaluation.models import Briefing

FACTS = ("pattern", "pred", "captions", "truth", "attributes", "actions")  # the facts for which rubrics have slots


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
