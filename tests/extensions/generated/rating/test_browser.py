"""The four pages in Chromium: on a phone, by keyboard, in step, without JavaScript; with axe, in German and Arabic."""

import pytest
from playwright.sync_api import expect

from extensions.generated.rating.pages import SEEN
from humantrials.models import Judgment
from humantrials.running.lifecycle import create_trial, open_trial
from humantrials.simulation.browser import PageReader
from tests.accessibility import findings
from tests.extensions.generated.rating.rounds import make_round
from tests.humantrials.site_content import write_files
from tests.site import wait_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def enter(chromium, live_server):
    """Opens the first question of a study of three sets and three prompts: a page, without complaints at the end."""
    pack, _ = make_round(sets=3, seconds=1.2)
    write_files(pack, 1.2)
    said, contexts = [], []

    def entered(name, language="en", **options):
        trial = create_trial(slug=name, protocol=f"made-{name}", pack=pack, settings={"replicates": 1})
        open_trial(trial=trial)
        contexts.append(chromium.new_context(**{"viewport": PHONE, **options}))
        page = contexts[-1].new_page()
        page.on("console", lambda message: said.append(message.text) if "400" not in message.text else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        door, send = f"{live_server.url}/t/{name}/?participant=somebody&lang={language}", contexts[-1].request
        consent = PageReader(send.get(door).text()).fields
        road = send.post(door, form={**consent, "choice": "yes"}, max_redirects=0).headers["location"]
        send.post(f"{live_server.url}{road}", form={"step": "instructions"}, max_redirects=0)
        page.goto(f"{live_server.url}{road}")
        expect(page.locator("[data-questions]")).to_be_attached()
        return page

    yield entered
    for context in contexts:
        context.close()
    assert said == []


def stored(count):
    wait_for(lambda: Judgment.objects.count() >= count)
    return list(Judgment.objects.order_by("slot__position").values_list("answer", flat=True))


def next_button(page):
    return page.locator(".answers button")


def watch(page):
    page.wait_for_load_state()
    page.locator("[data-play]").first.focus()
    page.keyboard.press("Space")
    expect(next_button(page)).to_be_enabled()


def test_a_clip_is_rated_by_keyboard_and_its_text_comes_after(enter):
    page = enter("rate")
    groups = page.locator("fieldset.radios:visible")
    expect(next_button(page)).to_be_disabled()
    assert next_button(page).bounding_box()["y"] + next_button(page).bounding_box()["height"] <= 844
    watch(page)
    page.keyboard.press("2")
    page.keyboard.press("Tab")
    expect(groups.nth(1).locator("input").first).to_be_focused()
    page.keyboard.press("Space")
    expect(page.locator("[name=choice-persistence][value='1']")).to_be_checked()
    page.keyboard.press("0")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("“A green ball falls behind a screen.”")
    expect(page.get_by_text("before is saved and closed")).to_be_visible()
    expect(groups).to_have_count(1)
    expect(page.locator("input[type=radio]:checked")).to_have_count(0)
    watch(page)
    next_button(page).click()
    assert page.evaluate("document.activeElement.name") == "choice-SA"  # the browser asks for what is missing
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    expect(page.locator("[data-number]")).to_have_text("Question 3 of 6")
    assert stored(2) == ["PC=2 persistence=na", "SA=4"]
    played = Judgment.objects.order_by("slot__position").first()
    assert (played.watched, played.playback["flags"], played.playback["seeks"]) == (1.0, [], 0)


def test_all_clips_are_rated_and_the_sheet_counts(enter):
    page = enter("rate")
    for number in range(6):
        watch(page)
        for group in range(page.locator("fieldset.radios:visible").count()):
            page.locator("fieldset.radios:visible").nth(group).locator("label").nth(3).click()
        if number < 5:
            next_button(page).click()
            expect(page.locator("[data-number]")).to_have_text(f"Question {number + 2} of 6")
        else:
            next_button(page).click()
    expect(page.locator("[data-code]")).to_be_visible()
    assert stored(6) == ["PC=4 persistence=4", "SA=4"] * 3
    assert Judgment.objects.filter(counts=True).count() == 6


def test_two_clips_play_in_step_and_one_is_chosen(enter):
    page = enter("pairs", color_scheme="dark")
    page.wait_for_load_state()
    page.get_by_role("button", name="Play both").click()
    wait_for(
        lambda: page.evaluate(
            "[...document.querySelectorAll('video')].every((video) => video.currentTime > 0.2 && !video.paused)"
        )
    )
    times = page.evaluate("[...document.querySelectorAll('video')].map((video) => video.currentTime)")
    assert abs(times[0] - times[1]) < 0.2
    expect(next_button(page)).to_be_enabled()
    page.get_by_role("button", name="‹ frame").click()
    wait_for(
        lambda: page.evaluate(
            "[...document.querySelectorAll('video')].every((video) => video.currentTime < video.duration - 0.03)"
        )
    )
    page.get_by_role("radio", name="Equal").check()
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    expect(page.locator("[data-number]")).to_have_text("Question 2 of 3")
    expect(page.locator("input[type=radio]:checked")).to_have_count(0)
    assert stored(1) == ["equal"]
    assert Judgment.objects.get().playback["seeks"] == 0


def test_a_break_is_marked_where_the_clip_stands(enter):
    page = enter("break")
    watch(page)
    expect(page.locator("[name=choice-kind]").first).to_be_hidden()
    page.evaluate("document.querySelector('video').currentTime = 0.6")
    wait_for(lambda: page.evaluate("!document.querySelector('video').seeking"))
    page.locator("[data-play]").focus()
    page.keyboard.press(".")
    wait_for(lambda: page.evaluate("document.querySelector('video').currentTime > 0.63"))
    page.keyboard.press("m")
    expect(page.locator(f"[name=choice-{SEEN}][value=break]")).to_be_checked()
    expect(page.locator("#moment")).to_have_value("0.64")
    page.locator("#moment").fill("9")
    next_button(page).click()
    assert page.evaluate("document.activeElement.id") == "moment"
    page.locator("#line").fill("0.5")
    expect(page.locator("#moment")).to_have_value("0.5")
    wait_for(lambda: page.evaluate("Math.abs(document.querySelector('video').currentTime - 0.5) < 0.01"))
    next_button(page).click()
    assert page.evaluate("document.activeElement.name") == "choice-kind"
    page.get_by_role("radio", name="Vanishes or appears").check()
    page.get_by_role("radio", name="2 Clear").check()
    next_button(page).click()
    expect(page.locator("[data-number]")).to_have_text("Question 2 of 3")
    expect(page.locator("#moment")).to_have_value("")
    watch(page)
    page.get_by_role("radio", name="No break: all I saw could happen").check()
    next_button(page).click()
    expect(page.locator("[data-number]")).to_have_text("Question 3 of 3")
    assert stored(2) == ["break=0.5 kind=vanishes severity=2", "none"]


@pytest.mark.parametrize("width", [390, 1440])
def test_three_clips_are_rated_by_keyboard_each_above_its_questions(enter, width):
    page = enter("triples", viewport={"width": width, "height": 900})
    page.wait_for_load_state()
    page.get_by_role("button", name="Play all").click()
    expect(next_button(page)).to_be_enabled()
    groups = page.locator("fieldset.radios:visible")
    expect(groups).to_have_count(6)
    groups.first.locator("input").first.focus()
    for key in ("2", "Tab", "5", "Tab", "0", "Tab", "1", "Tab", "1", "Tab", "3"):
        page.keyboard.press(key)
    boxes = [groups.nth(place).bounding_box() for place in range(4)]
    clips = [page.locator("video").nth(place).bounding_box() for place in range(3)]
    for first, second in ((clips[0], clips[1]), (boxes[0], boxes[1])):
        assert (first["y"] == second["y"]) == (width > 960)
    assert boxes[3]["x"] == boxes[0]["x"]
    if width > 960:
        assert [abs(box["x"] - clip["x"]) < 8 for box, clip in zip(boxes, clips)] == [True] * 3
    page.keyboard.press("Enter")
    expect(page.locator("[data-number]")).to_have_text("Question 2 of 6")
    expect(groups).to_have_count(3)
    assert stored(1) == ["PC=2/5/na persistence=1/1/3"]


@pytest.mark.parametrize("language", ["en", "ar"])
def test_the_first_clip_and_its_button_are_on_the_left(enter, language):
    page = enter("pairs", language=language)
    for selector in ("video", "fieldset .step"):
        first, second = (page.locator(selector).nth(place).bounding_box() for place in (0, 1))
        assert first["x"] < second["x"]
        assert first["y"] == second["y"]


@pytest.mark.parametrize("name", ["rate", "triples", "pairs", "break"])
@pytest.mark.parametrize(("language", "theme"), [("de", "dark"), ("ar", "light")])
def test_pages_have_no_finding_and_no_sideways_scroll(enter, name, language, theme):
    page = enter(name, language=language, color_scheme=theme)
    page.locator("summary").first.click()
    if name == "break":
        page.locator("[data-trial]").dispatch_event("trial:problem")
        page.locator("[data-mark]").click()
    for width in (320, 390, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        assert findings(page) == [], width
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("rate", {"PC": "2", "persistence": "na"}),
        ("pairs", {"pair": "bad"}),
        ("break", {"seen": "break", "kind": "bends", "severity": "3"}),
    ],
)
def test_every_page_can_be_sent_without_javascript(enter, name, answer):
    page = enter(name, java_script_enabled=False)
    page.wait_for_timeout(600)  # a form that follows at once is taken for a double click
    for field, value in answer.items():
        page.locator(f"label:has([name=choice-{field}][value='{value}'])").click()
    if name == "break":
        next_button(page).click()
        expect(page.get_by_text("Please write the second at which it starts")).to_be_visible()
        expect(page.locator("[name=choice-kind][value=bends]")).to_be_checked()
        page.locator("#moment").fill("0.4")
    next_button(page).click()
    expect(page.get_by_text("Question 2 of")).to_be_visible()
    wanted = {"rate": "PC=2 persistence=na", "pairs": "bad", "break": "break=0.4 kind=bends severity=3"}
    assert stored(1) == [wanted[name]]
