"""Pages of annotation: errors are shown beside the input; desks open only for their authors."""

import json
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from extensions.annotation.desk.question_review import statement_of
from extensions.annotation.models import QualificationRound, QuestionState, RoundState, Stage, TaskAnswer
from extensions.annotation.pages.qualification import grade_round, right_wanted
from humantrials.errors import BadAnswer
from humantrials.models import ParticipantState, SheetEvent, SheetEventKind, SheetState, Trial
from humantrials.participation.pilots import pilot_key
from humantrials.participation.screening import SIDES, digits_for
from humantrials.running.lifecycle import close_trial
from humantrials.running.payments import Recommendation, lines, owed
from tests.extensions.annotation.fixtures import annotation_trial, reach
from tests.humantrials.inside_crowd import simulate
from tests.humantrials.plain_client import Walker

pytestmark = pytest.mark.django_db

QUESTION = {"text-0": "Which object would dent a table more if it fell?", "answer-0": "0", "properties-0": "hard"}


def at_work(client, trial: Trial, name: str = "w") -> Walker:
    """A participant after consent, sound check and instructions."""
    return let_in(Walker(client, trial, name))


def let_in(walker: Walker) -> Walker:
    walker.agree().press(step="sound", **{side: digits_for(walker.person, side) for side in SIDES})
    return walker.press(step="instructions")


def met_at(client, address: str) -> Walker:
    """A preview or pilot of this address after the steps before the tasks."""
    return let_in(Walker.at(client, address))


def send(walker: Walker, **fields: object) -> Walker:
    walker.page = walker.client.post(f"{walker.road}task/", {"position": "0", **fields}, follow=True)
    return walker


def said(walker: Walker) -> str:
    return walker.page.content.decode()


@pytest.fixture
def answering(db) -> Trial:
    """A trial with written questions that wait for answers."""
    trial = annotation_trial(8)
    reach(trial, Stage.ANSWERS)
    return trial


@pytest.fixture
def writing(db) -> Trial:
    """A trial with finished clips and no written questions."""
    trial = annotation_trial(8, qualification=True)
    simulate(trial, people=1, accuracy=1.0)
    return trial


def test_a_box_without_area_comes_back_as_it_was_typed(client, db):
    walker = at_work(client, annotation_trial(2))
    box = {"part": "box", "left": "5", "top": "6", "width": "0", "height": "40", "name": "cup"}
    send(walker, **box)
    assert walker.page.status_code == 400
    assert "The box has no area" in said(walker)
    assert 'value="cup"' in said(walker)
    assert not TaskAnswer.objects.exists()


def test_the_clip_is_shown_after_the_picture_alone(client, db):
    walker = at_work(client, annotation_trial(2))
    send(walker, part="box", left="5", top="6", width="50", height="40", name="cup")
    assert "from the picture alone" in said(walker)
    assert "<video" not in said(walker)
    send(walker, part="sight", materials="wood", confidence="2")
    assert "<video" in said(walker)
    send(walker, part="sight", materials="metal", confidence="5")  # an old tab: the answer stays unchanged
    send(walker, part="sound", materials=["wood", "metal"], other="Wax paper", confidence="2")
    answer = TaskAnswer.objects.get()
    assert answer.is_complete
    assert answer.content["sight"] == {"materials": ["wood"], "confidence": 2}
    assert answer.content["sound"]["materials"] == ["wood", "metal", "wax paper"]


def test_a_flag_is_taken_on_any_part_and_goes_on(client, db):
    walker = at_work(client, annotation_trial(2))
    send(walker, part="box", flagging="1")
    assert walker.page.status_code == 400
    send(walker, part="box", flagging="1", flag="silent")
    assert TaskAnswer.objects.get().content == {"flag": "silent"}
    assert "2 of 2" in said(walker)


def post(walker: Walker, position: int, **fields: str) -> None:
    """Send a task and load no page."""
    assert walker.client.post(f"{walker.road}task/", {"position": position, **fields}).status_code == 302


