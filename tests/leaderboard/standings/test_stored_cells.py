"""Figures of one cell agree: p rejects guessing where the interval leaves it out; stored scores by item."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from benchmarks.models.answers import ItemSeal
from evaluation.runs.tallies import ClipTally
from leaderboard.standings import paired_differences
from leaderboard.standings.item_scores import divided_by_models, divided_by_people, packed_extremes, stored_means
from leaderboard.standings.refresh import refresh
from leaderboard.standings.stored_cells import cell_of
from measures.shares.intervals import wilson
from tests.factories import expects, make_answer, make_model, make_run
from tests.leaderboard.conftest import answered

CLIP = some.integers(1, 4).flatmap(lambda n: some.tuples(some.just(n), some.integers(0, n)))
GUESSING = some.sampled_from([0.05, 0.1, 0.25, 1 / 3, 0.5, 0.75])


def tallies_of(clips, dyads=False):
    """A row for each (n, right); as dyads, neighbours share an object."""
    table = np.zeros((len(clips), len(ClipTally._fields)))
    for row, (n, right) in enumerate(clips):
        table[row, :2], table[row, -2:] = (n, right), (row, row + 1 if dyads else row)
    return table


@given(some.lists(CLIP, min_size=1, max_size=40), GUESSING, some.booleans(), some.booleans())
def test_p_and_interval_of_a_cell_agree(clips, guessing, dyads, is_points):
    cell = cell_of(tallies_of(clips, dyads and not is_points), guessing, guessing, is_points=is_points)
    assert (cell["p"] < 0.05) == (not cell["low"] <= guessing <= cell["high"])
    assert cell["low"] <= cell["score"] + 1e-9
    assert cell["score"] <= cell["high"] + 1e-9


@given(some.integers(1, 60).flatmap(lambda n: some.tuples(some.just(n), some.integers(0, n))), GUESSING)
def test_p_and_interval_of_single_answers_agree(answers, guessing):
    n, right = answers
    cell = cell_of(tallies_of([(1, 1)] * right + [(1, 0)] * (n - right)), guessing, guessing)
    assert (cell["p"] < 0.05) == (not cell["low"] <= guessing <= cell["high"])


def test_four_of_four_may_be_chance_and_an_interval_without_a_test_is_its_own():
    cell = cell_of(tallies_of([(1, 1)] * 4), 0.5, 0.5)
    assert (cell["p"], cell["low"], cell["high"]) == (pytest.approx(0.125), 0.5, 1.0)
    cell = cell_of(tallies_of([(1, 1)] * 4), 0.5)
    assert (cell["low"], "p" in cell) == (pytest.approx(wilson(4, 4).low), False)


pytestmark = pytest.mark.django_db


@pytest.fixture
def wavering(physics):
    """A run of two seeds, first yes, then no; some of its items are sealed or withdrawn."""
    run = make_run(physics, strategy="plausibility", model=make_model(name="Waverer"), seeds=[0, 1])
    for place, item in enumerate(physics.items.order_by("pk")):
        make_answer(run, item, "yes", seed=0)
        make_answer(run, item, "yes" if place % 2 else "no", seed=1)
    refresh()
    run.refresh_from_db()
    return run


def test_kept_scores_are_those_of_the_replies_whatever_is_hidden(wavering, physics, monkeypatch):
    sealed, withdrawn, *rest = physics.items.order_by("pk")
    ItemSeal.objects.create(item=sealed, by="trial:now")
    clip = withdrawn.clip
    clip.withdrawn_at = physics.created_at
    clip.save()
    few = [item.pk for item in rest[:2]]
    rest[1].facets.create(name="split", value="paper")
    assert stored_means(wavering)

    def found():
        ways = product(("", "all", "paper"), (None, few))
        return [paired_differences.answers_of(wavering, split, among=ids) for split, ids in ways]

    stored = found()
    monkeypatch.setattr(paired_differences, "stored_means", lambda run: None)
    assert stored == found()
    assert stored[-1].scores.keys() == {rest[1].pk}
    assert sealed.pk not in stored[0].scores
    assert withdrawn.pk not in stored[0].scores
    assert 0.5 in stored[0].scores.values()
    assert stored[1].scores.keys() == set(few)


def test_a_row_of_older_answers_is_not_used(wavering):
    wavering.answers_version += 1
    assert stored_means(wavering) is None
    assert packed_extremes(None) == b""


def test_items_are_divided_within_their_pack_and_among_those_who_were_asked_the_same(board, pack, physics, study):
    answered(physics, "yes", "Yes-man")
    refresh()
    wrong = set(pack.items.filter(expects("no")).values_list("pk", flat=True))
    assert (divided_by_models(pack, ()), divided_by_models(physics, ())) == (wrong, set())
    assert (divided_by_people(pack), len(divided_by_people(physics))) == (set(), 5)
    answered(physics, "no", "No-man", strategy="text")
    refresh()
    assert len(divided_by_models(physics, ())) == 6
    assert divided_by_models(physics, ("plausibility",)) == set()
