"""The public pages in Chromium: both themes, wide and narrow, by keyboard, without JavaScript, no console errors."""

import re
from urllib.parse import urlsplit

import pytest
from django.urls import URLResolver, get_resolver, resolve

from benchmarks.definitions.registry import BENCHMARKS
from evaluation.models import Run
from leaderboard.board.query import view_of
from leaderboard.publications.snapshot import content_of, store_snapshot
from leaderboard.standings.refresh import refresh
from tests.accessibility import bring_axe, findings
from tests.factories import expects
from tests.leaderboard.conftest import answered

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
BOARD = "/leaderboard/grasp/"
PAGES = [
    "/",
    "/leaderboard/",
    BOARD,
    f"{BOARD}?level=2&columns=halves",
    f"{BOARD}?level=2&columns=guessing",
    f"{BOARD}charts/profile/?level=2",
    f"{BOARD}?level=2&chart=people",
    f"{BOARD}figure-3/",
    f"{BOARD}tables/grasp-table-2/",
    f"{BOARD}items/?row=trial-study&level=2",
    "/leaderboard/giraffe/referees/",
    "/leaderboard/pacs/sound/",
    "/leaderboard/pacs/sound/items/",
    "/leaderboard/pacs/by/word/",
    f"{BOARD}blind/",
    f"{BOARD}rounds/",
    f"{BOARD}health/",
    f"{BOARD}likelihood/?level=2",
    f"{BOARD}surprise/",
    f"{BOARD}moments/",
    f"{BOARD}same-eyes/",
    f"{BOARD}twins/",
    f"{BOARD}effort/?level=2",
    f"{BOARD}constrained/?level=2",
    f"{BOARD}wordings/?level=2",
    "/benchmarks/",
    "/benchmarks/grasp/",
    "/benchmarks/grasp/items/",
    "/models/",
    "/trainings/",
    f"/embed{BOARD}charts/profile/?level=2",
    "/trials/",
    "/trials/study/",
    "/concepts/",
    "/concepts/gravity/",
    "/concepts/causality/",
    "/compare/",
    "/explore/",
    "/explore/?pack=physics&test=Gravity&who=people",
    "/snapshots/",
    "/about/statistics/",
    "/docs/",
    "/docs/glossary/",
    "/submit/",
    "/withdraw/",
    "/account/sign-in/",
    "/account/sign-up/",
    "/account/password/forgotten/",
    "/account/password/sent/",
    "/account/password/done/",
    "/account/email/sent/",
    "/account/switched-off/",
    "/api/v1/docs/",
    "/no-such-page/",
]
OF_ROWS = {"item", "model", "run", "snapshot"}  # routes whose addresses the test builds from existing rows
# Routes that are no public page, with their kind. A new route must be added here or to PAGES.
NO_PAGE = re.compile(
    r"""
    api-(?!docs).* | .*-frame | .*-points | snapshot-(file|key) | benchmark-progress | items-download | ground-truth
    | clip-without | media | document-picture | run-card | run-picture | model-picture | pack-archive
    | snapshot-(citation|datacite) | badge | cite | oembed  # files
    | (cancel|resume|retry)-run | stop-runs | run-priority | (make|revoke)-token | account_logout | snapshot-freeze
    | (empty-|propose-|withdraw-|decide-|delete-)?submission(-\w+)? | account | account_email | account_reauthenticate
    | account_(change|set)_password | account_confirm_email | account_reset_password_from_key | mfa_\w+  # one's own
    | (new|manage|watch)-trial | trial-(?!entry)\w+(-\w+)?  # authors' desks
    | upload  # a submitter's own
    | operations | benchmark-files  # staff's
    | healthz | readyz | metrics | robots | sitemap | feed | llms | document-source  # for machines
    | annotation(-\w+)*  # authors' desks of trials of annotation
    | material(s|-\w+)?  # authors' own, looked at by tests/extensions/annotation/material/test_review_browser.py
    | generated-\w+ | judge-audit | clip-sets?(-\w+)?  # looked at by tests/extensions/generated
    | trial-entry | road(-.*)?  # participants' own, looked at by tests/humantrials/test_every_page.py
""",
    re.VERBOSE,
)
# Both themes and both widths: a page is loaded in one shape and then changed; `make shots` has all four.
SHAPES = [(360, "dark"), (1280, "light")]


@pytest.fixture
def site(live_server, runs, study, physics):
    """A site whose two levels a model answered, Level 2 people as well."""
    for name in ("Yes-man, a video network trained on half of these tests", "Other"):
        answered(physics, "yes", name)
    refresh()
    return live_server.url


