from dataclasses import replace

import pytest

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import hide, show
from benchmarks.models import Item
from benchmarks.packs.withheld_answers import import_answers
from humantrials.models import Judgment, Participant, Trial, TrialState
from humantrials.results import release
from humantrials.results.judgments import votes_of
from leaderboard.board.overviews.level_results import all_levels
from leaderboard.models import Comparison, RowKind, Standing
from leaderboard.standings.human_rows import HumanItem, judged_items
from leaderboard.standings.paired_differences import pairs_of
from leaderboard.standings.refresh import refresh
from measures.estimate import difference, figure_of_votes
from measures.estimate.differences import SCORE
from measures.figures import Interval
from tests.factories import answer_to, make_answer, make_item, make_model, make_pack, make_run, make_trial, set_expected
from tests.humantrials.fixtures import physics_item
from tests.leaderboard.conftest import answered, vote

pytestmark = pytest.mark.django_db


def row_of(trial):
    return Standing.objects.get(trial=trial, split="all")


def test_people_score_by_the_majority_on_each_item_and_the_cell_says_how_one_person_does(study, client):
    refresh()
    found = row_of(study)
    assert (found.kind, found.name, found.strategy) == (RowKind.HUMAN, "People", "plausibility")
    assert found.overall["score"] == pytest.approx(5 / 6)
    assert (found.overall["n"], found.overall["people"], found.overall["judgments"]) == (6, 3, 18)
    assert found.overall["single"]["score"] == pytest.approx(10 / 18)
    assert found.cells["test"]["Collision"]["score"] == 0.5
    page = client.get("/leaderboard/grasp/?level=2&group=concept").content.decode()
    assert "6 by 3 people together, one person alone 55.6" in page
    # the interval takes people and clips as samples
    refresh()
    voted = [one.voted for one in judged_items(study)]
    assert sorted(one.score for one in voted) == [0, 1, 1, 1, 1, 1]
    expected = figure_of_votes(voted).interval
    assert (row_of(study).overall["low"], row_of(study).overall["high"]) == pytest.approx((expected.low, expected.high))
    # a study that turns simulated changes its kind
    refresh()
    Trial.objects.update(is_simulated=True)
    refresh()
    assert (row_of(study).kind, row_of(study).name) == (RowKind.SIMULATED, "Simulated people")


def test_a_tie_counts_half(study):
    item = study.pack.items.get(key="clip0")
    Judgment.objects.filter(item=item, participant__code="study-2").delete()
    Judgment.objects.filter(item=item, participant__code="study-1").update(answer="yes")
    Trial.objects.update(answers_version=2)
    refresh()
    assert row_of(study).overall["ties"] == 1
    assert row_of(study).overall["score"] == pytest.approx(4.5 / 6)
    assert row_of(study).overall["votes"] == {"2": 1, "3": 5}


def test_an_open_study_with_sealed_items_has_no_row_until_it_closes(study):
    Trial.objects.update(state=TrialState.OPEN)
    refresh()
    assert not Standing.objects.exists()
    Trial.objects.update(state=TrialState.CLOSED)
    refresh()
    assert Standing.objects.filter(trial=study).exists()
    Trial.objects.update(state=TrialState.OPEN)
    refresh()
    assert not Standing.objects.exists()


def test_answers_that_do_not_count_are_not_counted_and_the_row_says_how_much_it_covers(study, visitor):
    Judgment.objects.filter(item__key="clip5").update(counts=False)
    make_item(study.pack, kind="text")  # nobody is asked this kind of question
    refresh()
    assert (row_of(study).overall["n"], row_of(study).overall["score"], row_of(study).overall["of"]) == (5, 1.0, 6)
    assert "3 people, 3 a clip, 5 of 6 clips" in visitor.get("/leaderboard/grasp/?level=2").content.decode()


def test_items_under_caution_are_left_out_of_the_careful_figures_and_make_no_column(study):
    for key in ("clip4", "clip5"):  # all of Collision
        study.pack.items.get(key=key).facets.create(name="caution", value="deflection angle")
    refresh()
    found = row_of(study)
    assert (found.overall["careful"]["n"], found.overall["careful"]["score"]) == (4, 1.0)
    assert found.cells["test"]["Collision"]["careful"] is None
    assert "careful" not in found.cells["test"]["Gravity"]
    assert found.cells.keys() == {"level", "test", "concept", "polarity", "split"}


def test_a_split_that_too_few_people_answered_has_no_row_of_its_own(study, monkeypatch):
    monkeypatch.setattr(release, "MIN_PEOPLE", 3)
    study.pack.items.get(key="clip0").facets.create(name="split", value="paper")
    refresh()
    assert set(Standing.objects.values_list("split", flat=True)) == {"all", "paper"}
    Judgment.objects.filter(item__key="clip0", participant__code="study-2").update(counts=False)
    Trial.objects.update(answers_version=2)
    refresh()
    assert set(Standing.objects.values_list("split", flat=True)) == {"all"}


