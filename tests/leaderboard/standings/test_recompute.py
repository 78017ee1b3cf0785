"""New facets reach all rows of a pack, of runs and of people; a new difference touches its model's row alone."""

import pytest

from leaderboard.models import Standing
from leaderboard.standings import paired_differences
from leaderboard.standings.refresh import has_rows, recompute, refresh
from tests.factories import answer_to, make_model, make_run
from tests.leaderboard.conftest import answer_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows(physics, study):
    for name in ("First", "Second"):
        answer_all(make_run(physics, strategy="plausibility", model=make_model(name=name)), answer_to)
    refresh()
    return physics


def test_new_facets_reach_the_rows_of_runs_and_of_people(rows, study):
    item = rows.items.first()
    item.facets.filter(name="test").update(value="Movement")
    recompute(rows)
    own = Standing.objects.filter(split="all")
    assert {row.cells["test"]["Movement"]["n"] for row in own.filter(run__isnull=False)} == {1}
    assert {row.cells["test"]["Movement"]["n"] for row in own.filter(trial=study)} == {1}


def test_a_new_difference_touches_its_models_row_alone(rows, study):
    people, *_ = Standing.objects.filter(trial=study, split="all")
    first, _ = Standing.objects.filter(run__isnull=False, split="all").order_by("pk")
    before = dict(Standing.objects.values_list("pk", "computed_at"))
    paired_differences._write(people, first, paired_differences._stored([]))
    after = dict(Standing.objects.values_list("pk", "computed_at"))
    assert [pk for pk in after if after[pk] != before[pk]] == [first.pk]


@pytest.mark.parametrize(
    ("scores", "moments", "people", "has"),
    [(True, False, False, True), (False, True, True, True), (False, True, False, False), (False, False, True, False)],
)
def test_a_study_has_rows_by_its_scores_or_by_its_moments(study, monkeypatch, scores, moments, people, has):
    for name, value in (("may_show_scores", scores), ("asks_for_moments", moments), ("may_show_people", people)):
        monkeypatch.setattr(f"leaderboard.standings.refresh.{name}", lambda trial, value=value: value)
    assert has_rows(study) == has
