"""Real faults of studies, on a real site: frames, rushes, tabs, lost networks, broken clips, wrong clocks."""

import json
import re
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import httpx
import pytest
from playwright.sync_api import Browser, expect

from humantrials.simulation.browser import PageReader
from tests.chromium import open_chromium
from tests.humantrials.site import database_of
from tools.bench.load.clients import TLS

pytestmark = pytest.mark.browser


class PanelPage(BaseHTTPRequestHandler):
    """A panel's own page on another site: it frames the task, tries a cookie, and receives the submission."""

    submitted: list[dict[str, list[str]]] = []
    task = ""

    def do_GET(self) -> None:
        frame = f'<iframe id="task" src="{self.task}" width="900" height="800"></iframe>'
        self._say(f"<!doctype html><title>panel</title>{frame}")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.submitted.append({"path": [self.path], **parse_qs(body)})
        self._say("<!doctype html><title>submitted</title><p>submitted</p>")

    def _say(self, page: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(page.encode())

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The whole Chromium with third-party cookies blocked, which its shell can't do."""
    with open_chromium("--test-third-party-cookie-phaseout") as browser:
        yield browser


@pytest.fixture
def panel(site) -> Iterator[str]:
    """The address of a panel on another site (127.0.0.1 beside localhost), as in the settings of the trial `framed`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), PanelPage)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    settings = json.dumps({"frame_hosts": [address], "submit_hosts": [address]})
    with sqlite3.connect(database_of(site)) as database:
        change = "update humantrials_trial set panel = 'framed', panel_settings = ? where slug = 'framed'"
        database.execute(change, [settings])
    yield address
    server.shutdown()


@pytest.mark.requirement("P5")
def test_the_whole_road_in_a_frame_of_another_site_with_its_cookies_blocked(site, browser, panel):
    task = f"{site.address}/t/framed/?assignmentId=a1&hitId=h1&workerId=w1&turkSubmitTo={panel}"
    PanelPage.task, PanelPage.submitted = task, []
    context = browser.new_context(viewport={"width": 1000, "height": 900})
    page = context.new_page()
    page.goto(panel)
    frame = page.frame_locator("#task")
    frame.get_by_role("button", name="I agree").click()
    expect(frame.get_by_role("button", name="Try it with one video")).to_be_visible()
    inside = next(one for one in page.frames if one.url.startswith(site.address))
    inside.evaluate("document.cookie = 'mine=1; SameSite=None; Secure'")
    assert inside.evaluate("document.cookie") == ""  # they really are blocked
    frame.get_by_role("button", name="Try it with one video").click()
    for number in range(4):
        frame.locator("[data-play]").click()
        expect(frame.locator(".answers button").first).to_be_enabled()
        frame.locator(".answers button").first.click()
        if number == 0:
            frame.get_by_role("button", name="Start with the first video").click()
    code = frame.locator("[data-code]").inner_text()
    frame.get_by_role("button", name="Submit the task").click()
    expect(frame.get_by_text("submitted")).to_be_visible()
    assert PanelPage.submitted == [
        {"path": ["/mturk/externalSubmit"], "assignmentId": ["a1"], "completionCode": [code], "outcome": ["finished"]}
    ]
    assert context.cookies() == []
    context.close()


@pytest.mark.requirement("P5")
def test_a_frame_of_somebody_whom_the_trial_does_not_name_stays_empty(site, browser, panel):
    PanelPage.task = f"{site.address}/t/walk/?participant=framed-by-a-stranger"
    page = browser.new_page()
    page.goto(panel)
    for _ in range(600):
        if len(page.frames) > 1 and page.frames[1].url.startswith("chrome-error:"):
            break
        page.wait_for_timeout(100)
    assert page.frames[1].url.startswith("chrome-error:")
    page.close()


@pytest.mark.requirement("P3")
@pytest.mark.requirement("P4")
def test_sixty_arrivals_at_once_take_each_sheet_once_and_the_others_hear_that_all_are_taken(site):
    def arrive(number: int) -> str:
        with httpx.Client(follow_redirects=True, timeout=60, verify=TLS) as client:
            door = f"{site.address}/t/rush/?participant=r{number}"
            page = client.get(door)
            if (read := PageReader(page.text)).step == "consent":
                page = client.post(door, data={**read.fields, "choice": "yes"})
        assert page.status_code == 200
        return "in" if "/p/" in page.url.path else "full" if "All places are taken" in page.text else "?"

    with ThreadPoolExecutor(60) as pool:
        seen = Counter(pool.map(arrive, range(60)))
    assert seen == {"in": 20, "full": 40}
    query = """select count(*), count(distinct holder_id), max(epoch) from humantrials_sheet as sheet
               join humantrials_trial as trial on trial_id = trial.id where slug = 'rush' and sheet.state = 'leased'"""
    with sqlite3.connect(database_of(site)) as database:
        assert database.execute(query).fetchone() == (20, 20, 1)


@pytest.mark.requirement("P1")
def test_two_tabs_of_one_person_give_one_answer_a_clip(seat):
    seat.reach_trials()
    other = seat.context.new_page()
    other.goto(seat.page.url)
    seat.page.bring_to_front()
    (first,) = seat.watch().save()
    other.bring_to_front()
    other.keyboard.press("Space")  # this tab still shows the first clip
    expect(other.locator(".answers button").first).to_be_enabled()
    other.keyboard.press("k")
    expect(other.locator("[data-outbox]")).to_have_text("Saved: video 1")
    assert seat.judgments() == [first]  # the first answer stands
    other.reload()
    expect(other.locator("[data-number]")).to_have_text("Video 2 of 3")


def test_a_screen_reader_finds_names_for_everything_on_the_page_of_a_clip(seat):
    seat.reach_trials()
    tree = seat.page.locator("body").aria_snapshot()
    for name in (
        'button "Play the video"',
        'heading "Given how objects behave',
        'progressbar "Videos answered"',
        "status",
    ):
        assert name in tree, name
    group = seat.page.get_by_role("group", name=re.compile("Given how objects behave"))
    assert group.get_by_role("button").count() == 2
    assert not re.search(r"^\s*- (button|link|textbox)\s*$", tree, re.MULTILINE)  # none without a name
