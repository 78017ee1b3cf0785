"""Results of a trial for the upper layers, and the pages that show them."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from benchmarks.models import Pack
from humantrials.assignment.claims import claim_sheet, record_judgment
from humantrials.kinds import kinds
from humantrials.models import SheetState, Trial
from humantrials.results import judgments
from humantrials.results.figures import figures_of
from humantrials.results.judgments import votes_of
from humantrials.running.lifecycle import close_trial, mark_simulated
from tests.factories import answer_to
from tests.humantrials.fixtures import consented, newcomer, physics_pack, running_trial, whole_sheet
from tests.markup import compact, words

pytestmark = pytest.mark.django_db


def everybody_answers(trial: Trial, answer) -> None:
    """Fill the trial; `answer` maps an item to everybody's answer."""
    while trial.sheets.exclude(state=SheetState.DONE).exists():
        whole_sheet(trial, answer, seconds=2.5)


def right(slot) -> str:
    return answer_to(slot.item) or ""


def full_trial(answer=right, pack: Pack | None = None, **settings) -> Trial:
    """A study, usually of two tests, in which everybody gave this answer to all questions."""
    trial = running_trial(pack or physics_pack(tests=2), **settings)
    everybody_answers(trial, answer)
    return Trial.objects.get(pk=trial.pk)


def closed_trial(answer=right, pack: Pack | None = None, **settings) -> Trial:
    trial = full_trial(answer, pack, **settings)
    close_trial(trial=trial)
    return trial


def turned(slot) -> str:
    """The wrong one of the two answers."""
    return next(option for option in slot.item.options if option != right(slot))


@pytest.mark.parametrize(
    ("answers", "majority", "is_tie", "n"),
    [
        (["yes", "yes", "no"], "yes", False, 3),
        (["yes", "no"], None, True, 2),
        (["no"], "no", False, 1),
        ([], None, False, 0),
    ],
)
def test_a_vote_is_what_most_said_and_a_tie_is_one(answers, majority, is_tie, n):
    (vote,) = votes_of([(7, answer) for answer in answers], [7])
    assert (vote.item_id, vote.majority, vote.is_tie, vote.n) == (7, majority, is_tie, n)


def test_only_counted_judgments_are_read():
    trial = running_trial(physics_pack(tests=2), replicates=1)
    person = consented(trial)
    claim_sheet(participant=person)
    record_judgment(participant=person, position=0, answer="yes", records={})
    assert list(judgments.judgments(trial)) == []
    assert [vote.n for vote in judgments.votes(trial)] == [0, 0, 0, 0]
    record_judgment(participant=person, position=1, answer="yes", records={})
    assert [(row.participant_code, row.answer) for row in judgments.judgments(trial)] == [(person.code, "yes")] * 2


def test_the_majority_is_scored_by_test():
    trial = closed_trial(lambda slot: "yes")
    found = judgments.by_group(trial, judgments.answers(trial))
    assert [(result.group, result.score, result.judged) for result in found] == [
        ("Unchangeableness", 0.5, 2),
        ("Unchangeableness2", 0.5, 2),
    ]
    assert figures_of(trial, judgments.answers(trial)).whole.score == 0.5
    assert 0 <= found[0].interval.low < 0.5 < found[0].interval.high <= 1


def test_the_result_page_shows_each_test_by_its_number_and_both_paragraphs_for_a_paper(visitor):
    closed_trial()
    answer = visitor.get("/trials/running/")
    assert answer.context["each"] == "2"
    page = words(answer)
    for shown in (
        "1 Objects behind a screen",
        "100 %",
        "6 of 6 completed",
        "Given how objects behave on earth, is the outcome of the experiment plausible?",
        "/leaderboard/grasp/tables/human-vs-model:grasp/?pack=",
        "Methods and results as text, for a paper",
        "100.0\\,\\%",
    ):
        assert shown in page


@pytest.mark.parametrize(
    ("answer", "is_simulated", "sentence"),
    [
        (right, False, "The majority of 6 people was right on 100 % ({low}–{high} %) of 4 videos."),
        (lambda slot: "yes", False, "The majority of 6 people was right on 50 % ({low}–{high} %) of 4 videos."),
        (right, True, "The majority of 6 simulated participants was right on 100 % ({low}–{high} %) of 4 videos."),
    ],
)
def test_the_answer_stands_first_in_the_figures_of_the_table(visitor, answer, is_simulated, sentence):
    trial = closed_trial(answer)
    if is_simulated:
        Trial.objects.update(is_simulated=True)
        trial.participants.update(kind="simulated")
    interval = figures_of(trial, judgments.answers(trial)).whole.interval
    text = re.sub(r"<[^>]*>", "", compact(visitor.get("/trials/running/").content.decode()).replace("<", " <"))
    wanted = sentence.format(low=f"{100 * interval.low:.0f}", high=f"{100 * interval.high:.0f}")
    assert wanted in re.sub(r"\s+([.)])", r"\1", " ".join(text.split())).replace("( ", "(")


