"""From question to board in a browser: a worker answers while the page is open, and a person takes the trial."""

import json

import pytest

from tests.road import others_take_part, take_the_road
from tests.site import Site, wait_for

pytestmark = [pytest.mark.render, pytest.mark.worker, pytest.mark.browser]
MAKE_SLOW_MODEL = """
from evaluation.models import Model
Model.objects.create(slug="slow-script", name="Slow", kind="scripted", options={"default": "yes", "seconds": 0.6})
"""


@pytest.fixture
def page(chromium):
    """A page that fails the test if the browser reports an error in scripts, styles or the security policy."""
    context = chromium.new_context()
    page = context.new_page()
    page.complaints = []
    page.on("console", lambda message: page.complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    yield page
    context.close()
    assert page.complaints == []


def board(site: Site, **view: str) -> list[dict]:
    address = "&".join(f"{name}={value}" for name, value in {"pack": "small", "format": "json", **view}.items())
    return json.loads(site.page(f"/leaderboard/grasp/?{address}"))["rows"]


def row(site: Site, kind: str, **view: str) -> dict | None:
    return next((row for row in board(site, **view) if row["kind"] == kind), None)


def test_a_run_is_watched_while_a_worker_answers_and_then_stands_on_the_board(small_site, page):
    assert small_site.manage("shell", "-c", MAKE_SLOW_MODEL).returncode == 0
    options = ("--benchmark", "grasp", "--pack", "small", "--strategy", "binary", "--json")
    run = json.loads(small_site.manage("start_run", "--model", "slow-script", *options).stdout)
    heard: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda said: heard.append(str(said))))
    page.goto(f"{small_site.address}/runs/{run['run']}/")
    page.wait_for_selector("[data-run-over]", timeout=60_000, state="attached")
    assert len(heard) >= 2
    assert page.locator("text=Finished").first.is_visible()
    found = wait_for(lambda: row(small_site, "run", level="1"))
    assert found["overall"]["score"] == 0.5
    assert found["overall"]["n"] == run["cells"] == 8


def test_a_person_takes_the_trial_by_keyboard_and_is_a_row_of_the_board(small_site, page):
    options = ("--protocol", "grasp-plausibility", "--pack", "small", "--open", "--set", "seal=false")
    assert small_site.manage("create_trial", "by-keyboard", *options).returncode == 0
    page.goto(f"{small_site.address}/t/by-keyboard/?participant=somebody")
    with others_take_part(small_site.address, "by-keyboard"):  # results need five people
        code = take_the_road(page)
    assert code
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    assert page.locator("[data-code]").inner_text() == code
    assert small_site.manage("change_trial", "close", "by-keyboard").returncode == 0
    [found] = wait_for(lambda: [row for row in board(small_site, level="2") if "by-keyboard" in row["key"]])
    assert (found["kind"], found["overall"]["n"]) == ("human", 4)


def test_simulated_people_are_a_kind_of_their_own(small_site):
    made = small_site.manage(
        "create_trial",
        "by-simulator",
        "--protocol",
        "grasp-plausibility",
        "--pack",
        "small",
        "--open",
        "--set",
        "seal=false",
    )
    assert made.returncode == 0
    done = small_site.manage(
        "simulate_trial",
        "by-simulator",
        "--base-url",
        small_site.address,
        "--participants",
        "20",
        "--seed",
        "1",
        "--json",
    )
    assert done.returncode == 0, done.stderr
    found = wait_for(lambda: row(small_site, "simulated", level="2"))
    assert found["name"] == "Simulated people"
    assert json.loads(small_site.manage("verify_trial", "by-simulator", "--json").stdout)["overfilled"] == 0
