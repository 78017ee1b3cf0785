"""Charts in Chromium: at every width no text leaves its drawing, overlaps another one or is smaller than 13 pixels."""

from pathlib import Path

import pytest
from django.template.loader import render_to_string

from leaderboard.charts.chart import ACROSS, FREE, LISTED, PER_CENT, UPWARDS, Axis, Chart, Point, Trace
from leaderboard.charts.registry import CHARTS
from leaderboard.charts.rendering.drawing import page_drawing_of
from leaderboard.exports.table import Table
from leaderboard.standings.refresh import refresh
from tests.factories import answer_to, make_model
from tests.leaderboard.conftest import answered

pytestmark = pytest.mark.browser
WIDTHS = (390, 768, 1440, 1440 // 2, 768 // 2)  # the last two are 200 % zoom of the ones before
LONG = "Small video network, trained on half of these tests 0.10M"
NAMES = (
    "People",
    LONG,
    "Video-LLaMA2/7B_chat-with-a-very-long-hyphenated-name",
    "Always yes",
    "Kugel rollt unter eine Klappe",
)
FAULTS = """() => {
  const faults = [];
  const drawings = [...document.querySelectorAll('svg.figure')].filter((one) => one.checkVisibility());
  for (const svg of drawings) {
    const frame = svg.getBoundingClientRect(), scale = frame.width / svg.viewBox.baseVal.width;
    const texts = [...svg.querySelectorAll('text')].map((one) => [one, one.getBoundingClientRect()]);
    texts.forEach(([one, box], place) => {
      const size = parseFloat(getComputedStyle(one).fontSize) * scale;
      if (size < 12.99) faults.push(`${one.textContent}: ${size} px`);
      const isWithin = box.left >= frame.left - 1 && box.right <= frame.right + 1;
      if (!isWithin || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
        faults.push(`${one.textContent}: leaves the drawing`);
      if (one.textContent.includes('…')) faults.push(`${one.textContent}: cut`);
      for (const [other, next] of texts.slice(place + 1)) {
        const across = Math.min(box.right, next.right) - Math.max(box.left, next.left);
        const down = Math.min(box.bottom, next.bottom) - Math.max(box.top, next.top);
        if (across > 1 && down > 1) faults.push(`${one.textContent} overlaps ${other.textContent}`);
      }
    });
  }
  for (const strip of document.querySelectorAll('.lanes .strip'))
    if (strip.checkVisibility() && strip.getBoundingClientRect().width < 100) faults.push('a strip has no room');
  for (const name of document.querySelectorAll('.lanes bdi'))
    if (name.checkVisibility() && name.offsetWidth < name.scrollWidth) faults.push(`${name.textContent}: cut`);
  return [drawings.length || document.querySelectorAll('.lanes .strip').length, faults];
}"""


def faults_at(page, width):
    page.set_viewport_size({"width": width, "height": 900})
    count, faults = page.evaluate(FAULTS)
    assert count
    beyond = page.evaluate("document.documentElement.scrollWidth") - width
    return [(width, fault) for fault in faults] + ([(width, f"{beyond} px too wide")] if beyond > 0 else [])


def chart(form, ticks, *, count=len(NAMES), **options):
    """A chart of answerers with long names, whose marks are at both ends and between."""
    places = tuple(enumerate(ticks))
    values, names = (
        Axis("How often the answer was yes, over all questions, in per cent", 0, 100, PER_CENT, 50),
        Axis("", -0.5, len(ticks) - 0.5, places),
    )
    x, y = (names, values) if form == UPWARDS else (values, values if form == FREE else names)

    def points(number):
        if form == LISTED:
            return (
                Point(
                    25.0 * number,
                    number,
                    "",
                    max(0, 25 * number - 9),
                    min(100, 25 * number + 9),
                    value=f"{25 * number}.0",
                    aside=" (SD 12.5)",
                ),
            )
        spots = [(25.0 * ((number + place) % 5), place) for place in range(len(ticks))]
        return tuple(
            Point(*((place, one) if form == UPWARDS else (one, place)), "", one - 5, one + 5) for one, place in spots
        )

    traces = tuple(Trace(name, points(number), not number) for number, name in enumerate(NAMES[:count]))
    return Chart(
        "A title that is longer than a phone is wide: accuracy by test and by prompting",
        form,
        x,
        y,
        traces,
        Table("t", ("Who",), ()),
        **options,
    )


STRESSED = {
    "across": chart(ACROSS, ("Ball", "Ball rolls over an edge and comes out on the other side", "Collision")),
    "across alone": chart(ACROSS, (LONG, "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk"), count=1),
    "upwards": chart(UPWARDS, ("zero-shot", "chain-of-thought", "zero-shot, likelihood"), has_lines=True),
    "upwards with many": chart(
        UPWARDS, tuple(f"zero-shot, wording {number}, the options turned" for number in range(9))
    ),
    "free": chart(FREE, ("a", "b", "c"), has_diagonal=True),
    "listed": chart(LISTED, NAMES),
    "bars": chart(LISTED, NAMES, has_bars=True),
}


@pytest.mark.parametrize("name", STRESSED)
def test_no_label_of_a_chart_with_long_names_is_cut_or_overlaps(chromium, name):
    drawing = page_drawing_of(STRESSED[name])
    sheets = "".join(Path(f"static/css/{sheet}.css").read_text() for sheet in ("site",))
    figure = render_to_string("leaderboard/parts/page_chart.html", {"drawing": drawing})
    page = chromium.new_page()
    page.set_content(f"<!doctype html><style>{sheets}</style><main><figure class='plot tile'>{figure}</figure></main>")
    faults = [fault for width in WIDTHS for fault in faults_at(page, width)]
    page.close()
    assert faults == []


@pytest.fixture
def site(live_server, study, physics):
    """People and models with long names on Level 2, asked in two ways."""
    for place, name in enumerate(NAMES[1:]):
        model = make_model(name=name, slug=f"model-{place}", kind="transformers")
        for strategy in ("plausibility", "plausibility-cot"):
            answered(physics, answer_to if place % 2 else "yes", strategy=strategy, model=model)
    refresh()
    return live_server.url


@pytest.mark.django_db(transaction=True)
def test_no_label_of_a_boards_charts_is_cut_or_overlaps(site, chromium):
    addresses = [f"charts/{name}/?level=2" for name in CHARTS] + ["charts/profile/?level=2&group=concept", "figure-3/"]
    addresses.append("?level=2&group=concept&chart=profile")  # drawn in lanes
    paths = [f"/leaderboard/grasp/{address}" for address in addresses]
    page, faults = chromium.new_page(), []
    for path in (*paths, f"/embed{paths[0]}"):
        page.goto(site + path)
        page.evaluate("document.fonts.ready")
        faults += [(path, *fault) for width in WIDTHS for fault in faults_at(page, width)]
    page.close()
    assert faults == []
