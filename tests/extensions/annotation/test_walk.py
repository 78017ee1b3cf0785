"""A research assistant's day in the browser only, with five participants, one of them on a phone.

`WALK=whole` (`make soak PART=walk`) uses twelve clips of five seconds, analysed as by a worker; else there are six
short ones with a stored analysis. `-s` prints the duration of each step.
"""

import json
import os
import re
from io import BytesIO
from zipfile import ZipFile

import pytest
from playwright.sync_api import expect

from extensions.annotation.material.make_pack import make_pack, unmade
from extensions.annotation.material.processing import read_file, unread
from extensions.annotation.models import MaterialFile, Stage
from humantrials.models import Trial
from humantrials.running.verification import verify
from tests.extensions.annotation.analysis.sounds import room, write_video
from tests.extensions.annotation.material.conftest import FIT, analysed
from tests.extensions.annotation.walker import DESKTOP, PHONE, Annotator, Staff, Times

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
IS_WHOLE = os.environ.get("WALK") == "whole"
CLIPS, SECONDS = (12, 5) if IS_WHOLE else (6, 0.4)
PEOPLE = 5
SLUG = "mugs"


@pytest.fixture
def files(tmp_path):
    return [
        write_video(tmp_path / f"mug-{number:02}.mp4", ((SECONDS, number),), room(SECONDS, 0.05, number))
        for number in range(CLIPS)
    ]


@pytest.fixture
def day(admin_client, live_server, chromium, monkeypatch):
    """The assistant's browser, the participants' browsers, and the times; workers' tasks run between their steps."""
    monkeypatch.setattr("celery.current_app.send_task", lambda *_, **__: None)
    monkeypatch.setattr("humantrials.models.trials.token_hex", lambda size: "5a" * size)  # each split gets a question
    made = Day(chromium, live_server.url, admin_client.cookies["sessionid"].value)
    yield made
    print(f"\n{made.times}")
    for one in (made.staff, *made.people):
        one.context.close()


class Day:
    """One assistant, the participants so far, and the duration of each step."""

    def __init__(self, browser, address, session):
        self.browser, self.address, self.times = browser, address, Times()
        self.staff, self.people = Staff(browser, address, session), []
        self.has_disagreed = False

    def newcomer(self, shape=DESKTOP):
        self.people.append(Annotator(self.browser, self.address, shape))
        return self.people[-1].enter(SLUG, f"person-{len(self.people)}")

    def somebody(self):
        """A newcomer while there are fewer than five; then an earlier participant with another free sheet."""
        if len(self.people) < PEOPLE:
            return self.newcomer()
        return next(one for one in self.people if one.come_back().kind != "code")

    @property
    def complaints(self):
        return [said for one in (self.staff, *self.people) for said in one.complaints]


def test_a_day_from_twelve_files_to_a_data_set_with_five_people_by_hand(day, files):
    gather(day, files)
    review(day)
    order_the_pack(day)
    make_the_study(day)
    look_for_objects(day)
    write_questions(day)
    answer_questions(day)
    check_answers(day)
    pay_and_export(day)
    assert verify(Trial.objects.get()).broken == []
    assert day.complaints == []


def gather(day, files):
    staff = day.staff
    with day.times.of(f"begin a material, send {CLIPS} files"):
        staff.go("/material/")
        staff.page.get_by_label("Title").fill("Mugs")
        staff.page.get_by_label("Name").fill(SLUG)
        staff.press("Create")
        staff.page.get_by_label("Videos").set_input_files(files)
        staff.page.get_by_role("button", name="Upload").click()
        expect(staff.page.locator(".messages")).to_contain_text(f"{CLIPS} files have arrived")
    staff.go("/trials/")  # while a worker writes, nobody reads
    with day.times.of(f"a worker reads {CLIPS} files of {SECONDS} s"):
        for pk in unread():
            read_file(pk) if IS_WHOLE else analysed(MaterialFile.objects.get(pk=pk), FIT)


def review(day):
    page = day.staff.page
    day.staff.go(f"/material/{SLUG}/")
    expect(page.locator("#material-counts")).to_contain_text(f"Clips found{CLIPS}")
    with day.times.of(f"review {CLIPS} clips by keys"):
        for number in range(1, CLIPS + 1):
            page.keyboard.press("j")
            page.keyboard.press("k")
            expect(page.locator("#material-counts")).to_contain_text(f"Decided by people{number}")


def order_the_pack(day):
    with day.times.of("order the pack, after its question"):
        day.staff.follow(f"Make the pack of {CLIPS} clips")
        day.staff.press("Make the pack")
    day.staff.go("/trials/")
    with day.times.of("a worker makes the pack"):
        for pk in unmade():
            make_pack(pk)
    day.staff.go(f"/material/{SLUG}/")
    expect(day.staff.page.get_by_role("status").first).to_contain_text("is made")


def make_the_study(day):
    staff = day.staff
    with day.times.of("make the study, set its pay, open it"):
        staff.go("/trials/new/")
        staff.follow("Making questions about pairs of objects")
        staff.page.locator("details.fold > summary").click()
        staff.page.locator("[name=slug]").fill(SLUG)
        staff.page.locator("[name=writers]").fill("1")
        staff.press("Create draft")
        staff.follow("Pay")
        staff.page.locator("[name=pay_amount]").fill("2.50")
        staff.page.locator("[name=pay_currency]").fill("EUR")
        staff.press("Set")
        staff.follow("Manage")
        staff.follow("Open…")
        staff.press("Open the study")
        expect(staff.page.locator(".messages")).to_contain_text("is open")