def test_before_people_have_answered_no_figure_stands_in_the_sentence(visitor):
    running_trial(physics_pack(tests=2))
    page = words(visitor.get("/trials/running/"))
    assert "Results are shown when the trial is closed." in page
    assert "was right on" not in page
    Trial.objects.update(is_simulated=True)
    assert "No sheet is finished yet." in visitor.get("/trials/running/").content.decode()


def test_simulated_people_are_never_called_people(visitor):
    trial = running_trial(physics_pack(tests=1))
    mark_simulated(trial=trial)
    assert "Simulated participants" in visitor.get("/trials/").content.decode()
    assert "Simulated participants only: a program answered" in visitor.get("/trials/running/").content.decode()


def test_drafts_and_what_kinds_of_studies_have_are_listed_for_staff_alone(staff):
    running_trial(physics_pack(tests=1))
    Trial.objects.update(state="draft")
    page = staff.get("/trials/").content.decode()
    assert "Plausible or not?" in page
    links = [link for kind in kinds() for link in kind.links]
    assert [title for name, title in links if f'href="{reverse(name)}">{title}<' in page] == ["Material for annotation"]
    assert "No study has been opened yet" in Client().get("/trials/").content.decode()


def test_the_list_asks_the_same_number_of_questions_for_many_trials(visitor, django_assert_max_num_queries):
    pack = physics_pack(tests=1)
    for number in range(6):
        running_trial(pack, slug=f"trial-{number}", replicates=1)
    with django_assert_max_num_queries(4):
        page = visitor.get("/trials/")
    assert [(card["each"], card["minutes"]) for card in page.context["cards"]] == [(1, 1)] * 6


@pytest.mark.parametrize("tests", [2, 8])
def test_the_result_page_asks_the_same_number_of_questions_for_many_answers(
    visitor, tests, django_assert_max_num_queries
):
    newcomer(full_trial(pack=physics_pack(tests=tests), seal=False))
    # Two for the quiz, two for what results wait for, five for consents and questions
    with django_assert_max_num_queries(25):
        visitor.get("/trials/running/")


def test_agreement_and_sensitivity_are_those_of_all_counted_answers():
    """Everybody says yes to all: perfect agreement, and no sensitivity."""
    found = judgments.agreement(judgments.answers(closed_trial(lambda slot: "yes")))
    assert (found.people, found.judgments, found.unanimous) == (6, 12, 1.0)
    assert found.alpha is None  # only one kind of answer: agreement is undefined
    assert found.detection.d_prime == pytest.approx(0)
    assert found.detection.criterion < 0
    assert found.median_seconds == 2.5


def test_the_hardest_items_come_first_and_those_that_all_got_right_do_not(visitor):
    trial = running_trial(physics_pack(tests=2))
    hard = trial.slots.order_by("item_id").first().item
    everybody_answers(trial, lambda slot: right(slot) if slot.item != hard else turned(slot))
    close_trial(trial=trial)
    assert [(one.item, one.right, one.n) for one in judgments.hardest(judgments.answers(trial))] == [(hard, 0, 3)]
    page = visitor.get(trial.get_absolute_url()).content.decode()
    assert hard.get_absolute_url() in page
    assert "0 of 3 right" in page
    assert judgments.agreement(judgments.answers(trial)).alpha == pytest.approx(1.0)


def test_the_hardest_items_are_ordered_by_their_share_and_cut_to_those_wanted():
    trial = running_trial(physics_pack(tests=2), replicates=2)
    once, twice = (slot.item for slot in trial.slots.filter(replicate=0).order_by("item_id")[:2])
    missed = {(once.pk, 0), (twice.pk, 0), (twice.pk, 1)}
    everybody_answers(trial, lambda slot: (turned if (slot.item_id, slot.replicate) in missed else right)(slot))
    close_trial(trial=trial)
    found = judgments.answers(trial)
    assert [(one.item, one.right) for one in judgments.hardest(found)] == [(twice, 0), (once, 1)]
    assert [one.item for one in judgments.hardest(found, most=1)] == [twice]


def test_without_an_answer_there_is_no_agreement():
    trial = running_trial(physics_pack(tests=1))
    assert judgments.agreement(judgments.answers(trial)) is None
    assert judgments.hardest(judgments.answers(trial)) == []
