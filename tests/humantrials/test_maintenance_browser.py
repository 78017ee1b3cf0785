"""Maintenance during participation, in Chromium: the answer waits in the browser and is accepted afterwards."""

import pytest
from playwright.sync_api import expect

from tests.accessibility import findings

pytestmark = pytest.mark.browser


@pytest.fixture
def maintenance(seat):
    def act(word: str) -> None:
        done = seat.site.manage("maintenance", word)
        assert done.returncode == 0, done.stderr
        seat.page.wait_for_timeout(1500)  # the site checks once a second

    yield act
    act("off")


def test_an_answer_given_meanwhile_is_kept_over_a_reload_and_taken_afterwards(seat, maintenance):
    seat.page.on("dialog", lambda dialog: dialog.accept())
    seat.reach_trials()
    maintenance("on")
    seat.skip().page.keyboard.press("j")
    expect(seat.outbox).to_have_text("Not saved yet. We keep trying.")
    seat.page.reload()
    expect(seat.page.get_by_role("heading")).to_have_text("We will be back soon")
    expect(seat.page.get_by_text("wait in this browser")).to_be_visible()
    assert findings(seat.page) == []
    assert seat.judgments() == []
    maintenance("off")
    seat.page.get_by_role("link", name="Try again").click()
    expect(seat.outbox).to_have_text("Saved: video 1")
    (given,) = seat.judgments()
    assert given["answer"]
