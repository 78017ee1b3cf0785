"""Copied rows of a fixture: equal to made ones, made again if they would differ, refused if impossible."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from benchmarks.models import Item, Pack
from humantrials.models import Trial
from tests import factories
from tests.factories import make_clip, make_item, make_pack, make_trial
from tests.kept import kept

pytestmark = pytest.mark.django_db


def counting():
    """A kept function that writes a pack of one item, and its number of calls."""
    calls = []

    def make(pack: Pack | None = None, title: str = "Kept") -> tuple[Pack, Item]:
        calls.append(title)
        pack = pack or make_pack(title=title)
        return pack, make_item(pack, clip=make_clip(pack))

    make.__qualname__ = f"make {id(calls)}"
    return kept(make), calls


def taken_back(act):
    """The result of `act`; its rows and the factories' numbers are rolled back, as between two tests."""
    drawn = factories.counter.last, factories.ids.last
    with transaction.atomic():
        found = act()
        transaction.set_rollback(True)
    factories.counter.last, factories.ids.last = drawn
    return found


def test_a_copy_has_the_rows_the_result_and_the_numbers_of_the_first_call():
    make, calls = counting()

    def seen():
        pack, item = make()
        rows = list(Item.objects.values()), list(item.facets.order_by("name").values_list("name", "value"))
        return rows, pack, item, item.media.get().clip, make_pack().name

    assert taken_back(seen) == taken_back(seen)
    assert calls == ["Kept"]


@pytest.mark.parametrize(
    "differs",
    [
        lambda make: (make_pack(), make()),
        lambda make: (Trial.objects.update(seed=9), make()),
        lambda make: (Trial.objects.update(created_at=timezone.now() + timedelta(hours=1)), make()),
        lambda make: make(Pack.objects.get()),
        lambda make: make(title="Other"),
        lambda make: (next(factories.counter), make()),
    ],
)
def test_other_rows_arguments_or_numbers_make_it_anew(differs):
    make, calls = counting()
    make_trial(seed=1)
    taken_back(make)
    taken_back(lambda: differs(make))
    assert len(calls) == 2


def test_rows_that_it_changed_are_changed_in_the_copy():
    calls = []

    @kept
    def renamed(pack: Pack) -> Pack:
        calls.append(pack)
        Pack.objects.filter(pk=pack.pk).update(title="Renamed")
        return Pack.objects.get()

    pack = make_pack(title="Before")
    for _ in range(2):
        with transaction.atomic():
            assert renamed(pack).title == Pack.objects.get().title == "Renamed"
            transaction.set_rollback(True)
        assert Pack.objects.get().title == "Before"
    assert len(calls) == 1


def test_who_is_signed_in_makes_nothing_anew(django_user_model):
    make, calls = counting()
    taken_back(make)
    User.objects.create_user("somebody")
    make()
    assert len(calls) == 1


def test_times_of_the_first_call_become_as_much_later_as_the_copy(monkeypatch):
    make, _calls = counting()
    first = taken_back(lambda: (make(), Pack.objects.get().created_at)[1])
    monkeypatch.setattr("tests.kept._now", lambda: timezone.now().replace(tzinfo=None) + timedelta(hours=1))
    make()
    assert timedelta(hours=1) <= Pack.objects.get().created_at - first < timedelta(hours=1, minutes=1)


def test_what_can_t_be_kept_is_refused(tmp_path):
    make, _calls = counting()
    with pytest.raises(TypeError, match="can't depend on"):
        make(title=Path(tmp_path))
    with pytest.raises(AssertionError, match="can't make users"):
        kept(lambda: User.objects.create_user("somebody"))()
    pack = make_pack()
    with pytest.raises(AssertionError, match="can't delete rows of benchmarks_pack"):
        kept(lambda: pack.delete())()
