"""A run's results, counted from its own readings only."""

import pytest

from benchmarks.models import ItemMedia
from evaluation.models import Reading, Run, Score
from evaluation.runs.results import accuracies, computed, counts_of, has_results, outcome_of, store_results
from evaluation.workers.loop import refresh_stale_results
from measures.shares.intervals import clustered, wilson
from tests.factories import make_answer, make_clip, make_item, make_run

pytestmark = pytest.mark.django_db


def test_unread_replies_are_counted_apart_and_score_nothing(pack):
    run = make_run(pack)
    for answer in ("yes", "yes", "no", None):
        make_answer(run, make_item(pack), answer)
    counts = counts_of(run)
    assert (counts.total, counts.answered, counts.failed, counts.unread) == (4, 4, 0, 1)
    assert counts.problems == {"unread": 1}
    mark = outcome_of(run).overall
    assert (mark.n, mark.accuracy, mark.interval) == (4, 0.5, clustered([1, 1, 0, 0], range(4)))


def test_two_questions_about_one_clip_widen_the_interval(pack):
    run = make_run(pack)
    for right in (True, False) * 10:
        clip = make_clip(pack)
        for expected in ("yes", "no"):
            make_answer(run, make_item(clip=clip, expected=expected), expected if right else None)
    mark = outcome_of(run).overall
    plain = wilson(20, 40)
    assert mark.interval is not None
    assert mark.interval.high - mark.interval.low > 1.2 * (plain.high - plain.low)


def test_an_ordering_question_counts_in_its_test_and_in_the_family(pack):
    run = make_run(pack)
    make_answer(run, make_item(pack, facets={"test": ("TwoObjectOrdering", "Ordering")}))
    make_answer(run, make_item(pack, facets={"test": ("FourObjectOrdering", "Ordering")}), "no")
    marks = outcome_of(run).tests
    assert {test: (mark.n, mark.accuracy) for test, mark in marks.items()} == {
        "TwoObjectOrdering": (1, 1.0),
        "FourObjectOrdering": (1, 0.0),
        "Ordering": (2, 0.5),
    }


def test_only_the_runs_own_parser_counts(pack):
    run = make_run(pack)
    assert outcome_of(run).overall.accuracy is None  # nothing is answered
    score = make_answer(run, make_item(pack))
    other = Reading.objects.create(response=score.reading.response, parser="grasp-official", version="1", answer="no")
    Score.objects.create(reading=other, value=0.0)
    run.answers_version += 1
    assert outcome_of(run).overall.accuracy == 1.0
    assert accuracies([run]) == {run.pk: 1.0}


def test_an_item_with_several_pictures_is_one_question(pack):
    run, item = make_run(pack), make_item(pack, clip=make_clip(pack))
    ItemMedia.objects.create(item=item, clip=make_clip(pack), position=1)
    make_answer(run, item)
    assert outcome_of(run).overall.n == 1


@pytest.mark.parametrize("is_stored", [True, False])
def test_results_are_kept_or_computed_once_and_used_until_the_answers_change(
    pack, is_stored, django_assert_num_queries
):
    run = make_run(pack)
    make_answer(run, make_item(pack))
    if is_stored:
        store_results(run)
    first = outcome_of(run)
    assert first == computed(run)
    with django_assert_num_queries(0):
        assert (outcome_of(run), counts_of(run)) == (first, first.counts)
        assert first.overall.accuracy == 1.0
        assert not is_stored or accuracies([run]) == {run.pk: 1.0}
    make_answer(run, make_item(pack), "no")
    run.answers_version += 1
    assert outcome_of(run) == computed(run) != first
    assert outcome_of(run).overall.accuracy == 0.5


def test_a_sweep_keeps_what_nobody_kept_and_leaves_time_for_others(pack, monkeypatch):
    runs = [make_run(pack) for _ in range(3)]
    monkeypatch.setattr("evaluation.workers.loop.RESULTS_SECONDS", 0.0)

    def kept() -> int:
        refresh_stale_results()
        return Run.objects.exclude(results_version=None).count()

    assert [kept() for _ in range(4)] == [1, 2, 3, 3]
    assert all(has_results(run) for run in Run.objects.filter(pk__in=[run.pk for run in runs]))


def test_results_of_older_rules_are_computed_again(pack):
    run = make_run(pack)
    make_answer(run, make_item(pack))
    store_results(run)
    Run.objects.filter(pk=run.pk).update(state="finished", results={**run.results, "rules": 1})
    run.refresh_from_db()
    assert not has_results(run)
    refresh_stale_results()
    run.refresh_from_db()
    assert has_results(run)
