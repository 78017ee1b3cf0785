"""The outbox in Chromium: answers are saved before sending, resent, stored once; the code comes when all arrived."""

import re

import pytest
from playwright.sync_api import Route, expect

from tests.accessibility import findings
from tests.humantrials.browser_participant import Seat
from tests.site import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.requirement("P1")]

ANSWERS = "**/answer/"
CODE = re.compile("^[A-Z0-9]{8}$")
PARTIAL = re.compile("^PARTIAL-66-[A-Z0-9]{8}$")  # two of three answers are here
KEEPS_NOTHING = "Object.defineProperty(window, 'indexedDB', { get() { throw new Error('blocked'); } });"
# The content of the outbox at each sending of an answer.
WATCHES_THE_OUTBOX = """
window.kept = () => new Promise((resolve) => {
  indexedDB.open("outbox", 1).onsuccess = (event) => {
    const letters = event.target.result.transaction("letters").objectStore("letters").getAll();
    letters.onsuccess = () => resolve(letters.result.map((letter) => [letter.position, letter.fields.answer]));
  };
});
window.whenSent = [];
const send = window.fetch;
window.fetch = async (...request) => {
  if (String(request[0]).endsWith("/answer/")) window.whenSent.push(await window.kept());
  return send(...request);
};
"""


def cut(seat: Seat) -> None:
    seat.page.route(ANSWERS, lambda route: route.abort())


def mend(seat: Seat) -> None:
    seat.page.unroute(ANSWERS)


def answer(seat: Seat, times: int = 1) -> None:
    for _ in range(times):
        seat.skip().page.keyboard.press("j")


def test_every_answer_is_kept_before_it_is_sent_and_dropped_when_it_is_there(seat):
    seat.page.add_init_script(WATCHES_THE_OUTBOX)
    seat.reach_trials()
    (given,) = seat.skip().save()
    ((kept,),) = seat.page.evaluate("whenSent")
    assert kept == ["0", given["answer"]]
    assert seat.page.evaluate("kept()") == []
    assert seat.complaints == []


def test_an_answer_given_without_network_is_sent_when_it_is_back(seat):
    seat.reach_trials()
    cut(seat)
    answer(seat)
    expect(seat.outbox).to_have_text("Not saved yet. We keep trying.")
    expect(seat.page.locator("[data-number]")).to_have_text("Video 2 of 3")
    assert seat.judgments() == []
    expect(seat.page.get_by_role("button", name="Try again now")).to_be_visible()
    mend(seat)
    seat.try_again()
    expect(seat.outbox).to_have_text("Saved: video 1")
    assert len(seat.judgments()) == 1


def test_a_device_that_comes_back_to_the_network_sends_by_itself(seat):
    seat.reach_trials().skip()
    seat.context.set_offline(True)
    seat.page.keyboard.press("j")
    expect(seat.outbox).to_have_text("Not saved yet. We keep trying.")
    seat.context.set_offline(False)
    expect(seat.outbox).to_have_text("Saved: video 1")
    assert len(seat.judgments()) == 1


@pytest.mark.parametrize("is_kept", [True, False])
def test_an_answer_survives_a_reload_before_it_was_sent(seat, is_kept):
    if not is_kept:
        seat.page.add_init_script(KEEPS_NOTHING)
    seat.page.on("dialog", lambda dialog: dialog.accept())
    seat.reach_trials()
    cut(seat)
    answer(seat)
    expect(seat.outbox).to_have_text("Not saved yet. We keep trying.")
    mend(seat)
    seat.page.reload()
    if is_kept:
        expect(seat.page.locator("[data-number]")).to_have_text("Video 2 of 3")
        wait_for(lambda: len(seat.judgments()) == 1)
    else:  # no storage: the clip is shown again, and nothing is lost silently
        expect(seat.page.locator("[data-number]")).to_have_text("Video 1 of 3")


def test_an_answer_whose_receipt_is_lost_is_sent_again_and_taken_once(seat):
    """The server has it, but its reply does not arrive."""
    sent = []

    def lose_the_first_reply(route: Route) -> None:
        sent.append(route.request.post_data)
        if len(sent) == 1:
            seat.context.request.post(route.request.url, form={"position": "0", "answer": "yes"})
            route.abort()
        else:
            route.continue_()

    seat.reach_trials()
    seat.page.route(ANSWERS, lose_the_first_reply)
    answer(seat)
    expect(seat.outbox).to_have_text("Saved: video 1")
    assert len(sent) == 2
    assert [row["answer"] for row in seat.judgments()] == ["yes"]


