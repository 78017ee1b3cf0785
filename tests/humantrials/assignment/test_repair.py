"""A code despite missing answers: who gets it, what staff see, and that nothing counts until all answers arrive."""

import pytest
from django.test import Client

from humantrials.assignment.claims import claim_sheet, reopen
from humantrials.models import Participant, SheetEvent, SheetEventKind, SheetState
from humantrials.participation.stop_messages import return_context
from humantrials.running.monitoring import head_of, watch
from humantrials.running.payments import lines, owed
from tests.humantrials.assignment.test_claims import answer_all, counted
from tests.humantrials.fixtures import consented, whole_sheet
from tests.humantrials.plain_client import Walker
from tests.humantrials.running.test_transitions import piloting

pytestmark = [pytest.mark.django_db, pytest.mark.requirement("P1")]


def ask_for_code(walker: Walker):
    return walker.client.post(f"{walker.road}code/")


@pytest.fixture
def marked(walker) -> Walker:
    """A participant with one of two answers and the code."""
    walker.reach_trials().answer()
    ask_for_code(walker)
    return walker


def test_the_code_is_given_once_and_the_sheet_does_not_count(walker, trial):
    walker.reach_trials().answer()
    for _ in range(2):
        page = ask_for_code(walker).content.decode()
        assert walker.person.partial_code in page
        assert "Not here yet, by number: 2." in page
    assert counted(trial) == 0
    assert not walker.person.has_finished
    assert SheetEvent.objects.filter(kind="to repair").count() == 1


def test_the_road_shows_the_code_and_leads_back_to_what_is_missing(marked):
    part = marked.person.partial_code
    assert part.startswith("PARTIAL-50-")
    assert part in marked.look().text
    page = marked.client.get(marked.road, {"again": "1"})
    assert b"data-questions" in page.content
    marked.page = page
    page = marked.answer().text
    assert marked.person.completion_code in page
    assert part.rpartition("-")[2] not in marked.person.completion_code  # it can't be guessed
    assert (marked.person.has_finished, marked.person.repair_at) == (True, None)


def test_the_share_in_the_code_follows_the_answers_that_arrive(walker):
    walker.reach_trials()
    ask_for_code(walker)
    before = walker.person.partial_code
    walker.send("answer/", position="1", answer="no")
    shown, after = walker.look().text, walker.person.partial_code
    assert (before[:10], after[:11]) == ("PARTIAL-0-", "PARTIAL-50-")
    assert (walker.person.completion_code, walker.person.has_finished) == ("", False)
    assert before.rpartition("-")[2] == after.rpartition("-")[2]
    assert after in shown


def test_what_comes_late_finishes_the_sheet_though_nobody_looks_at_the_page_again(marked, trial):
    assert marked.post_answer(1, "no") == 200
    assert counted(trial) == 2
    assert trial.sheets.filter(state=SheetState.DONE).count() == 1


def test_where_nothing_is_missing_the_sheet_is_finished(trial):
    person = whole_sheet(trial)
    assert Client().post(f"/p/{person.token}/code/").status_code == 204
    assert counted(trial) == 2


def test_nobody_gets_a_code_before_the_clips_and_no_try_out(walker, trial):
    for person in (walker.agree(), piloting(Client(), trial).reach_trials()):
        assert ask_for_code(person).status_code == 204
        assert not person.person.own_code


def test_a_sheet_that_nobody_repairs_goes_to_somebody_else_and_the_rest_is_surplus(marked, trial):
    sheet = marked.person.sheet
    reopen(sheet=sheet, why=SheetEventKind.SENT_BACK)
    successor = consented(trial)
    while claim_sheet(participant=successor) != sheet:
        successor = consented(trial)
    answer_all(successor, sheet)
    marked.post_answer(1, "no")
    assert marked.person.has_finished
    assert set(marked.person.judgments.values_list("counts", "is_surplus")) == {(False, True)}
    assert counted(trial) == 2


def test_staff_see_which_answers_are_missing_and_decide_on_the_pay(marked, trial, staff):
    seen, person = watch(trial), marked.person
    assert (seen["sheets"].to_repair, seen["sheets"].at_work, seen["sheets"].total) == (1, 0, 2)
    assert ("answers missing: marked for repair", 1) in seen["flow"][3].lost
    waits = [("1 sheet is marked for repair: answers are missing", f"/trials/{trial.slug}/sheets/")]
    assert head_of(trial)["waits"] == waits
    for page in ("watch/", "sheets/", f"sheets/{person.sheet.order}/", "people/", f"people/{person.code}/"):
        assert "arked for repair" in staff.get(f"/trials/{trial.slug}/{page}").content.decode(), page
    assert "by number: 2" in staff.get(f"/trials/{trial.slug}/people/{person.code}/").content.decode()
    (line,) = lines(trial, owed(trial))
    assert line.recommended.amount is None
    assert "1 of 2 answers arrived" in line.recommended.reason


@pytest.mark.parametrize("step", ["stop", "withdraw"])
def test_whoever_leaves_keeps_the_code_that_was_given(marked, step):
    code = marked.person.partial_code
    marked.press(step=step)
    assert code in marked.text
    assert return_context(Participant.objects.get(pk=marked.person.pk))["code"] == code