def test_the_last_task_finishes_the_sheet_though_no_page_is_loaded_again(client, db):
    trial = annotation_trial(2)
    walker = at_work(client, trial)
    for position in (0, 1):
        assert not walker.person.completion_code
        post(walker, position, part="box", flagging="1", flag="silent")
    assert walker.person.completion_code
    assert TaskAnswer.objects.filter(counts=True).count() == 2
    close_trial(trial=trial)
    assert TaskAnswer.objects.filter(counts=True).count() == 2
    assert walker.person.completion_code in said(walker.look())


def test_nobody_finishes_a_sheet_past_its_round_or_its_instructions(client, writing):
    walker = at_work(client, writing)
    post(walker, 0, **QUESTION)
    early = Walker(Client(), annotation_trial(2, slug="early")).agree()
    post(early, 0, part="box", flagging="1", flag="silent")
    assert not TaskAnswer.objects.filter(participant__in=[walker.person, early.person]).exists()


def test_a_preview_walks_on_and_leaves_nothing(admin_client, db):
    trial = annotation_trial(2)
    walker = met_at(admin_client, f"/t/{trial.slug}/?preview")
    send(walker, part="box", left="5", top="6", width="50", height="40", name="cup")
    send(walker, part="sight", materials="wood", confidence="2")
    send(walker, part="sound", materials="wood", confidence="3")
    assert "2 of 2" in said(walker)
    assert not TaskAnswer.objects.exists()


def test_what_a_pilot_sends_is_kept_apart_and_shown_to_the_authors(admin_client, db):
    trial = annotation_trial(2)
    walker = met_at(Client(), f"/t/{trial.slug}/?pilot={pilot_key(trial)}")
    send(walker, part="box", left="5", top="6", width="0", height="40", name="cup")
    assert "answers are kept apart" in said(walker)
    send(walker, part="box", left="5", top="6", width="50", height="40", name="cup", seconds="4")
    send(walker, part="sight", materials="wood", confidence="2", seconds="3")
    send(walker, part="sound", materials="metal", confidence="3")
    send(walker, part="sound", materials="glass", confidence="3")  # the previous page, sent again
    (answer,) = walker.person.pilot_answers.all()
    kept = json.loads(answer.raw)
    assert (kept["box"]["name"], kept["sight"]["materials"], kept["sound"]["materials"]) == ("cup", ["wood"], ["metal"])
    assert answer.seconds == 7
    assert not TaskAnswer.objects.exists()
    assert not trial.sheets.exclude(state=SheetState.OPEN).exists()
    assert "metal" in admin_client.get(reverse("trial-pilot", args=[trial.slug])).content.decode()


def written(**changes: str) -> dict[str, str]:
    """A complete writers' round; the third question has two further properties."""
    fields = {name.replace("-0", f"-{place}"): value for place in range(3) for name, value in QUESTION.items()}
    return {"position": "round", **fields, "other-2": "texture, weight", **changes}


def test_writers_are_let_in_by_grades_with_one_second_attempt(client, writing):
    walker = at_work(client, writing)
    send(walker, **written(**{"other-2": ""}))
    assert "at least 3 different properties" in said(walker)
    send(walker, **written(**{"text-1": "Which object is larger than the other?"}))
    assert "only asks for a property" in said(walker)
    send(walker, **written())
    assert "Somebody reads what you sent" in said(walker)
    assert walker.person.partial_code.startswith("ROUND-")
    assert walker.person.partial_code in said(walker)  # for people who never return
    assert not writing.sheets.filter(state=SheetState.LEASED).exists()  # people who wait for grades hold no sheet
    assert SheetEvent.objects.filter(sheet__trial=writing).latest("pk").kind == SheetEventKind.IN_GRADING
    one = QualificationRound.objects.get()
    grade_round(one=one, grades=[3, 3, 2], feedback="Bring in a third thing.", by=None)
    page = said(walker.look())
    assert "Your first attempt was not enough" in page
    assert "It got 2.7 points on average; 3 are needed." in page
    assert "Bring in a third thing." in page
    assert page.split("What you sent")[1].count(QUESTION["text-0"]) == 3
    assert "2 of 4 points" in page
    send(walker, **written())
    grade_round(one=QualificationRound.objects.latest("pk"), grades=[3, 3, 3], feedback="", by=None)
    assert "Write one or two questions" in said(walker.look())
    send(walker, **QUESTION)
    assert TaskAnswer.objects.filter(participant=walker.person).count() == 1
    assert len(walker.person.completion_code) == 8  # the code of a whole sheet


