"""A study by browser alone: prompts, two clip sets, a round, two people on a phone, the close, the LaTeX table."""

import pytest
from playwright.sync_api import expect

from benchmarks.definitions.registry import BENCHMARKS
from extensions.generated.pages import rounds
from extensions.generated.rounds.make_round import make_ordered
from humantrials.models import Judgment
from humantrials.results import release
from tests.accessibility import findings
from tests.extensions.generated.sets.conftest import uploads_at_once  # noqa: F401  # a fixture
from tests.extensions.generated.sets.folders import clip_set_folder, pack_folder, zipped
from tests.site import wait_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser, pytest.mark.usefixtures("uploads_at_once")]
SETS = "/leaderboard/generated/sets/"
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def staff(chromium, live_server, admin_client, monkeypatch):
    """A signed-in page; what a worker would do happens at once."""
    monkeypatch.setattr(rounds, "queue_task", lambda task, pk: make_ordered(pk))
    monkeypatch.setattr(release, "MIN_PEOPLE", 2)
    context = chromium.new_context(base_url=live_server.url, accept_downloads=True)
    cookie = {"name": "sessionid", "value": admin_client.cookies["sessionid"].value, "url": live_server.url}
    context.add_cookies([cookie])
    yield context.new_page()
    context.close()
    BENCHMARKS.put_files({})


def sent(page, path, folder, button):
    """Send a folder as a ZIP by the form of this page."""
    path.write_bytes(zipped(folder))
    page.set_input_files("input[type=file]", path)
    page.click(button)


def list_sets(page, tmp_path):
    for number, name in enumerate(("Sora 9", "Veo 9")):
        page.goto(SETS)
        page.check("input[name=right]")
        folder = clip_set_folder(tmp_path / name, 4 + number, generator=name)
        sent(page, tmp_path / f"{name}.zip", folder, "form[data-parts] button")
        page.wait_for_selector("button[value=list]", timeout=30_000)
        page.click("button[value=list]")


def open_a_study(page):
    page.goto("/leaderboard/generated/rounds/")
    page.fill("input[name=title]", "Autumn")
    page.click("form[method=post] button")
    page.click("a[href*='protocol=falling-rate']")
    page.locator("form details > summary").first.click()
    page.fill("input[name=slug]", "autumn")
    page.fill("input[name=title]", "Autumn")
    page.fill("input[name$=replicates]", "1")
    page.locator("form.planned, form").get_by_role("button", name="Create draft").click()
    page.wait_for_url("**/manage/")
    page.click("a[href$='/open/']")
    page.locator("main form button").first.click()


def rate(chromium, address, person):
    """Rate a sheet on a phone: two clips, each on the page without its text and on the one with it."""
    context = chromium.new_context(base_url=address, viewport=PHONE)
    page = context.new_page()
    page.goto(f"/t/autumn/?participant={person}")
    page.click("button[value=yes]")
    page.get_by_role("button", name="Start", exact=True).click()  # once the next page is there
    for number in range(1, 5):
        expect(page.locator("[data-number]")).to_have_text(f"Question {number} of 4")
        assert number > 1 or findings(page) == []
        page.locator("[data-play]").first.click()
        expect(page.locator(".answers button")).to_be_enabled()
        page.locator("fieldset.radios:visible label").nth(3).click()
        page.locator(".answers button").click()
    expect(page.locator("[data-code]")).to_be_visible()
    context.close()


def test_from_the_prompts_to_the_latex_table(staff, chromium, live_server, tmp_path):
    staff.goto("/benchmark-files/")
    sent(staff, tmp_path / "pack.zip", pack_folder(tmp_path / "pack"), "button[name=import]")
    expect(staff.get_by_role("link", name="falling")).to_be_visible()
    list_sets(staff, tmp_path)
    open_a_study(staff)
    for person in ("ann", "bob"):
        rate(chromium, live_server.url, person)
    wait_for(lambda: Judgment.objects.filter(counts=True).count() == 8)
    staff.goto("/trials/autumn/manage/")
    staff.click("a[href$='/close/']")
    staff.locator("main form button").first.click()
    staff.goto("/leaderboard/generated/falling/")
    with staff.expect_download() as download:
        staff.evaluate('document.querySelector(\'a[href*="format=latex"], a[href*="format=tex"]\').click()')
    table = download.value.path().read_text()
    assert r"\begin{tabular}" in table
    assert "Sora 9" in table
    assert "4.00" in table
