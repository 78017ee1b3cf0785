"""Boxes from before the page stored what it showed: found, left out, confirmed, reassigned."""

import json
import os

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from playwright.sync_api import expect

from humantrials.annotation.dataset import dataset_of
from humantrials.annotation.doubtful_boxes import doubtful
from humantrials.annotation.sittings import sheets_for
from humantrials.assignment.exits import withdraw
from humantrials.desk.box_review import ask_again, confirm_boxes
from humantrials.errors import BadAnswer
from humantrials.models import ObjectState, Participant, ParticipantKind, SheetState, Stage, TaskAnswer, TrialState
from humantrials.studies.verification import verify
from tests.accessibility import findings
from tests.factories import make_trial
from tests.humantrials.annotation.drawing import shaped_trial
from tests.humantrials.annotation.fixtures import annotation_trial, simulate, worker_of
from tests.kept import kept

pytestmark = pytest.mark.django_db
SHAPES = ((1280, "light"), (360, "dark"))


@pytest.fixture
@kept
def old(db):
    """A trial from before boxes had a proof."""
    trial = annotation_trial(8)
    make_old(trial)
    return trial


def make_old(trial):
    simulate(trial, accuracy=1.0)
    trial.participants.update(kind=ParticipantKind.PERSON)
    for answer in TaskAnswer.objects.filter(task__stage=Stage.OBJECTS):
        answer.content["box"].pop("proof")
        answer.save()
    trial.refresh_from_db()


def clips_of(trial):
    return list(doubtful([trial]).values_list("task__subject", flat=True))


def kept_objects(trial):
    return list(trial.objects_found.filter(state=ObjectState.KEPT).values_list("number", flat=True))


def page_of(client, trial, **sent):
    address = reverse("annotation-boxes", args=[trial.slug])
    return client.post(address, sent) if sent else client.get(address)


def test_old_boxes_of_kept_clips_are_listed_and_new_ones_and_those_of_simulated_people_are_not(old):
    assert clips_of(old) == kept_objects(old) != []
    first = doubtful().first()
    first.content["box"]["proof"] = "shown"
    first.save()
    assert clips_of(old) == kept_objects(old)[1:]
    old.participants.update(kind=ParticipantKind.SIMULATED)
    assert clips_of(old) == []


def test_the_data_set_leaves_out_a_doubtful_box_with_every_question_about_it_and_says_so(old, tmp_path, capsys):
    confirm_boxes(trial=old, numbers=kept_objects(old)[1:])
    left_out = f"object{kept_objects(old)[0]:04}"
    dataset = dataset_of(old)
    assert dataset.doubtful == (left_out,)
    assert left_out not in {one.key for one in dataset.objects}
    assert not [point for point in dataset.points if left_out in (point.first, point.second)]
    assert len(dataset.points) > 0
    call_command("export_annotation", old.slug, "--out", str(tmp_path / "out"), "--without-clips")
    assert "1 clip is left out until its box is looked at" in capsys.readouterr().out
    mark = json.loads((tmp_path / "out" / "json" / "annotation.json").read_text())
    assert mark["left_out_for_their_box"] == [left_out]
    assert left_out in (tmp_path / "out" / "DATASHEET.md").read_text()
    confirm_boxes(trial=old, numbers=kept_objects(old)[:1])
    assert len(dataset_of(old).objects) == len(kept_objects(old))


def test_nothing_but_doubtful_boxes_is_no_data_set_and_the_command_says_what_to_do(old, tmp_path):
    with pytest.raises(CommandError, match=f"left out until their boxes are looked at .review_boxes {old.slug}"):
        call_command("export_annotation", old.slug, "--out", str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_a_clip_that_waits_again_after_a_withdrawal_breaks_no_export(old):
    confirm_boxes(trial=old, numbers=kept_objects(old))
    withdraw(participant=worker_of(old, Stage.OBJECTS))
    assert dataset_of(old).points == ()


@pytest.mark.parametrize("share", ["some", "all"])
def test_clips_that_are_asked_again_are_answered_by_somebody_new_and_every_promise_holds(old, share):
    """Some clips move to a new sheet; a sheet whose clips are all reassigned is reopened unchanged."""
    numbers = kept_objects(old)[:3] if share == "some" else kept_objects(old)
    before = {one.pk for one in TaskAnswer.objects.filter(counts=True, task__stage=Stage.OBJECTS)}
    finder, sheets = worker_of(old, Stage.OBJECTS), old.sheets.count()
    assert ask_again(trial=old, numbers=numbers) == len(numbers)
    assert verify(old).broken == []
    assert set(old.objects_found.filter(state="waiting").values_list("number", flat=True)) >= set(numbers)
    opened = old.sheets.filter(state=SheetState.OPEN)
    assert not set(opened) & set(sheets_for(Participant(trial=old, first=finder), opened))  # they have heard the clips
    simulate(old, people=30, seed=2, accuracy=1.0)
    assert verify(old).broken == []
    assert not old.sheets.exclude(state=SheetState.DONE).exists()
    assert clips_of(old) == [number for number in kept_objects(old) if number not in numbers]
    after = TaskAnswer.objects.filter(counts=True, task__subject__in=numbers, task__stage=Stage.OBJECTS)
    assert not before & {one.pk for one in after}
    assert {one.content["box"]["proof"] for one in after if "box" in one.content} == {"typed"}
    assert old.sheets.count() - sheets in (0, 1)


def test_a_closed_trial_asks_nobody(old):
    old.state = TrialState.CLOSED
    old.save()
    with pytest.raises(BadAnswer, match="is closed, so no answer can be reassigned; open the trial first"):
        ask_again(trial=old, numbers=kept_objects(old))
    assert clips_of(old) == kept_objects(old)


def test_the_command_lists_what_is_doubtful_and_ends_with_1_until_it_is_asked_for_again(old, capsys):
    with pytest.raises(CommandError) as found:
        call_command("review_boxes", "--json")
    facts = json.loads(capsys.readouterr().out)
    assert (found.value.returncode, facts["found"], facts["asked_again"]) == (1, len(kept_objects(old)), 0)
    assert facts["boxes"][0].keys() == {"trial", "clip", "box", "name", "by", "sent"}
    call_command("review_boxes", old.slug, "--ask-again")
    assert "asked for again" in capsys.readouterr().out
    call_command("review_boxes")
    assert "0 boxes without proof" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--ask-again"], "name one trial"),
        (["nowhere"], "there is no trial 'nowhere'"),
        (["physics"], "only pacs-annotation has boxes"),
    ],
)
def test_a_mistake_of_the_caller_changes_nothing(old, arguments, words):
    make_trial(slug="physics")
    with pytest.raises(CommandError, match=words) as error:
        call_command("review_boxes", *arguments)
    assert error.value.returncode == 2
    assert clips_of(old) == kept_objects(old)