def test_after_two_failures_the_road_ends_with_the_reason_and_ones_own_work(client, writing):
    walker = at_work(client, writing)
    for feedback in ("Too easy.", "Still too easy."):
        send(walker, **written())
        grade_round(one=QualificationRound.objects.latest("pk"), grades=[1, 1, 4], feedback=feedback, by=None)
        walker.look()
    assert walker.person.state == ParticipantState.SCREENED
    for words in (walker.person.partial_code, "Still too easy.", "It got 2.0 points", QUESTION["text-0"]):
        assert words in said(walker)
    (line,) = lines(writing, owed(writing).filter(pk=walker.person.pk))
    assert line.recommended == Recommendation(None, "sent 2 qualification rounds, and no sheet (not let in)")


def test_nobody_fails_without_feedback_or_passes_with_other_grades(admin_client, client, writing):
    send(at_work(client, writing), **written())
    one = QualificationRound.objects.get()
    sent = {"round": one.pk, "grade-0": "1", "grade-1": "2", "grade-2": "2", "feedback": "  "}
    answer = admin_client.post(reverse("annotation-rounds", args=[writing.slug]), sent)
    assert answer.status_code == 400
    assert "A mean of 1.7 does not let in: write in the feedback what was missing." in answer.content.decode()
    for grades in ([3, 3], [3, 3, 5], [0, 3, 3]):
        with pytest.raises(BadAnswer, match="3 grades from 1 to 4"):
            grade_round(one=one, grades=grades, feedback="", by=None)
    one.refresh_from_db()
    assert one.state == RoundState.WAITING


def test_rule_and_questions_have_the_same_numbers_and_the_reason_follows(client, answering):
    Trial.objects.filter(pk=answering.pk).update(settings=answering.settings | {"qualification": True})
    walker = at_work(client, answering)
    count = said(walker).count('<legend lang="en"')
    assert f"{right_wanted(count)} right answers of {count} let you in." in said(walker)
    send(walker, position="round", **{f"choice-{place}": "irrelevant" for place in range(count)})
    page = said(walker)
    assert f"0 answers of {count} were right; {right_wanted(count)} are needed." in page
    again = {line["text"] for block in walker.page.context["blocks"] for line in block["lines"]}
    for own in walker.page.context["failed"]["answers"]:
        assert (own.is_right is None) == (own.text in again)  # the right answer to a repeated question is not shown


@pytest.mark.parametrize(("count", "needed"), [(1, 1), (3, 3), (5, 4), (10, 8), (13, 11)])
def test_four_of_five_are_needed_of_any_number(count, needed):
    assert right_wanted(count) == needed


def test_every_page_says_what_a_sheet_is_paid_and_what_was_done(client, db):
    trial = annotation_trial(12)
    Trial.objects.filter(pk=trial.pk).update(pay_amount=Decimal("0.80"), pay_currency="EUR")
    walker = Walker(client, trial, "paid")
    pages = [said(walker)]
    let_in(walker)
    pages.append(said(walker))
    for position in range(6):
        send(walker, position=str(position), part="box", flagging="1", flag="silent")
        pages.append(said(walker))
    assert all("0.80 EUR" in page for page in pages)
    assert "(0.80 EUR)" in pages[-1]
    assert "(0.80 EUR)" not in pages[0]


