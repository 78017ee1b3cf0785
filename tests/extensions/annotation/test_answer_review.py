"""Staff review answers: each beside its pictures and others' answers, accepted or sent back, also by keys."""

import os
import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from extensions.annotation.desk.answer_views import send_back
from extensions.annotation.models import Stage, TaskAnswer
from extensions.annotation.work.answer_comparison import alone_in, candidates_of, compared
from humantrials.assignment.claims import claim_sheet
from humantrials.errors import BadAnswer
from humantrials.models import SheetState, TrialState
from humantrials.running.verification import verify
from tests.accessibility import findings
from tests.extensions.annotation.fixtures import annotation_trial
from tests.factories import make_participant
from tests.humantrials.inside_crowd import simulate
from tests.humantrials.site_content import write_files

pytestmark = pytest.mark.django_db


@pytest.fixture
def walked(db):
    """A trial with careless people, some of whose answers differ from all others'."""
    trial = annotation_trial(10)
    simulate(trial, accuracy=0.8)
    trial.refresh_from_db()
    return trial


def counted(trial, stage):
    return TaskAnswer.objects.filter(task__trial=trial, task__stage=stage, counts=True).select_related("task__trial")


def page_of(client, trial, **asked):
    return client.get(reverse("annotation-answers", args=[trial.slug]), asked)


def act(client, answer, **sent):
    return client.post(reverse("annotation-answer", args=[answer.task.trial.slug, answer.pk]), sent, follow=True)


def test_every_answer_about_a_pair_shows_its_questions_and_what_others_said(admin_client, walked):
    shown = [card for number in (1, 2) for card in page_of(admin_client, walked, page=number).context["cards"]]
    assert {card["answer"].task.stage for card in shown} >= {Stage.ANSWERS, Stage.CHECKS}
    for card in shown:
        asked = card["answer"].content.get("answers", {})
        assert len(card["lines"]) == len(asked) or card["answer"].task.stage in (Stage.OBJECTS, Stage.QUESTIONS)
        for line in card["lines"]:
            assert card["answer"].pk in {voice.answer for voice in line.voices}
    page = page_of(admin_client, walked).content.decode().split("data-review")[1]
    assert page.count("<article") == 10
    assert page.count("<rect") >= 10


def test_an_answer_alone_differs_from_the_two_others(walked):
    found = alone_in(walked)
    assert found
    lines = compared(candidates_of(walked))
    for pk in found:
        odd = [line for line in lines[pk] if line.alone and line.alone.answer == pk]
        for line in odd:
            own = [voice.choice for voice in line.voices if voice.answer == pk]
            others = {voice.choice for voice in line.voices if voice.answer != pk}
            assert (len(own), len(others)) == (1, 1)
            assert own[0] not in others
        assert odd


@pytest.mark.parametrize("stage", Stage.values)
def test_what_is_sent_back_is_asked_of_somebody_else_and_every_promise_holds(walked, stage):
    before = [counted(walked, stage).order_by("pk")[place] for place in (0, 1)]
    for answer in before:
        send_back(answer=answer, reason="the wrong object", by=None)
    assert verify(walked).broken == []
    assert not counted(walked, stage).filter(pk__in=[one.pk for one in before]).exists()
    simulate(walked, accuracy=1.0)
    assert verify(walked).broken == []
    for answer in before:
        (now,) = counted(walked, stage).filter(task=answer.task)
        people = {(one.participant.first or one.participant).pk for one in (now, answer)}
        assert len(people) == 2
    assert walked.events.filter(kind="answer sent back").count() == 2


def test_a_clip_that_went_back_comes_before_the_sheets_that_hang_on_it():
    trial = annotation_trial(8)
    simulate(trial, people=1, accuracy=1.0)
    assert trial.tasks.filter(stage=Stage.QUESTIONS).exists()
    send_back(answer=counted(trial, Stage.OBJECTS).first(), reason="the wrong object", by=None)
    sheet = claim_sheet(participant=make_participant(trial, state="consented"))
    assert [task.stage for task in sheet.tasks.all()] == [Stage.OBJECTS]


def test_what_is_sent_back_shares_a_sheet(walked):
    sheets = set(walked.sheets.values_list("pk", flat=True))
    first, second = counted(walked, Stage.ANSWERS).order_by("pk")[:2]
    for answer in (first, second):
        send_back(answer=answer, reason="careless", by=None)
    fresh = walked.sheets.exclude(pk__in=sheets)
    assert fresh.count() == 1
    assert fresh.get().state == SheetState.OPEN
    assert fresh.get().tasks.count() == 2


def test_sending_back_needs_a_reason_a_counted_answer_and_an_open_trial(admin_client, walked):
    answer = counted(walked, Stage.CHECKS).first()
    assert "Give a reason for sending it back" in act(admin_client, answer, act="back", reason=" ").content.decode()
    assert "Choose what to do" in act(admin_client, answer, act="burn").content.decode()
    walked.state = TrialState.CLOSED
    walked.save()
    assert "open the trial first" in act(admin_client, answer, act="back", reason="x").content.decode()
    assert counted(walked, Stage.CHECKS).filter(pk=answer.pk).exists()
    walked.state = TrialState.OPEN
    walked.save()
    act(admin_client, answer, act="back", reason="x")
    answer.refresh_from_db()
    assert (answer.sent_back, answer.counts) == ("x", False)
    with pytest.raises(BadAnswer, match="does not count"):
        send_back(answer=answer, reason="x", by=None)


def test_the_page_is_for_those_who_manage_the_trial(client, walked, django_user_model):
    answer = counted(walked, Stage.CHECKS).first()
    client.force_login(django_user_model.objects.create_user("somebody"))
    assert page_of(client, walked).status_code == 403
    assert act(client, answer, act="accept").status_code == 403
    answer.refresh_from_db()
    assert answer.looked_at is None


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("width", "theme"), [(1440, "light"), (360, "dark")])
def test_answers_are_decided_by_keys_and_the_figures_follow(walked, admin_client, live_server, chromium, width, theme):
    write_files(walked.pack)
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
    cookie = {"name": "sessionid", "value": admin_client.cookies["sessionid"].value, "url": live_server.url}
    context.add_cookies([cookie])
    page = context.new_page()
    page.set_default_timeout(20_000)
    page.goto(live_server.url + reverse("annotation-answers", args=[walked.slug]) + "?draw=1")
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=f"{folder}/answers-{width}.png", full_page=True)
    page.keyboard.press("j")
    page.keyboard.press("a")
    expect(page.locator("article").first.get_by_role("status")).to_contain_text("Accepted by admin", timeout=20_000)
    expect(page.locator("#answer-figures")).to_contain_text(re.compile(r"accepted\s+1"), timeout=20_000)
    page.keyboard.press("j")
    page.keyboard.press("r")
    page.keyboard.press("Enter")
    second = page.locator("article").nth(1)
    expect(second.get_by_role("alert")).to_contain_text("Give a reason for sending it back", timeout=20_000)
    page.keyboard.type("another thing is touched")
    page.keyboard.press("Enter")
    expect(second.get_by_role("status")).to_contain_text("another thing is touched", timeout=20_000)
    expect(page.locator("#answer-figures")).to_contain_text(re.compile(r"sent back\s+1"), timeout=20_000)
    context.close()
