import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from benchmarks.models import ItemMedia, Pack
from benchmarks.models.public_ids import ids_rotated
from evaluation.models import Listing, Reading, Run, RunKind, Score
from evaluation.runs.results import computed
from humantrials.models import Judgment, Trial, TrialState
from leaderboard.models import Comparison, EvidenceTier, RankTest, Standing
from leaderboard.standings import paired_differences
from leaderboard.standings.refresh import (
    Refreshed,
    has_rows,
    recompute,
    refresh,
    rows_of_run,
    standings_refreshed,
    store,
)
from leaderboard.tasks import refresh_standings
from measures.shares.intervals import clustered, wilson
from tests.factories import answer_to, make_answer, make_clip, make_item, make_model, make_pack, make_run, make_trial
from tests.leaderboard.conftest import answered, make_people, make_row, vote

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
    run = answered(pack, lambda item: None if item.variant == "true" else answer_to(item))
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
        answered(physics, "yes", str(number))
    refresh()
    before = list(Comparison.objects.order_by("pk").values_list("pk", "n"))
    assert [n for _, n in before] == [6] * 4
    with CaptureQueriesContext(connection) as asked:
        refresh()
    assert list(Comparison.objects.order_by("pk").values_list("pk", "n")) == before
    assert len(asked) <= 12  # one counts the study's people


def test_a_difference_never_outlives_the_row_it_is_about(physics, study):
    """A worker that dies between the row and its difference leaves no difference, and the next worker computes it."""
    run = answered(physics, "yes")
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
    everything = answered(pack, "yes")
    part = make_run(pack, split="paper")
    for item in pack.items.in_split("paper"):
        make_answer(part, item, "yes")
    refresh()
    assert set(Standing.objects.filter(run=everything).values_list("split", flat=True)) == {"all", "paper"}
    assert set(Standing.objects.filter(run=part).values_list("split", flat=True)) == {"paper"}
    assert standing_of(everything, "paper").overall["n"] == 4
    everything.cells.filter(item__in=pack.items.in_split("paper")).first().delete()
    Run.objects.change_answers()
    refresh()
    assert set(Standing.objects.filter(run=everything).values_list("split", flat=True)) == {"all"}


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
    run = answered(pack, "yes", strategy="plausibility")
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
    run = answered(pack, answer_to)
    refresh()
    found = standing_of(run)
    assert (found.overall["n"], found.overall["clips"]) == (16, 8)
    assert found.cells["level"]["1"]["n"] == 16


@pytest.mark.parametrize("is_simulated", [False, True])
def test_a_study_is_computed_once_and_leaves_when_no_answer_counts_any_more(study, is_simulated):
    Trial.objects.update(is_simulated=is_simulated)
    assert refresh() == Refreshed(1, 0)
    assert Standing.objects.get().tier == ("" if is_simulated else "run")
    assert not RankTest.objects.exists(), "models alone have ranks"
    assert refresh() == Refreshed(0, 0)
    Judgment.objects.update(counts=False)
    Trial.objects.update(answers_version=2)
    assert refresh() == Refreshed(0, 1)


@pytest.fixture
def rows(physics, study):
    """Two models and people on one pack."""
    for name in ("First", "Second"):
        answered(physics, answer_to, name)
    refresh()
    return physics


def test_new_figures_are_told_by_their_benchmark(physics, study):
    told = []

    def hear(slugs, **_):
        told.append(slugs)

    standings_refreshed.connect(hear)
    answered(physics, "yes")
    for act in (refresh, refresh, lambda: recompute(physics)):
        act()
    standings_refreshed.disconnect(hear)
    assert told == [{"grasp"}, set(), set(), {"grasp"}]


def touched_by(act):
    """The standings whose cached boards are made again, by id."""
    before = dict(Standing.objects.values_list("pk", "computed_at"))
    act()
    return sorted(pk for pk, at in Standing.objects.values_list("pk", "computed_at") if before.get(pk) != at)


def test_new_facets_reach_the_rows_of_a_packs_runs_and_people_alone(rows, study, board):
    elsewhere = make_trial(board[0].pack, state=TrialState.CLOSED, answers_version=1)
    vote(elsewhere, board[0].pack.items.first(), ["yes"] * 3)
    refresh()
    rows.items.first().facets.filter(name="test").update(value="Movement")
    own = Standing.objects.filter(pack=rows)
    assert touched_by(lambda: recompute(rows)) == sorted(own.values_list("pk", flat=True))
    assert {row.cells["test"]["Movement"]["n"] for row in own.filter(run__isnull=False)} == {1}
    assert {row.cells["test"]["Movement"]["n"] for row in own.filter(trial=study)} == {1}
    assert Comparison.objects.count() == 4


def test_a_new_row_has_the_rows_that_are_ranked_with_it_shown_again_and_no_other(rows, board):
    ranked = Standing.objects.filter(pack=rows, run__isnull=False)
    newer = touched_by(lambda: (answered(rows, "yes", "Third"), refresh()))
    assert newer == sorted(ranked.values_list("pk", flat=True))


