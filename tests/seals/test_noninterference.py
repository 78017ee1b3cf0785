"""Non-interference: with all hidden labels turned round, six readers read the same at every address.

Runs and studies say half of the hidden items right before and after, so that even rounded overall figures stay. That
these, and nothing else, move where the sums do is tested by itself. With a place of the gate open, a page differs.
"""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from benchmarks.disclosure.readers import WITHHELD
from benchmarks.models import Item
from evaluation.models import Reading
from leaderboard.models import Standing
from tests.factories import answer_to, sealed
from tests.seals import readers
from tests.seals.agents import learnt_by_agents
from tests.seals.attacker import AT_FULL_SIZE, WITH_ALL_PLACES, Attacker
from tests.seals.doors import InnerDoor
from tests.seals.places import UNSEEN_ALONE, places, stand_open
from tests.seals.test_seals import attacked, attacker_of, built  # noqa: F401

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_metrics")]

SEED = 1
EVERYWHERE, OF_THE_DESK = 160, 18  # pages of a visitor and of an author, where a place stands open
DRAWN = 0 if AT_FULL_SIZE else 10 if WITH_ALL_PLACES else 1


@pytest.fixture
def site(attacked, monkeypatch):  # noqa: F811
    at = timezone.now()
    for clock in ("django.utils.timezone.now", "benchmarks.leasing.database_now"):
        monkeypatch.setattr(clock, lambda: at)  # the bars of arrivals have one more each minute
    readers.add_studies()
    readers.add_rounds()
    readers.settle()
    return readers.readers_of()


def hidden(*, withheld_alone: bool) -> Any:
    return Item.objects.filter(sealed(WITHHELD) if withheld_alone else sealed())


def test_every_reader_reads_the_same_whatever_the_hidden_labels_are(site, attacked):  # noqa: F811
    # A visitor reads as many pages as where a place stands open: this is what those are compared with.
    pages = {} if AT_FULL_SIZE else {"visitor": EVERYWHERE}
    before = {reader.name: readers.found_by(reader, pages.get(reader.name, readers.MOST)) for reader in site}
    print({name: len(found) for name, found in before.items()})
    outsiders = [reader for reader in site if not reader.sees_seals]
    attacker, door = attacker_of(attacked[0]), InnerDoor()
    sent, heard = readers.answered(attacker), readers.heard(door)
    assert readers.changed(outsiders, before, hidden(withheld_alone=False)) == [], by_itself(outsiders, before)
    insiders = [reader for reader in site if reader.sees_seals]
    assert readers.changed(insiders, before, hidden(withheld_alone=True)) == [], by_itself(insiders, before)
    with transaction.atomic():
        readers.turn_round(hidden(withheld_alone=False))
        readers.rescore()
        assert readers.unlike(heard, readers.heard(door)) == []
        assert readers.unlike(sent, readers.answered(attacker)) == []
        transaction.set_rollback(True)


def by_itself(among: list[readers.Reader], before: dict[str, dict[str, str]]) -> str:
    """Of a difference, what would be there with the same labels, too."""
    return f"these vary by themselves: {readers.changed(among, before, None)}"


def test_every_tool_of_agents_answers_the_same_whatever_the_hidden_labels_are(site):
    before = learnt_by_agents()
    assert {"read_row", "explain_figure", "compare_rows", "write_methods"} <= {call.split()[0] for call in before}
    readers.turn_round(hidden(withheld_alone=False))
    readers.rescore()
    assert readers.unlike(before, learnt_by_agents()) == []


def test_where_sums_differ_nothing_moves_but_rounded_overall_figures(site):
    with transaction.atomic():
        for reading in Reading.objects.filter(response__cell__item__in=hidden(withheld_alone=False)):
            right = answer_to(reading.response.cell.item)
            Reading.objects.filter(pk=reading.pk).update(answer=right if reading.pk % 8 else readers.OTHER[right or ""])
        readers.rescore()
        first = cells_of_rows()
        readers.turn_round(hidden(withheld_alone=False))
        readers.rescore()
        second = cells_of_rows()
        transaction.set_rollback(True)
    moved = {name for name in first if first[name] != second[name]}
    assert moved
    assert {name.rpartition(" ")[2] for name in moved} <= {"score", "low", "high", "p"}
    assert all(first[name.rpartition(" ")[0] + " step"] for name in moved)


def cells_of_rows() -> dict[str, Any]:
    """`row cell field` -> value, of all rows of this site."""
    found: dict[str, Any] = {}
    for row in Standing.objects.all():
        name = f"{row.identity} {row.strategy} {row.split}"
        cells = {"overall": row.overall, **{f"{f}={v}": c for f, vs in row.cells.items() for v, c in vs.items()}}
        for cell, stored in cells.items():
            found |= dict(_flat(f"{name} {cell}", stored or {}))
    return found


def _flat(name: str, stored: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for field, value in stored.items():
        if isinstance(value, dict):
            yield from _flat(f"{name} {field}", value)
        else:
            yield f"{name} {field}", value


# --- a place of the gate that stands open is seen ---


@pytest.mark.parametrize("place", random.Random(SEED).sample(sorted({*places()} - UNSEEN_ALONE), DRAWN))
def test_with_a_drawn_place_of_the_gate_open_a_page_differs(site, attacked, monkeypatch, place):  # noqa: F811
    assert {*places()} > UNSEEN_ALONE
    assert differs_with_open(monkeypatch, site, attacker_of(attacked[0]), place)


def differs_with_open(
    patch: pytest.MonkeyPatch, site: list[readers.Reader], attacker: Attacker, place: str
) -> list[str]:
    """The addresses at which a visitor, an author or a sender reads a label once this place stands open."""
    stand_open(patch, place)
    readers.rescore()
    pages = {"visitor": EVERYWHERE, "author": OF_THE_DESK}
    among = [reader for reader in site if reader.name in pages]
    before = {reader.name: readers.found_by(reader, pages[reader.name]) for reader in among}
    if found := readers.changed(among, before, hidden(withheld_alone=False)):
        return found
    sent = readers.answered(attacker)
    with transaction.atomic():
        readers.turn_round(hidden(withheld_alone=False))
        readers.rescore()
        after = readers.answered(attacker)
        transaction.set_rollback(True)
    return readers.unlike(sent, after)
