import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchmarks.models import ItemMedia
from evaluation.models import Listing, Reading, Run, Score
from evaluation.runs.results import computed
from leaderboard.models import Comparison, Standing
from leaderboard.standings.refresh import refresh, rows_of_run, store
from leaderboard.tasks import refresh_standings
from measures.shares.intervals import clustered, wilson
from tests.factories import answer_to, make_answer, make_clip, make_item, make_model, make_pack, make_run
from tests.leaderboard.conftest import answer_all

pytestmark = pytest.mark.django_db


def standing_of(run, split="all"):
    return Standing.objects.get(run=run, split=split)


def test_a_run_becomes_a_row_with_cells_an_interval_of_clips_and_both_answers(board):
    yes, right = (standing_of(run) for run in board)
    assert (yes.overall["score"], yes.overall["n"], yes.overall["clips"]) == (0.5, 16, 8)
    assert right.cells["test"]["Shape"]["score"] == 1.0
    assert set(right.cells["test"]) == {"Shape", "TwoObjectOrdering", "Ordering"}
    assert right.cells["level"]["1"]["n"] == 16
    # the interval counts clips and not questions
    yes = standing_of(board[0]).overall
    expected = clustered([1, 0] * 8, [number // 2 for number in range(16)])
    assert (yes["low"], yes["high"]) == pytest.approx((expected.low, expected.high))
    right = standing_of(board[1]).overall
    assert right["low"] == pytest.approx(wilson(8, 8).low)
    # both answers and the share of yes are kept apart
    yes = standing_of(board[0]).overall
    assert (yes["positive"]["score"], yes["negative"]["score"], yes["yes"]) == (1.0, 0.0, 1.0)
    assert (yes["positive"]["n"], yes["negative"]["n"]) == (8, 8)


def test_what_cannot_be_read_counts_as_wrong_and_is_told(pack):
    run = answer_all(make_run(pack), lambda item: None if item.variant == "true" else answer_to(item))
    refresh()
    assert (standing_of(run).overall["score"], standing_of(run).overall["unread"]) == (0.5, 0.5)


def test_a_referee_that_gives_points_to_a_no_where_yes_is_right_counts_no_hits_of_it(pack):
    """Counted as hits these would be more yes than were said, and no row of any board would be computed again."""
    run = make_run(pack, referee="judge")
    for item in pack.items.all():
        make_answer(run, item, "no", score=1.0)
    refresh()
    overall = standing_of(run).overall
    assert (overall["score"], overall["yes"], "d_prime" in overall) == (1.0, 0.0, False)
    # a second dimension of each reply: the page of the run counts replies, too, and prints the board's figure
    for reading in Reading.objects.all():
        Score.objects.create(reading=reading, referee="judge", dimension="detail", value=0.5)
    Run.objects.change_answers()
    refresh()
    overall, own = standing_of(run).overall, computed(run)
    assert (overall["n"], overall["score"]) == (own.overall.n, own.overall.accuracy) == (len(pack.items.all()), 0.75)
    assert {name: mark.accuracy for name, mark in own.dimensions.items()} == {"accuracy": 1.0, "detail": 0.5}


def test_refreshing_twice_changes_nothing_and_asks_little(board):
    before = list(Standing.objects.values_list("pk", "computed_at"))
    assert refresh().computed == 0
    assert list(Standing.objects.values_list("pk", "computed_at")) == before
    with CaptureQueriesContext(connection) as asked:
        refresh()
    assert len(asked) <= 9


def test_differences_of_many_are_looked_for_in_three_queries(physics, study):
    for number in range(4):
        answer_all(make_run(physics, strategy="plausibility", model=make_model(name=str(number))), lambda item: "yes")
    refresh()
    before = list(Comparison.objects.order_by("pk").values_list("pk", "n"))
    assert [n for _, n in before] == [6] * 4
    with CaptureQueriesContext(connection) as asked:
        refresh()
    assert list(Comparison.objects.order_by("pk").values_list("pk", "n")) == before
    assert len(asked) <= 12  # one counts the study's people


def test_a_difference_never_outlives_the_row_it_is_about(physics, study):
    """A worker that dies between the row and its difference leaves no difference, and the next worker computes it."""
    run = answer_all(make_run(physics, strategy="plausibility"), lambda item: "yes")
    refresh()
    assert Comparison.objects.count() == 1
    store(rows_of_run(run), source=run, version=run.answers_version)
    assert not Comparison.objects.exists()
    refresh()
    assert Comparison.objects.get().n == 6


def test_changed_answers_are_computed_again_in_place(board):
    run = board[0]
    before = standing_of(run).pk
    run.cells.first().delete()
    Run.objects.filter(pk=run.pk).update(answers_version=7)
    assert refresh().computed == 1
    assert (standing_of(run).pk, standing_of(run).overall["n"], standing_of(run).source_version) == (before, 15, 7)


@pytest.mark.parametrize(
    "change", [{"listing": Listing.PRIVATE}, {"state": "running"}, {"limit": 3}, {"only": {"test": "Shape"}}]
)
def test_a_run_that_left_the_board_has_no_row(board, change):
    Run.objects.filter(pk=board[0].pk).update(**change)
    assert refresh().dropped == 1
    assert not Standing.objects.filter(run=board[0]).exists()


def test_other_splits_count_only_when_answered_completely(pack):
    for item in pack.items.all()[:4]:
        item.facets.create(name="split", value="paper")
    everything = answer_all(make_run(pack), lambda item: "yes")
    part = make_run(pack, split="paper")
    for item in pack.items.in_split("paper"):
        make_answer(part, item, "yes")
    refresh()
    assert set(Standing.objects.filter(run=everything).values_list("split", flat=True)) == {"all", "paper"}
    assert set(Standing.objects.filter(run=part).values_list("split", flat=True)) == {"paper"}
    assert standing_of(everything, "paper").overall["n"] == 4


def test_what_is_withdrawn_or_read_by_another_parser_counts_no_more(board, pack):
    clip = pack.clips.first()
    clip.withdrawn_at = timezone.now()
    clip.save()
    Run.objects.update(answers_version=2)
    refresh()
    assert standing_of(board[0]).overall["n"] == 14
    # only the runs own parser counts
    Run.objects.filter(pk=board[0].pk).update(parser="grasp-official", answers_version=3)
    refresh()
    assert standing_of(board[0]).overall["n"] == 0
    assert standing_of(board[0]).overall["score"] is None


def test_items_under_caution_are_left_out_of_the_careful_cells():
    pack = make_pack()
    for number, test in enumerate(("Inertia", "Inertia", "Gravity")):
        facets = {"level": "2", "test": test, "concept": test.lower(), "polarity": "plausible"}
        facets |= {"caution": "deflection angle"} if test == "Inertia" else {}
        own = {"kind": "plausibility", "facets": {name: (value,) for name, value in facets.items()}}
        make_item(pack, clip=make_clip(pack, key=str(number)), key=str(number), **own)
    run = answer_all(make_run(pack, strategy="plausibility"), lambda item: "yes")
    refresh()
    found = standing_of(run)
    assert (found.overall["n"], found.overall["careful"]["n"]) == (3, 1)
    assert found.cells["level"]["2"]["careful"]["n"] == 1
    assert found.cells["test"]["Inertia"]["careful"] is None
    assert "careful" not in found.cells["test"]["Gravity"]


def test_guessing_is_read_from_the_options(pack):
    item = make_item(pack, kind="open", answer_kind="label", options=["red", "green", "blue", "black"], expected="red")
    run = make_run(pack, strategy="open")
    make_answer(run, item, "red")
    refresh()
    assert standing_of(run).overall["chance"] == 0.25


def test_a_text_item_is_a_cluster_of_its_own():
    pack = make_pack()
    run = make_run(pack, strategy="text", condition="text", split="official", seeds=[0, 1, 2])
    for number in range(4):
        facets = {"split": ("official",), "level": ("2",)}
        item = make_item(pack, kind="text", key=str(number), variant="", facets=facets)
        for seed in (0, 1, 2):
            make_answer(run, item, "yes", seed=seed)
    refresh()
    assert (standing_of(run, "official").overall["clips"], standing_of(run, "official").overall["n"]) == (4, 12)


def test_the_newest_computation_stays_and_two_of_one_row_leave_one(board):
    run = board[0]
    first, second = (store(rows_of_run(run), source=run, version=3) for _ in range(2))
    assert first == second
    assert Standing.objects.filter(run=run).count() == 1
    store(rows_of_run(run), source=run, version=9)
    assert store(rows_of_run(run), source=run, version=8) == set()
    assert standing_of(run).source_version == 9


def test_a_row_goes_with_its_run_and_the_task_is_a_doorway(board):
    board[0].cells.all().delete()
    board[0].delete()
    refresh_standings()
    assert list(Standing.objects.values_list("name", flat=True)) == ["Right"]


def test_an_item_about_two_clips_is_counted_once(pack):
    item = pack.items.first()
    ItemMedia.objects.create(item=item, clip=make_clip(pack), position=1, role="second")
    run = answer_all(make_run(pack), lambda item: answer_to(item))
    refresh()
    found = standing_of(run)
    assert (found.overall["n"], found.overall["clips"]) == (16, 8)
    assert found.cells["level"]["1"]["n"] == 16
