"""Scores by item stored with a run's row equal those read from every reply."""

import pytest

from benchmarks.models.answers import ItemSeal
from leaderboard.standings import paired_differences
from leaderboard.standings.item_scores import stored_means
from leaderboard.standings.refresh import refresh
from tests.factories import make_answer, make_model, make_run

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
    assert stored_means(wavering)
    stored = [paired_differences.answers_of(wavering, split, among=ids) for split in ("", "all") for ids in (None, few)]
    monkeypatch.setattr(paired_differences, "stored_means", lambda run: None)
    read = [paired_differences.answers_of(wavering, split, among=ids) for split in ("", "all") for ids in (None, few)]
    assert stored == read
    assert sealed.pk not in stored[0].scores
    assert withdrawn.pk not in stored[0].scores
    assert 0.5 in stored[0].scores.values()
    assert stored[1].scores.keys() == set(few)


def test_a_row_of_older_answers_is_not_used(wavering):
    wavering.answers_version += 1
    assert stored_means(wavering) is None