def opened(browser, address, *, width=1280, theme="light", **options):
    """A page and its console messages."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=theme, **options)
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(address)
    return page, said


def routes(resolver, within=""):
    """Name and pattern of every URL outside the administration."""
    for one in resolver.url_patterns:
        place = within + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from routes(one, place) if "admin" not in place else ()
        elif one.name:
            yield one.name, place


def test_every_public_page_is_looked_at():
    looked_at = OF_ROWS | {resolve(urlsplit(path).path).url_name for path in PAGES if path != "/no-such-page/"}
    missing = {name: place for name, place in routes(get_resolver()) if name not in looked_at}
    assert {name: place for name, place in missing.items() if not NO_PAGE.fullmatch(name)} == {}


def addresses(physics):
    run = Run.objects.get(model__name__startswith="Yes-man")
    view = view_of(BENCHMARKS["grasp"], {"level": "2"})
    snapshot = store_snapshot(content_of(view)).get_absolute_url()
    other = Run.objects.get(model__name="Other")
    compared = f"/compare/?a=trial-study&b=run-{run.pk}&c=run-{other.pk}"
    item = physics.items.first().get_absolute_url()
    return [*PAGES, run.model.get_absolute_url(), run.get_absolute_url(), item, snapshot, compared]


def into(page, shape):
    width, theme = shape
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")  # no colour on its way to another


SIZES = """() => {
  const sizes = new Map();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const box = text.parentElement;
    if (!text.data.trim() || box.matches('script, noscript') || !box.checkVisibility()) continue;
    const size = parseFloat(getComputedStyle(box).fontSize);
    sizes.set(size, (sizes.get(size) || 0) + text.data.trim().length);
  }
  return [...sizes];
}"""
SMALLEST, SMALL, MUCH_OF_IT = 13, 14, 0.4  # px; the share of a page's letters that may be smaller than SMALL
CHARTS = "/charts/"  # whose pages are one drawing and its numbers


def letters(page):
    """What is wrong with the sizes of a page's letters."""
    sizes = dict(map(tuple, page.evaluate(SIZES)))
    small = sum(count for size, count in sizes.items() if size < SMALL) / sum(sizes.values())
    if min(sizes) < SMALLEST:
        yield (f"letters of {min(sizes)} px",)
    if small > MUCH_OF_IT and CHARTS not in page.url:
        yield (f"{small:.0%} of the letters are small",)


def faults(page, shape, known, *, only_contrast=False):
    beyond = page.evaluate("document.documentElement.scrollWidth") - shape[0]
    too_wide = [(f"{beyond} px too wide",)] if beyond > 0 else []
    return [*findings(page, known, only_contrast=only_contrast), *too_wide, *letters(page)]


@pytest.mark.requirement("M17")
def test_every_page_has_no_finding_no_sideways_scroll_and_a_silent_console(site, chromium, physics):
    """In `make test`, a page is asked all rules in its first shape, and for contrast in the second."""
    found, known = [], set()
    width, theme = SHAPES[0]
    page, said = opened(chromium, "about:blank", width=width, theme=theme)
    bring_axe(page)
    for number, address in enumerate(addresses(physics)):
        said.clear()
        here, other = SHAPES[:: (-1) ** number]  # the page before was left in this shape
        page.goto(site + address)
        found += [(address, here, *fault) for fault in faults(page, here, known)]
        into(page, other)
        found += [(address, other, *fault) for fault in faults(page, other, known, only_contrast=True)]
        # Factory clips have no file.
        found += [(address, text) for text in said if "opaque" not in text and "404" not in text]
    page.close()
    assert found == []


@pytest.mark.requirement("M17")
def test_the_board_reads_and_changes_without_javascript(site, chromium):
    page, _ = opened(chromium, site + BOARD, java_script_enabled=False)
    page.locator("summary", has_text="Level").click()
    with page.expect_navigation():
        page.get_by_role("link", name="Intuitive physics").click()
    assert "Yes-man" in page.locator("#board .flat").inner_text()
    page.locator("summary", has_text="Filters").click()
    page.get_by_label("Model name").fill("other")
    with page.expect_navigation():
        page.get_by_role("button", name="Show rows").click()
    assert "Yes-man" not in page.locator("#board .flat").inner_text()


def test_on_a_phone_the_table_is_turned_charts_fit_and_filters_fold(site, chromium):
    page, said = opened(chromium, f"{site}{BOARD}?level=2", width=360)
    assert page.locator("#board .turned").is_visible()
    assert not page.locator("#board .flat").is_visible()
    search = page.get_by_label("Model name")
    assert not search.is_visible()
    page.locator("summary", has_text="Filters").click()
    assert search.is_visible()
    page.goto(f"{site}{BOARD}?level=2&chart=profile")
    assert page.locator(".lanes .strip").first.bounding_box()["width"] < 360
    page.goto(f"{site}{BOARD}?level=2&chart=people")
    assert page.locator(".drawings .narrow svg").bounding_box()["width"] < 360
    page.set_viewport_size({"width": 1280, "height": 900})
    assert page.locator(".drawings .wide svg").is_visible()
    assert said == []