def test_items_answered_by_one_side_alone_are_left_out(study, physics):
    run = make_run(physics, strategy="plausibility", model=make_model(name="Part"))
    for item in physics.items.filter(key__in=("clip0", "clip1")):
        make_answer(run, item, "yes")
    assert difference(pairs_of(study, run, "all")).n == 2


def test_one_more_vote_is_read(study):
    item = study.pack.items.get(key="clip5")
    Judgment.objects.filter(item=item).delete()
    item.slots.all().delete()
    vote(study, item, [answer_to(item)] * 3)
    Trial.objects.update(answers_version=5)
    refresh()
    assert row_of(study).overall["score"] == 1.0


@pytest.mark.parametrize(
    ("said", "swings"),
    [
        (["yes", "yes", "no"], [1, 1, 0]),  # an answer decides the majority if the two others differ
        (["yes", "no", "no"], [0, 1, 1]),
        (["yes", "yes", "yes"], [0, 0, 0]),
        (["yes", "no"], [0.5, 0.5]),  # with two answers, it decides whether there is a tie
        (["yes"], [1]),
        (["yes", "B", "C"], [1 / 3, 2 / 3, 2 / 3]),  # three different answers share the point
    ],
)
def test_the_swing_of_a_person_is_what_the_majority_gains_if_they_are_right(said, swings):
    [vote] = votes_of(((1, answer) for answer in said), [1])
    one = HumanItem(Item(pk=1), "yes", vote, tuple(zip("abc", said, strict=False)))
    assert [part.swing for part in one.voters] == pytest.approx(swings)
    assert [part.right for part in one.voters] == [answer == "yes" for answer in said]
    mean = replace(one, is_mean=True)
    assert sum(part.swing * part.right for part in mean.voters) == pytest.approx(mean.score)


def test_a_difference_counts_the_people_who_would_not_be_asked_again(study, physics):
    run = answered(physics, "yes")
    refresh()
    pairs = pairs_of(study, run, "all")
    assert sum(len(pair.voters) for pair in pairs) == 18
    found = Comparison.objects.get()
    assert (found.test, found.p) == (SCORE, pytest.approx(difference(pairs).p))
    assert difference(pairs) == mirrored(difference(pairs_of(run, study, "all")))
    paired = difference(pairs)
    assert (paired.n, paired.first, paired.second) == (6, pytest.approx(5 / 6), 0.5)
    assert paired.interval.low < paired.value < paired.interval.high
    assert (found.n, found.difference) == (6, pytest.approx(1 / 3))
    Trial.objects.update(is_simulated=True)
    refresh()
    assert all(one.people is None and one.gap is None for one in all_levels() if one.benchmark.slug == "grasp")


def mirrored(found):
    ends = Interval(-found.interval.high, -found.interval.low)
    return replace(found, first=found.second, second=found.first, interval=ends)


def test_few_people_are_no_row_nor_are_few_that_exclusions_leave(study, monkeypatch):
    monkeypatch.setattr(release, "MIN_PEOPLE", 4)
    refresh()
    assert not Standing.objects.exists()
    vote(study, physics_item(study.pack, "Gravity", is_plausible=True), ["yes"] * 4)
    Trial.objects.update(answers_version=2)
    refresh()
    assert row_of(study).overall["people"] == 4
    Participant.objects.filter(code="study-3").update(state="excluded")
    Judgment.objects.filter(participant__code="study-3").update(counts=False)
    refresh()
    assert not Standing.objects.exists()


@pytest.fixture
def many(db):
    """A closed study of three people on 24 items of two tests, most of them right on all but the last six."""
    pack = make_pack(name="many")
    trial = make_trial(pack, slug="many", state=TrialState.CLOSED, answers_version=1)
    for number in range(24):
        item = physics_item(pack, ("Gravity", "Collision")[number % 2], is_plausible=True)
        vote(trial, item, ["yes", "yes", "no"] if number < 18 else ["no", "no", "yes"])
    return trial


def test_without_known_answers_there_is_no_row_until_they_are_loaded(many, tmp_path):
    ids = list(many.pack.items.values_list("public_id", flat=True))
    set_expected(Item.objects.all(), None)
    refresh()
    assert not Standing.objects.exists()
    table = tmp_path / "answers.csv"
    table.write_text("item,answer\n" + "".join(f"{one},yes\n" for one in ids))
    import_answers(BENCHMARKS["grasp"], table)
    refresh()
    assert row_of(many).overall["score"] == 0.8  # 0.75, rounded as a row of a model


def test_a_row_over_hidden_answers_is_rounded_has_no_parts_and_is_exact_again_afterwards(many):
    refresh()
    exact = row_of(many)
    assert (exact.overall["score"], exact.cells["test"]["Gravity"]["score"]) == (0.75, 0.75)
    hide(many.pack.items.values_list("pk", flat=True), by="trial:elsewhere")
    refresh()
    rounded = row_of(many)
    assert (rounded.overall["score"], rounded.overall["step"], rounded.overall["people"]) == (0.8, 0.2, 3)
    assert not {"d_prime", "positive", "single", "effect"} & rounded.overall.keys()
    assert set(rounded.cells) == {"level", "split"}
    show(by="trial:elsewhere")
    refresh()
    assert row_of(many).overall == exact.overall