def test_new_ids_make_answers_and_rows_of_their_pack_newer(rows, board, study):
    versions = dict(Run.objects.values_list("pk", "answers_version"))
    own = set(Run.objects.filter(pack=rows).values_list("pk", flat=True))
    touched = touched_by(lambda: ids_rotated.send(Pack, pack=rows))
    assert touched == sorted(Standing.objects.filter(pack=rows).values_list("pk", flat=True))
    assert dict(Run.objects.values_list("pk", "answers_version")) == {
        pk: version + (pk in own) for pk, version in versions.items()
    }
    assert Trial.objects.get(pk=study.pk).answers_version == study.answers_version + 1


def test_a_new_name_of_a_pack_touches_its_first_row_of_a_model_else_of_people():
    mixed, alone = make_pack(), make_pack()
    people = [make_people(pack) for pack in (mixed, alone, alone)]
    model, _ = (make_row(make_run(mixed), {}) for _ in range(2))
    assert (touched_by(mixed.save), touched_by(alone.save)) == ([model.pk], [people[1].pk])


def test_a_new_difference_touches_its_models_row_alone(rows, study):
    people, *_ = Standing.objects.filter(trial=study, split="all")
    first, _ = Standing.objects.filter(run__isnull=False, split="all").order_by("pk")
    nothing = paired_differences._stored([])
    assert touched_by(lambda: paired_differences._write(people, first, nothing)) == [first.pk]
    assert Comparison.objects.get(second=first).n == 0


@pytest.mark.parametrize(
    ("scores", "moments", "people", "has"),
    [(True, False, False, True), (False, True, True, True), (False, True, False, False), (False, False, True, False)],
)
def test_a_study_has_rows_by_its_scores_or_by_its_moments(study, monkeypatch, scores, moments, people, has):
    for name, value in (("may_show_scores", scores), ("asks_for_moments", moments), ("may_show_people", people)):
        monkeypatch.setattr(f"leaderboard.standings.refresh.{name}", lambda trial, value=value: value)
    assert has_rows(study) == has


@pytest.mark.parametrize(
    ("slug", "one", "other", "alike"),
    [
        ("grasp", "plausibility", "plausibility-cot", True),
        ("grasp", "plausibility", "twins", False),
        ("grasp", "moment", "moment", False),
        ("grasp", "plausibility", "gone", True),
        ("gone", "one", "other", True),
    ],
)
def test_answers_are_compared_where_the_questions_are_alike(slug, one, other, alike):
    assert paired_differences._ask_alike(slug, one, other) is paired_differences._ask_alike(slug, other, one) is alike


# --- what the site has seen of a row ---


def tier(run):
    return Standing.objects.get(run=run, split="all").tier


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, EvidenceTier.RUN),
        ({"kind": RunKind.UPLOADED, "card": {"given": "answer"}}, EvidenceTier.UPLOADED),
        ({"kind": RunKind.UPLOADED, "card": {"given": "prediction"}}, EvidenceTier.UPLOADED),
        ({"kind": RunKind.UPLOADED, "card": {"given": "reply"}}, EvidenceTier.RESCORED),
    ],
)
def test_a_row_says_what_the_site_has_seen(pack, values, expected):
    run = answered(pack, "yes", **values)
    refresh()
    assert tier(run) == expected


def test_two_runs_with_equal_answers_vouch_for_each_other_until_one_leaves(pack):
    model = make_model()
    first, second, other = (answered(pack, "yes", model=one) for one in (model, model, make_model()))
    refresh()
    assert [tier(run) for run in (first, second, other)] == [EvidenceTier.REPEATED] * 2 + [EvidenceTier.RUN]
    first.listing = Listing.PRIVATE
    first.save()
    refresh()
    refresh()
    assert tier(second) == EvidenceTier.RUN


def test_one_other_answer_is_enough_to_differ(pack):
    model, odd = make_model(), pack.items.first()
    first = answered(pack, "yes", model=model)
    second = answered(pack, lambda item: "no" if item == odd else "yes", model=model)
    refresh()
    assert {tier(first), tier(second)} == {EvidenceTier.RUN}


def test_rows_from_before_get_their_tier_and_nothing_is_computed_anew(board):
    Standing.objects.update(tier="")
    assert refresh().computed == 0
    assert set(Standing.objects.values_list("tier", flat=True)) == {EvidenceTier.RUN}


def test_boards_and_exports_tell_the_evidence_of_each_row(pack, client):
    answered(pack, "yes", "Asked")
    card = {"given": "reply"}
    answered(pack, "no", "Sent", kind=RunKind.UPLOADED, card=card)
    refresh()
    rows = client.get("/leaderboard/grasp/?pack=small&format=json&rows=run,uploaded").json()["rows"]
    assert {row["name"]: row["tier"] for row in rows} == {"Asked": "run", "Sent": "rescored"}
    table = client.get("/leaderboard/grasp/?pack=small&format=csv&rows=uploaded").content.decode().splitlines()
    assert table[0].endswith(",Evidence")
    assert table[1].endswith(",rescored")
