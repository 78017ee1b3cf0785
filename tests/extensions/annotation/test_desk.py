"""Staff's review pages: every question is beside the pictures and clips of its pair."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import expect

from extensions.annotation.models import QualificationRound, QuestionState, RoundState, WrittenQuestion
from tests.accessibility import findings
from tests.extensions.annotation.finished_trial import settled_trial
from tests.factories import make_participant
from tests.humantrials.site_content import add_poster, write_files
from tests.markup import compact

pytestmark = pytest.mark.django_db
WIDTHS = "(one) => [one.viewBox.baseVal.width, one.querySelector('image').getBBox().width]"
PAGES = ("annotation-questions", "annotation-rounds")


@pytest.fixture
def trial(db):
    """A trial with one open question, a writers' round about two pairs, and a round of reasons about a third."""
    trial = settled_trial()
    for number, one in enumerate(trial.objects_found.all()):
        add_poster(one.clip)
        trial.objects_found.filter(pk=one.pk).update(name=f"thing {number}")
    write_files(trial.pack)
    trial.questions_written.filter(number=0).update(state=QuestionState.WAITING)
    send_rounds(trial)
    return trial


def send_rounds(trial):
    rolls = {"answer": 1, "properties": ["shape"]}
    questions = [{"text": f"Which of pair {pair} would roll?", "pair": pair, **rolls} for pair in (2, 1)]
    make_round(trial, "questions", 1, questions=questions)
    said = {"choice": "0", "bad": False, "why": "it is lighter"}
    answers = {str(one.pk): {**said, "text": one.text} for one in trial.questions_written.all()[:2]}
    answers[str(trial.questions_written.all()[1].pk)] |= {"choice": "irrelevant"}
    make_round(trial, "answers", 2, answers=answers)


def make_round(trial, stage, number, **content):
    kept = {"trial": trial, "participant": make_participant(trial), "attempt": 1}
    QualificationRound.objects.create(stage=stage, number=number, content=content, **kept)


def page_of(client, name, trial):
    return client.get(reverse(name, args=[trial.slug])).content.decode()


def shown(part):
    """The numbers of the objects with a frame and a clip on this part of a page."""
    frames, clips = (re.findall(rf"annotation/(\d+)\.{kind}", part) for kind in ("jpg", "mp4"))
    assert frames == clips
    return [int(number) for number in frames]


def test_each_question_to_be_graded_stands_beside_its_pair(admin_client, trial):
    written, reasons = compact(page_of(admin_client, "annotation-rounds", trial)).split("<h3>")[1:]
    blocks = written.split('<div class="beside">')[1:]
    assert [shown(block) for block in blocks] == [[5, 4], [3, 2]]  # pairs 2 and 1, in the order of writing
    assert all(f"Which of pair {pair}" in block for pair, block in zip((2, 1), blocks, strict=True))
    assert 'viewBox="0 0 320 240"' in blocks[0]
    assert '<rect x="32" y="24" width="128" height="96"/>' in blocks[0]
    assert "Object 2: shape" in blocks[0]
    assert shown(reasons) == [1, 0]  # once, since all its questions are about one pair
    assert "Object 1: it is lighter" in reasons
    assert "Irrelevant: it is lighter" in reasons


def test_the_grades_keep_the_order_in_which_the_answers_were_sent(admin_client, trial):
    page = page_of(admin_client, "annotation-rounds", trial).split("<h3>")[1]
    in_order = [("2", ""), ("", "grade-0"), ("1", ""), ("", "grade-1")]
    assert re.findall(r"Which of pair (\d)|name=\"(grade-\d)\" value=\"1\"", page) == in_order
    one = QualificationRound.objects.get(stage="questions")
    sent = {"round": one.pk, "grade-0": "4", "grade-1": "2", "feedback": "Good."}
    assert admin_client.post(reverse("annotation-rounds", args=[trial.slug]), sent).status_code == 302
    one.refresh_from_db()
    assert (one.state, one.grades) == (RoundState.PASSED, [4, 2])


def test_a_refused_grading_keeps_what_was_chosen_and_typed(admin_client, trial):
    one = QualificationRound.objects.get(stage="questions")
    sent = {"round": one.pk, "grade-0": "3", "feedback": "Name a <property>."}
    answer = admin_client.post(reverse("annotation-rounds", args=[trial.slug]), sent)
    assert answer.status_code == 400
    page = compact(answer.content.decode())
    assert re.findall(r'name="(grade-\d)" value="(\d)" checked', page) == [("grade-0", "3")]
    assert "Name a &lt;property&gt;.</textarea>" in page
    one.refresh_from_db()
    assert one.state == RoundState.WAITING


def test_a_question_that_was_taken_back_is_still_graded(admin_client, trial):
    WrittenQuestion.objects.all().delete()
    page = page_of(admin_client, "annotation-rounds", trial)
    assert "were taken back since" in page
    assert "it is lighter" in page


def test_the_first_pass_shows_both_clips_with_their_boxes(admin_client, trial):
    page = page_of(admin_client, "annotation-questions", trial)
    assert shown(page) == [1, 0]
    assert page.count("<rect") == 2


@pytest.mark.parametrize(("kind", "content_type"), [("frame", "image/jpeg"), ("clip", "video/mp4")])
def test_pictures_and_clips_are_for_those_who_manage_the_trial(admin_client, trial, kind, content_type):
    address = reverse(f"annotation-{kind}", args=[trial.slug, 1])
    answer = admin_client.get(address, headers={"Range": "bytes=0-9"})
    assert (answer.status_code, answer["Content-Type"], len(answer.getvalue())) == (206, content_type, 10)
    assert "private" in answer["Cache-Control"]
    assert Client().get(address).status_code == 302
    assert admin_client.get(reverse(f"annotation-{kind}", args=[trial.slug, 99])).status_code == 404


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_the_pages_have_no_finding_and_their_clips_play(trial, admin_client, live_server, chromium):
    context = chromium.new_context()
    cookie = {"name": "sessionid", "value": admin_client.cookies["sessionid"].value, "url": live_server.url}
    context.add_cookies([cookie])
    page, said = context.new_page(), []
    page.on("console", lambda message: said.append(message.text))
    for name in PAGES:
        page.goto(live_server.url + reverse(name, args=[trial.slug]))
        page.get_by_text("Play its clip").first.click()
        video = page.locator("video").first
        video.evaluate("(video) => video.play()")
        expect(video).to_have_js_property("ended", True)
        frame = page.locator(".of-desk .picture").first
        for width, theme in ((1280, "light"), (360, "dark")):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=theme)
            assert frame.evaluate(WIDTHS) == [320, 320]
            assert findings(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert said == []
    context.close()


def test_the_public_page_leads_to_the_pages_of_its_kind_of_study(staff, trial):
    page = page_of(staff, "trial", trial)
    assert reverse("annotation", args=[trial.slug]) in page
    assert reverse("trial-export", args=[trial.slug]) not in page