def test_a_study_that_is_left_with_answers_unsent_goes_on_in_the_next_tab(seat):
    seat.page.add_init_script(WATCHES_THE_OUTBOX)
    seat.reach_trials()
    seat.context.route(ANSWERS, lambda route: route.abort())
    answer(seat, 2)
    expect(seat.page.locator("[data-number]")).to_have_text("Video 3 of 3")
    wait_for(lambda: len(seat.page.evaluate("kept()")) == 2)  # nobody closes a tab within a millisecond of a key
    road = seat.page.url
    seat.page.close()
    seat.context.unroute(ANSWERS)
    seat.page = seat.context.new_page()
    seat.page.goto(road)
    expect(seat.page.locator("[data-number]")).to_have_text("Video 3 of 3")
    wait_for(lambda: len(seat.judgments()) == 2)


def test_the_code_comes_only_after_the_last_answer_is_stored(seat):
    seat.reach_trials()
    answer(seat, 2)
    seat.page.route(ANSWERS, lambda route: route.fulfill(status=503))
    answer(seat)
    expect(seat.outbox).to_have_text("Not saved yet. We keep trying.")
    expect(seat.page.locator("[data-code]")).to_have_count(0)
    mend(seat)
    expect(seat.page.locator("[data-code]")).to_have_text(CODE)
    assert (len(seat.judgments()), seat.person()["state"]) == (3, "finished")


def test_a_network_that_is_cut_at_the_finish_costs_nothing(seat):
    seat.reach_trials()
    answer(seat, 2)
    road = seat.page.url
    seat.page.route(road, lambda route: route.abort())
    answer(seat)
    wait_for(lambda: len(seat.judgments(road)) == 3)
    seat.page.unroute(road)
    seat.page.goto(road)
    expect(seat.page.locator("[data-code]")).to_have_text(CODE)
    assert (len(seat.judgments()), seat.person()["state"]) == (3, "finished")


def without_a_way_for_the_last_answer(seat: Seat) -> Seat:
    """Go to the end with a last answer that can't be sent, until the code is given."""
    seat.reach_trials()
    answer(seat, 2)
    wait_for(lambda: len(seat.judgments()) == 2)
    seat.page.route(ANSWERS, lambda route: route.fulfill(status=503))
    answer(seat)
    for _ in range(5):
        expect(seat.outbox).to_have_text("Not saved yet. We keep trying.")
        with seat.page.expect_response(ANSWERS):
            seat.try_again()
    expect(seat.page.locator("[data-code]")).to_have_text(PARTIAL)
    return seat


def test_after_retries_in_vain_the_code_is_given_and_the_sheet_marked(seat):
    page = without_a_way_for_the_last_answer(seat).page
    expect(page.get_by_role("button", name="Try again now")).to_be_visible()
    expect(page.get_by_text("Not here yet, by number: 3.")).to_be_visible()
    assert findings(page) == []
    assert (len(seat.judgments()), seat.person()["state"]) == (2, "consented")
    assert seat.person()["repair_at"]
    mend(seat)  # the page stayed open: the missing answer arrives, and the sheet counts
    seat.try_again()
    expect(page.get_by_role("heading", name="Thank you, you are done")).to_be_visible()
    expect(page.locator("[data-code]")).to_have_text(CODE)
    assert (len(seat.judgments()), seat.person()["state"]) == (3, "finished")
    assert seat.person()["repair_at"] is None


def test_whoever_comes_back_with_a_code_sends_what_the_browser_kept(seat):
    page = without_a_way_for_the_last_answer(seat).page
    page.on("dialog", lambda dialog: dialog.accept())
    code = page.locator("[data-code]").inner_text()
    page.reload()
    expect(page.locator("[data-code]")).to_have_text(code)
    assert findings(page) == []
    expect(seat.outbox).to_have_text("Not saved yet. We keep trying.")
    mend(seat)
    page.reload()
    expect(page.get_by_role("heading", name="Thank you, you are done")).to_be_visible()
    assert (len(seat.judgments()), seat.person()["state"]) == (3, "finished")


def test_whoever_comes_back_with_nothing_kept_answers_again(seat):
    seat.page.add_init_script(KEEPS_NOTHING)
    page = without_a_way_for_the_last_answer(seat).page
    page.on("dialog", lambda dialog: dialog.accept())
    mend(seat)
    road = page.url
    page.goto("about:blank")
    page.goto(road)
    page.get_by_role("link", name="Answer these videos again").click()
    expect(page.locator("[data-number]")).to_have_text("Video 3 of 3")
    answer(seat)
    expect(page.get_by_role("heading", name="Thank you, you are done")).to_be_visible()
    assert (len(seat.judgments()), seat.person()["state"]) == (3, "finished")