@pytest.mark.requirement("M17")
def test_the_board_is_reached_and_sorted_by_keyboard(site, chromium):
    page, _ = opened(chromium, site + BOARD)
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("document.activeElement.closest('#board') ? 'board' : document.activeElement.textContent")
        )
        if page.evaluate("document.activeElement.closest('thead a') !== null"):
            break
    assert reached[0].strip() == "Skip to content"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    with page.expect_response("**sort=**") as answer:
        page.keyboard.press("Enter")
    page.wait_for_url("**sort=**")
    answer.value.finished()  # the tables are emptied next


@pytest.mark.requirement("M5")
def test_the_order_shown_is_the_order_served(site, chromium):
    page, _ = opened(chromium, f"{site}{BOARD}?sort=-Shape&rows=run")
    shown = page.locator(".flat tr.run .who > a").all_inner_texts()
    served = page.request.get(f"{site}{BOARD}?sort=-Shape&rows=run&format=json").json()["rows"]
    assert shown == [row["name"] for row in served]


def test_the_first_column_stays_in_sight(site, chromium):
    page, _ = opened(chromium, f"{site}{BOARD}", width=360)
    page.evaluate("document.getElementById('board').scrollTo(200, 0)")
    box, table = page.locator(".turned tbody th").first.bounding_box(), page.locator("#board").bounding_box()
    assert abs(box["x"] - table["x"]) < 4


def test_the_interactive_figure_is_drawn_in_its_frame(site, chromium):
    page, said = opened(chromium, f"{site}{BOARD}figure-3/")
    page.get_by_role("button", name="Interactive figure").click()
    points = page.frame_locator("iframe").locator(".scatterlayer .point")
    points.first.wait_for()
    assert points.count() == 3
    assert said == []


def test_a_chart_under_the_board_becomes_interactive_where_it_was_opened(site, chromium):
    page, said = opened(chromium, f"{site}{BOARD}?level=2&group=test&chart=profile")
    page.get_by_role("button", name="Interactive figure").click()
    points = page.frame_locator("iframe").locator(".scatterlayer .point")
    points.first.wait_for()
    assert points.count() == 6  # people and two models on two tests
    assert not page.locator(".lanes").is_visible()
    assert said == []


def test_without_javascript_the_figure_is_its_drawing(site, chromium):
    page, _ = opened(chromium, f"{site}{BOARD}figure-3/", java_script_enabled=False)
    assert page.locator("figure .wide svg").is_visible()
    assert page.get_by_role("button").count() == 0


def test_the_page_prints_on_white_without_its_controls(site, chromium):
    page, _ = opened(chromium, site + BOARD, theme="dark")
    page.emulate_media(media="print")
    assert [bar.is_visible() for bar in page.locator(".bar, .foot, .top").all()] == [False, False, False]
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"


def test_arrow_keys_walk_through_the_list_that_an_item_was_opened_from(site, chromium, physics):
    wrong = [item.public_id for item in physics.items.filter(expects("no")).order_by("public_id")]
    page, _said = opened(chromium, f"{site}{BOARD}items/?row=trial-study&level=2&show=all")
    page.get_by_role("link", name=wrong[0]).click()
    page.wait_for_url(f"**/{wrong[0]}/?*")
    assert page.locator(".keys").is_visible()
    page.goto(f"{site}/benchmarks/grasp/items/{wrong[0]}/?row={_row_of_yes_man()}&show=wrong")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(f"**/{wrong[1]}/?*")
    page.keyboard.press("ArrowLeft")
    page.wait_for_url(f"**/{wrong[0]}/?*")
    page.keyboard.press("ArrowLeft")  # the first of the list has no predecessor
    assert wrong[0] in page.url
    page.close()


def _row_of_yes_man() -> str:
    run = Run.objects.get(model__name__startswith="Yes-man", strategy="plausibility")
    return f"run-{run.pk}"


def test_the_link_to_the_view_copies_its_address_and_says_so(site, chromium):
    page, said = opened(chromium, f"{site}{BOARD}?level=2&columns=halves")
    page.evaluate("navigator.clipboard.writeText = async (text) => { window.kept = text; }")
    link = page.get_by_role("link", name="Link to this view")
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    link.focus()
    page.keyboard.press("Enter")
    link.get_by_text("copied").wait_for()
    page.wait_for_timeout(200)
    assert requests == []  # the board is not reloaded, which would clear the word
    assert page.evaluate("window.kept") == page.url.split("?")[0] + link.get_attribute("href")
    assert "columns=halves" in page.evaluate("window.kept")
    assert said == []