def test_staff_see_each_box_on_its_picture_and_confirm_it_or_ask_again(old, admin_client):
    page = page_of(admin_client, old).content.decode()
    assert page.count("<rect") == len(kept_objects(old))
    first, second, *_ = kept_objects(old)
    assert page_of(admin_client, old, clip=first, choice="confirm").status_code == 302
    assert page_of(admin_client, old, clip=second, choice="again").status_code == 302
    assert {first, second} & set(clips_of(old)) == set()
    assert TaskAnswer.objects.get(counts=True, task__object__number=first).content["box"]["proof"] == "confirmed"
    assert old.objects_found.get(number=second).state == ObjectState.WAITING
    assert [one.kind for one in old.events.all()][-2:] == ["boxes confirmed", "boxes asked again"]
    assert (
        f"{len(kept_objects(old)) - 1} boxes to look at"
        in admin_client.get(reverse("annotation", args=[old.slug])).content.decode()
    )


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"choice": "confirm"}, "Tick at least one clip"),
        ({"clip": "0", "choice": "burn"}, "Choose an action"),
        ({"clip": ["999", "x"], "choice": "again"}, "does not wait for a review"),
    ],
)
def test_what_is_no_decision_is_said_and_changes_nothing(old, admin_client, sent, words):
    answer = page_of(admin_client, old, **sent)
    assert answer.status_code == 400
    assert words in answer.content.decode()
    assert clips_of(old) == kept_objects(old)


def test_the_page_of_boxes_is_for_those_who_manage_the_trial(old, client, django_user_model):
    assert page_of(client, old).status_code == 302
    client.force_login(django_user_model.objects.create_user("somebody"))
    assert page_of(client, old, clip="0", choice="confirm").status_code == 403
    assert clips_of(old) == kept_objects(old)


def test_the_spot_check_draws_the_boxes_that_the_answers_say(old, admin_client):
    page = admin_client.get(reverse("annotation-answers", args=[old.slug]))
    found = [card.answer.content for card in page.context["cards"]]
    drawn = [content["box"]["box"] for content in found if "box" in content]
    assert drawn
    for left, top, right, bottom in drawn:
        line = f'<rect x="{left}" y="{top}" width="{right - left}" height="{bottom - top}"/>'
        assert line in page.content.decode().split("data-review")[1]


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_the_desk_shows_boxes_on_frames_of_every_shape_and_axe_finds_nothing(admin_client, live_server, browser):
    trial = shaped_trial()
    make_old(trial)
    context = browser.new_context()
    cookie = {"name": "sessionid", "value": admin_client.cookies["sessionid"].value, "url": live_server.url}
    context.add_cookies([cookie])
    page = context.new_page()
    for name in ("annotation", "annotation-answers", "annotation-boxes"):
        page.goto(live_server.url + reverse(name, args=[trial.slug]))
        for width, theme in SHAPES:
            into(page, width, theme)
            for one in page.locator(".spots .picture").all():
                assert one.bounding_box()["height"] <= 14 * 16 + 1
                assert one.evaluate("(svg) => svg.querySelector('rect').getBBox().width") > 0
            assert findings(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            if folder := os.environ.get("SHOTS"):
                page.screenshot(path=f"{folder}/{name}-{width}.png", full_page=True)
    for width, theme in SHAPES:
        into(page, width, theme)
        page.get_by_role("checkbox").first.check()
        with page.expect_navigation():
            page.get_by_role("button", name="The ticked boxes are right").click()
        expect(page.get_by_role("status")).to_have_text("1 box confirmed.")
    context.close()


def into(page, width, theme):
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=theme)
