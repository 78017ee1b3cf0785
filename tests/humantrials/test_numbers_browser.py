"""A question with a number as its answer, in Chromium: the field opens after the clip and is empty each time."""

import pytest
from playwright.sync_api import expect

from tests.benchmarks.definitions.files.test_numbers import write_folder
from tests.humantrials.browser_participant import DARK_PHONE
from tests.humantrials.protocols.test_numbers_of_people import STUDY
from tests.humantrials.test_every_page import width_beyond

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module", autouse=True)
def counting(site, tmp_path_factory):
    """A study of a benchmark defined in a file, on the running site."""
    root = write_folder(tmp_path_factory.mktemp("counting"))
    with (root / "benchmark.toml").open("a") as file:
        file.write(STUDY.format(kind="how-many", labels='number = "So many"'))
    for command in (
        ["import_benchmark", str(root)],
        ["create_trial", "count", "--protocol=counting-people", "--set", "replicates=4", "--open"],
    ):
        done = site.manage(*command)
        assert done.returncode == 0, done.stderr


def test_each_number_is_typed_into_an_empty_field_once_the_clip_was_seen(take_seat):
    seat = take_seat("number", **DARK_PHONE).enter(slug="count")
    page = seat.page
    seat.press("button[value=yes]")
    seat.press("main form button")
    for typed in ("1", "3,6", "-٤"):
        field = page.locator("#number")
        expect(field).to_have_value("")
        page.locator("[data-play]").click()
        seat.see_the_answers_open()
        expect(field).to_be_focused()
        page.keyboard.type(typed)  # "1" is the key of the answer elsewhere
        assert width_beyond(page) <= 0
        page.keyboard.press("Enter")
    expect(page.locator(".code, code").first).to_be_visible()
    assert [row["answer"] for row in seat.judgments()] == ["1", "3.6", "-4"]
    assert seat.complaints == []


@pytest.mark.parametrize("language", ["de", "ar"])
def test_a_number_with_marks_between_thousands_is_told_at_its_field(take_seat, language):
    seat = take_seat(f"marks-{language}", viewport={"width": 390, "height": 844}).enter(language, slug="count")
    seat.press("button[value=yes]")
    seat.press("main form button")
    seat.page.locator("[data-play]").click()
    seat.see_the_answers_open()
    field = seat.page.locator("#number")
    for typed, is_number in (("1.234,5", False), ("1,234", False), ("١٬٢٣٤", False), ("2,5", True)):
        field.fill(typed)
        assert field.evaluate("(field) => field.checkValidity()") is is_number, typed
        if not is_number:
            seat.page.keyboard.press("Enter")
            assert seat.judgments() == []
    seat.page.keyboard.press("Enter")
    expect(seat.page.locator("[data-outbox][data-state=saved]")).to_be_visible()
    assert [row["answer"] for row in seat.judgments()] == ["2.5"]
    assert seat.complaints == []