def left(stage):
    """The number of open tasks of this stage."""
    return Trial.objects.get().tasks.filter(stage=stage).exclude(answers__counts=True).count()


def look_for_objects(day):
    """Do stage A, the first sheet on a phone; one answer is sent back, and the phone shows the reason."""
    with day.times.of("phone: consent, sound check, instructions"):
        phone = day.newcomer(PHONE)
    with day.times.of("phone: a sheet of stage A"):
        phone.work()
    page = day.staff.desk("annotation-answers", SLUG)
    with day.times.of("accept one answer, send one back with its reason"):
        page.keyboard.press("j")
        page.keyboard.press("a")
        expect(page.locator("article").first.get_by_role("status")).to_contain_text("Accepted by admin")
        page.keyboard.press("j")
        page.keyboard.press("r")
        page.keyboard.type("the hand is marked, not the mug")
        page.keyboard.press("Enter")
        expect(page.locator("article").nth(1).get_by_role("status")).to_contain_text("the hand is marked")
    phone.page.reload()
    expect(phone.page.locator(".returned")).to_contain_text("the hand is marked, not the mug")
    expect(phone.page.locator(".returned image").first).to_be_visible()
    with day.times.of("others: what is left of stage A"):
        while left(Stage.OBJECTS):
            day.newcomer().work()


def stage_line(day, number):
    """The desk's line about the stage with this number."""
    return day.staff.desk("annotation", SLUG).locator("#stages ~ .list tbody tr").nth(number)


def write_questions(day):
    """The writer's first round fails with feedback, and the second attempt passes."""
    expect(stage_line(day, 1)).to_contain_text("0 of 1")
    expect(stage_line(day, 2)).to_contain_text("opens by itself after 1 more answer in the stage before it")
    writer = day.somebody()
    for grade, feedback in (("2", "Bring in a third thing."), ("4", "")):
        with day.times.of("a writer: a round of questions"):
            writer.work()
        with day.times.of("grade it"):
            grade_rounds(day, grade, feedback)
        writer.page.reload()
        if feedback:
            expect(writer.page.locator(".warning")).to_contain_text("It got 2.0 points on average; 3 are needed.")
            expect(writer.page.locator(".warning")).to_contain_text(feedback)
    with day.times.of("a writer: a sheet of stage B"):
        writer.work()
    expect(stage_line(day, 2)).to_contain_text("opens when you have looked at 2 questions")
    with day.times.of("take two questions"):
        day.staff.follow("2 questions to look at")
        for _ in range(2):
            day.staff.press(day.staff.page.get_by_role("button", name=re.compile("^Take")).first.inner_text())


def grade_rounds(day, grade, feedback=""):
    """Give the same grade to every answer of every waiting round."""
    page = day.staff.desk("annotation", SLUG)
    day.staff.follow("1 round to grade")
    for answer in page.locator("fieldset.badges").all():
        answer.locator(f"input[value='{grade}']").check()
    page.get_by_label("Feedback").fill(feedback)
    day.staff.press("Grade")


def qualified(day):
    """A participant who has passed both rounds of stage C, now or earlier."""
    one = day.somebody()
    if one.page.locator("form[data-work] [name=position]").first.input_value() == "round":
        one.work()
        grade_rounds(day, "4")
        one.page.reload()
    return one


def answer_questions(day):
    with day.times.of("stage C, with its two rounds and their grades"):
        while left(Stage.ANSWERS):
            qualified(day).work()
    expect(stage_line(day, 2)).to_contain_text("1 of 1")


def check_answers(day):
    """One checker differs from the two others in one line, and the desk shows it beside theirs."""
    with day.times.of("stage D, with rounds and grades"):
        while left(Stage.CHECKS):
            checker = qualified(day)
            if len(day.people) == PEOPLE and not day.has_disagreed:
                checker.contrary = day.has_disagreed = True
            checker.work()
    assert len(day.people) == PEOPLE
    with day.times.of("look at the one who disagrees"):
        page = day.staff.desk("annotation", SLUG)
        day.staff.follow("1 answer alone against two others")
        expect(page.locator("article")).to_have_count(1)
        expect(page.locator("article")).to_contain_text("Object 2")


def pay_and_export(day):
    staff = day.staff
    with day.times.of("approve the pay"):
        page = staff.desk("trial-pay", SLUG)
        staff.follow("Approve all recommended…")
        staff.press("Approve")
        sheets = Trial.objects.get().sheets.filter(state="done").count()
        expect(page.locator(".facts", has_text="EUR").last).to_contain_text(f"{2.5 * sheets:.2f} EUR")
    with day.times.of("the data set so far"), page.expect_download() as download:
        staff.desk("annotation", SLUG)
        page.get_by_role("link", name="Data set so far").click()
    with ZipFile(BytesIO(download.value.path().read_bytes())) as archive:
        objects = json.loads(archive.read("json/objects.json"))
        asked = [json.loads(archive.read(f"json/{split}_data.json")) for split in ("train", "val", "test")]
    assert len(objects) == CLIPS
    assert all(asked)
