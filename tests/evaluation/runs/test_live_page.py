"""A run's page in a real browser, while a real worker answers."""

import json

import pytest
from playwright.sync_api import expect

from tests.programs import python
from tests.site import environment


@pytest.mark.browser
@pytest.mark.worker
def test_the_page_follows_the_run_to_its_end_without_a_reload_by_hand(small_site, chromium):
    options = {"default": "random", "seconds": 0.075}  # for nine seconds, so that the page is open long before the end
    command = ["-m", "tests.evaluation.crash", "seed", json.dumps(options), "0"]
    seeded = python(command, environment(small_site.folder), timeout=60)
    page, said = chromium.new_page(), []
    page.on("console", lambda message: said.append(message.text))
    heard: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: heard.append(str(frame))))
    page.goto(f"{small_site.address}/runs/{json.loads(seeded.stdout)['run']}/")
    expect(page.locator(".state")).to_have_text("Running")
    first = page.locator(".replies > li").first
    expect(first).to_contain_text("parsed as")
    first.locator("summary").click()
    expect(page.locator("details[open] .turns")).to_contain_text("Is this true?")
    expect(page.locator(".state")).to_have_text("Finished")
    expect(page.get_by_role("table")).to_contain_text("All questions")
    assert len(heard) >= 2
    assert said == []