def test_who_gets_no_sheet_between_two_stages_reads_that_the_study_goes_on(client, db):
    trial = annotation_trial(12)
    walker, _other = at_work(client, trial, "one"), at_work(Client(), trial, "two")
    assert "Nothing to do at the moment" in said(Walker(Client(), trial, "late"))
    for position in range(6):
        send(walker, position=str(position), part="box", flagging="1", flag="silent")
    assert "there may be one: look here again" in said(walker)
    Trial.objects.filter(pk=trial.pk).update(state="paused")
    assert "look here again" not in said(walker.look())


def test_an_instruction_missed_once_is_a_warning(client, answering):
    walker = at_work(client, answering)
    told = walker.person.sheet.tasks.exclude(attention="").get()
    places = {f"choice-{place}": "irrelevant" for place in range(told.questions.count() + 1)}
    send(walker, position=str(told.position), **places)
    assert "A line told you" in said(walker)
    assert walker.person.state == ParticipantState.CONSENTED


DESK = ("annotation", "annotation-questions", "annotation-rounds", "manage-trial", "watch-trial", "trial-people")


@pytest.fixture
def looked_at(db) -> Trial:
    trial = annotation_trial(8)
    simulate(trial, people=2, accuracy=1.0)
    return trial


def test_every_page_about_the_trial_opens_and_desks_for_those_who_manage_alone(client, looked_at, django_user_model):
    def answers(names):
        return {name: client.get(reverse(name, args=[looked_at.slug])).status_code for name in names}

    assert answers(DESK[:3]) == dict.fromkeys(DESK[:3], 302)
    client.force_login(django_user_model.objects.create_user("somebody"))
    assert answers(DESK[:3]) == dict.fromkeys(DESK[:3], 403)
    client.force_login(django_user_model.objects.create_superuser("desk"))
    pages = (*DESK, "trial", "trial-sheets", "trial-pay")
    assert answers(pages) == dict.fromkeys(pages, 200)


def test_the_first_pass_mends_takes_and_refuses(admin_client, looked_at):
    walker = at_work(admin_client, looked_at)
    second = {name.replace("-0", "-1"): value for name, value in QUESTION.items()}
    second["text-1"] = "Which object would a gust of wind blow off a table first?"
    while "data-code" not in said(walker):
        send(walker, position=str(walker.page.context["position"]), **QUESTION, **second)
    first, second = looked_at.questions_written.filter(state=QuestionState.WAITING)[:2]
    address = reverse("annotation-questions", args=[looked_at.slug])
    sent = {"number": first.number, "choice": "accept", "text": "Which is larger?", "statement": ""}
    assert admin_client.post(address, sent).status_code == 400
    admin_client.post(address, sent | {"text": "Which object would dent a desk more if it fell?"})
    first.refresh_from_db()
    assert (first.state, first.as_written) == (QuestionState.ACCEPTED, QUESTION["text-0"])
    assert first.candidates.get().state == "checking"
    assert admin_client.post(address, {"number": second.number, "choice": "bad"}).status_code == 400
    admin_client.post(address, {"number": second.number, "choice": "bad", "reason": "nobody could tell"})
    second.refresh_from_db()
    assert (second.state, second.reason) == (QuestionState.BAD, "nobody could tell")
    assert admin_client.post(address, {"number": "x"}).status_code == 404


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("Which object would float on water?", "An object that will float on water"),
        ("Which item is likelier to roll?", "An item that is likelier to roll"),
        ("If both fell, which one would break?", ""),
    ],
)
def test_a_statement_is_drafted_where_the_rule_knows_one(question, statement):
    assert statement_of(question) == statement


def test_authors_make_such_a_trial_by_the_form(admin_client, db):
    pack = annotation_trial(2, slug="other").pack
    address = f"{reverse('new-trial')}?protocol=pacs-annotation"
    assert b"Graded rounds" in admin_client.get(address).content
    fields = {"title": "Made", "slug": "by-form", "pack": pack.pk, "seed": 3, "retention_days": 30, "items": "2"}
    assert admin_client.post(address, fields | {"qualification": "false"}).status_code == 302
    made = Trial.objects.get(slug="by-form")
    assert (made.tasks.count(), made.settings["qualification"]) == (2, False)
