"""Charts have the board's figures in the drawing, in the text alternative and in the table."""

import html
import json
import re
import xml.etree.ElementTree as ElementTree
from urllib.parse import urlsplit

import pytest
from django.core.management import call_command

from benchmarks.commands import CallerMistake
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.gallery.distributions import SPREADS
from evaluation.models import Model
from humantrials.models import Judgment, Trial
from leaderboard.board.query import view_of
from leaderboard.board.rows import board_of
from leaderboard.charts.registry import CHARTS
from leaderboard.charts.rendering.drawing import PHONE, drawing_of, margins_of, page_drawing_of
from leaderboard.publications.paper_figures import LAYOUTS, figure_named
from leaderboard.standings.refresh import refresh
from tests.factories import answer_to, make_model
from tests.leaderboard.conftest import answered, make_people

pytestmark = pytest.mark.django_db
GRASP = BENCHMARKS["grasp"]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def measured(study, physics):
    """People; a model with two strategies, first always yes, then always right; another with one."""
    both = make_model(name="Both", slug="both", kind="transformers")
    answered(physics, "yes", model=both)
    answered(physics, answer_to, strategy="plausibility-cot", model=both)
    once = make_model(name="Once", slug="once", kind="transformers")
    answered(physics, answer_to, model=once)
    refresh()
    return physics


def chart_of(name, **given):
    return CHARTS[name](board_of(view_of(GRASP, {"level": "2"} | given)))


def test_the_profile_has_people_and_models_with_their_intervals(measured):
    chart = chart_of("profile", group="concept")
    assert [trace.name for trace in chart.traces] == ["People", "Once", "Both"]
    people, once, both = chart.traces
    assert people.of_people
    assert [(point.x, point.y) for point in once.points] == [(100.0, 0), (100.0, 1)]
    assert all(point.low < point.x <= point.high for point in (*people.points, *both.points))
    assert [text for _, text in chart.y.ticks] == ["Gravity", "Collision"]
    assert (
        [one.look for one in drawing_of(chart).rectangles] == ["band human"] * len(people.points) == ["band human"] * 2
    )
    assert dict(zip(chart.table.heads, chart.table.rows[2], strict=False))["Gravity %"] == 50.0


def test_each_chart_has_its_traces_points_and_words(measured):
    chart = chart_of("slopes")
    (trace,) = chart.traces
    assert (trace.name, [(point.x, point.y) for point in trace.points]) == ("Both", [(0, 50.0), (1, 100.0)])
    assert chart.note.startswith("1 of 1 models with more than one prompting")
    assert [line.look for line in drawing_of(chart).lines].count("join tone-1") == 1
    assert [text for _, text in chart_of("slopes").x.ticks] == ["zero-shot", "chain-of-thought"]
    # saying yes stands against telling apart
    points = {trace.name: trace.points[0] for trace in chart_of("bias").traces}
    assert (points["Both"].x, points["Both"].y) == (100.0, pytest.approx(0))
    assert (points["Once"].x, points["Once"].y > 1) == (50.0, True)
    # people and models are drawn on the items that both answered
    chart = chart_of("people")
    once, both = (trace for trace in chart.traces)
    assert (once.name, both.name) == ("Once, zero-shot", "Both, zero-shot")
    assert {(point.x, point.y) for point in both.points} == {(100.0, 50.0), (50.0, 50.0)}
    rows = [dict(zip(chart.table.heads, row, strict=True)) for row in chart.table.rows]
    assert [row["n"] for row in rows] == [6, 4, 2] * 2
    assert all(row["p (Holm)"] >= row["p"] for row in rows)
    # people and models meet test by test
    root = ElementTree.fromstring(figure_named("human-vs-model:grasp", measured.name, "svg").content)
    titles = {title.text for title in root.iter(f"{SVG}title")}
    assert "Both, zero-shot: Ball on a slope people 100.0 %, model 50.0 %" in titles
    # reported figures are drawn hollow beside the own ones
    chart = CHARTS["profile"](board_of(view_of(BENCHMARKS["craft"], {"split": "hard-test"})))
    assert (chart.traces[0].name, chart.traces[0].of_people) == ("Human", True)
    assert all(trace.is_hollow for trace in chart.traces)
    assert all(mark.look.endswith("hollow") for mark in drawing_of(chart).points)
    assert "figures reported in papers" in chart.note
    assert not any(trace.is_hollow for trace in chart_of("profile").traces)
    # the gap is that of the best model whatever the order of the board
    people, model = chart_of("gaps", sort="-overall").traces
    assert (people.name, model.name) == ("People", "Once")


def test_revisions_are_told_of_a_model_that_stands_there_in_several(physics):
    both = make_model(name="Both", slug="both")
    one, two = "0123456789abcdef" * 4, "fedcba9876543210" * 4

    def ask(revision: str) -> list[str]:
        for strategy in ("plausibility", "plausibility-cot"):
            answered(physics, answer_to, strategy=strategy, model=both, revision=revision)
        refresh()
        return sorted(trace.name for trace in chart_of("slopes").traces)

    assert ask(one) == ["Both"]
    assert ask(two) == ["Both 0123456789ab", "Both fedcba987654"]


def test_every_shape_lies_within_the_drawing_and_names_do_not_meet_their_lines(measured):
    for name in CHARTS:
        chart = chart_of(name)
        drawing, (left, free) = drawing_of(chart), margins_of(chart)
        right = chart.width - free
        for line in drawing.lines:
            assert left <= line.x1 <= right
            assert left <= line.x2 <= right
            assert 0 <= line.y1 <= drawing.height
        for band in drawing.rectangles:
            assert left <= band.x < band.x + band.width <= right
        assert all(0 < mark.x <= right and 0 < mark.y < drawing.height for mark in drawing.points)
        of_plot = [mark for mark in drawing.points if ": " in mark.title]
        assert all(left <= mark.x for mark in of_plot)
    narrow = page_drawing_of(chart_of("profile", group="concept")).narrow
    names = [label.y for label in narrow.labels if label.text in ("Gravity", "Collision")]
    marks = sorted(point.y for point in narrow.points[3:])
    assert names[0] < marks[0] - 4
    assert marks[2] + 4 < names[1] < marks[3] - 4


@pytest.mark.parametrize("name", CHARTS)
def test_the_page_shows_the_drawing_its_words_and_its_table(visitor, measured, name):
    page = visitor.get(f"/leaderboard/grasp/charts/{name}/?level=2")
    text = page.content.decode()
    drawings = [ElementTree.fromstring(found) for found in re.findall(r'<svg class="figure".*?</svg>', text, re.S)]
    assert len({drawing.get("aria-labelledby") for drawing in drawings}) == 2  # the narrow one has its own ids
    chart = chart_of(name)
    points = [trace for trace in chart.traces for _ in trace.points]
    keys = chart.traces if len(chart.traces) > 1 else ()
    for svg in drawings:
        assert svg.find(f"{SVG}desc").text == chart.alt
        assert len(list(svg.iter(f"{SVG}path"))) == len(points) + len(keys)
    assert text.count('<th scope="row">') == len(chart.table.rows)
    assert (
        "style"
        not in re.sub(r"<link[^>]*>|stylesheet", "", text).partition('<svg class="figure"')[2].partition("</svg>")[0]
    )


@pytest.mark.parametrize("wanted", ["svg", "csv", "md", "latex", "xlsx", "json", "bib"])
def test_a_chart_can_be_taken_along(visitor, measured, wanted):
    answer = visitor.get(f"/leaderboard/grasp/charts/profile/?level=2&format={wanted}")
    assert (answer.status_code, "attachment" in answer["Content-Disposition"]) == (200, True)


@pytest.mark.parametrize("address", ["profile/?format=gif", "pie/", "profile/?group=size", "bias/?level=7"])
def test_a_wrong_chart_says_what_exists(visitor, address):
    page = visitor.get(f"/leaderboard/grasp/charts/{address}")
    assert page.status_code == 404
    assert "there is" in page.content.decode()


@pytest.mark.parametrize("slug", BENCHMARKS)
def test_nothing_measured_is_an_answer(visitor, slug):
    for name in set(CHARTS) - {"profile"}:
        page = visitor.get(f"/leaderboard/{slug}/charts/{name}/")
        assert (page.status_code, "Not measured here yet" in page.content.decode()) == (200, True)


def test_a_chart_opens_under_its_board_and_the_address_says_so(visitor, measured):
    closed = visitor.get("/leaderboard/grasp/?level=2&chart=none").content.decode()
    opened = visitor.get("/leaderboard/grasp/?level=2&group=test&chart=profile").content.decode()
    page = visitor.get("/leaderboard/grasp/?level=2&chart=bias").content.decode()
    chart = chart_of("bias")
    assert 'class="lanes' not in closed
    assert [len(lane) for lane in re.findall(r'<td class="vals">(.*?)</td>', opened, re.S)][-1:] != []
    lanes = re.findall(r'<th scope="row">([^<]*)<.*?<td class="vals">(.*?)</td>', opened, re.S)
    names = [(title, re.findall(r"<bdi>([^<]*)</bdi>\s*<span>([\d.]+)", values)) for title, values in lanes]
    profile = chart_of("profile")
    for place, (title, values) in enumerate(names):
        points = [(trace.name, point) for trace in profile.traces for point in trace.points if point.y == place]
        assert [(name, f"{point.x:.1f}") for name, point in points] == values, title
    assert opened.index('class="lanes') < opened.index('id="download"')
    assert chart.alt in page
    assert "/leaderboard/grasp/charts/bias/?level=2" in page
    assert "format=svg" in visitor.get("/leaderboard/grasp/charts/bias/?level=2").content.decode()
    assert "bias" in visitor.get("/leaderboard/grasp/?chart=pie").content.decode()
    # a board leads to the charts that show something
    assert "chart=slopes" in opened
    assert "chart=" not in visitor.get("/leaderboard/tapped/").content.decode()
    # only the frame of a chart widens its policy
    page = visitor.get("/leaderboard/grasp/charts/bias/?level=2")
    frame = visitor.get("/leaderboard/grasp/charts/bias/frame/?level=2")
    assert "unsafe-inline" not in page["Content-Security-Policy"]
    assert "style-src 'self' 'unsafe-inline'" in frame["Content-Security-Policy"]
    assert 'data-plot="/leaderboard/grasp/charts/bias/points/?level=2"' in frame.content.decode()


def test_the_gap_to_people_is_drawn_by_column_the_largest_first(visitor, measured):
    chart = chart_of("gaps", group="concept")
    people, model = chart.traces
    assert (people.name, people.of_people, model.name) == ("People", True, "Once")
    assert [text for _, text in chart.y.ticks] == ["0.0 Gravity", "+50.0 Collision"]
    assert [(point.x, point.y) for point in people.points] == [(100.0, 0), (50.0, 1)]
    assert [row[1:] for row in chart.table.rows] == [(100.0, 100.0, 0.0, 4), (50.0, 100.0, 50.0, 2)]
    page = visitor.get("/leaderboard/grasp/?level=2&group=concept&chart=gaps").content.decode()
    assert page.index(chart.title) < page.index('id="download"')


def test_no_gap_is_drawn_across_different_questions_or_to_a_guesser(measured):
    Judgment.objects.filter(slot__item=measured.items.first()).delete()
    Trial.objects.update(answers_version=2)
    refresh()
    assert [text.partition(" ")[2] for _, text in chart_of("gaps", group="concept").y.ticks] == ["Collision"]
    Model.objects.update(kind="random", role="guesser")
    refresh()
    assert chart_of("gaps").traces == ()


@pytest.mark.parametrize("address", ["grasp/charts/pie/points/", "grasp/charts/bias/points/?level=9"])
def test_points_of_no_chart_are_a_404_in_json(visitor, address):
    answer = visitor.get(f"/leaderboard/{address}")
    assert (answer.status_code, "there is" in answer.json()["detail"]) == (404, True)


def test_simulated_people_are_marked_and_never_drawn_as_people(pack):
    make_people(pack, simulated=True)
    (trace,) = chart_of("profile", level="1", rows="simulated").traces
    assert (trace.of_people, trace.is_simulated) == (False, True)
    assert {mark.look for mark in drawing_of(chart_of("profile", level="1", rows="simulated")).points} == {
        "point quiet"
    }


@pytest.mark.parametrize("layout", ["concepts:grasp", "human-vs-model:grasp", "grasp-figure-3"])
def test_a_figure_is_written_by_command(measured, tmp_path, layout, capsys):
    for wanted, starts in (("svg", b"<svg"), ("html", b"<!doctype html"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
        call_command("export_table", layout, format=wanted, out=tmp_path / "f", as_json=True)
        assert json.loads(capsys.readouterr().out)["bars"] == 3
        assert (tmp_path / "f").read_bytes().lstrip().startswith(starts)


def test_every_layout_makes_a_figure_without_any_answer(db, tmp_path):
    for layout in LAYOUTS.keys() - SPREADS.keys():  # drawn from the items of a pack
        call_command("export_table", layout, format="svg", out=tmp_path / "f.svg")
        assert ElementTree.parse(tmp_path / "f.svg").getroot().tag == f"{SVG}svg"
    with pytest.raises(CallerMistake, match="no pack 'gone'"):
        call_command("export_table", "concepts:pacs", format="svg", pack="gone", out=tmp_path / "f.svg")


@pytest.mark.parametrize("name", ["profile", "slopes", "bias", "people"])
def test_on_phones_a_chart_is_drawn_in_their_width_with_every_name(measured, name):
    drawing = page_drawing_of(chart_of(name))
    assert drawing.width > drawing.narrow.width == PHONE
    for shape in (*drawing.narrow.points, *drawing.narrow.labels):
        assert 0 <= shape.x <= PHONE
    kept_names = {label.whole or label.text for label in drawing.labels} - {None}
    assert kept_names == {label.whole or label.text for label in drawing.narrow.labels}


BOARD = "/leaderboard/grasp/charts/profile/?level=1"


def snippet(page):
    [field] = re.findall(r"<textarea[^>]*>(.*?)</textarea>", page, re.S)
    return html.unescape(field)


def test_a_boards_snippet_leads_to_a_chart_that_any_site_may_frame_and_no_other_page(visitor, board):
    address = urlsplit(html.unescape(re.search(r'src="([^"]+)"', snippet(visitor.get(BOARD).content.decode()))[1]))
    assert address.scheme
    response = visitor.get(f"{address.path}?{address.query}")
    page = response.content.decode()
    assert "frame-ancestors *" in response["Content-Security-Policy"]
    assert "X-Frame-Options" not in response
    assert not response.cookies
    assert "Vary" not in response or "Cookie" not in response["Vary"]
    assert 'class="figure"' in page
    assert re.search(r'href="/leaderboard/grasp/\?[^"]*" target="_top"', page)
    # no other page may be framed
    for address in ("/", BOARD, "/leaderboard/grasp/charts/profile/?level=1", "/explore/"):
        response = visitor.get(address)
        assert "frame-ancestors 'none'" in response["Content-Security-Policy"]
        assert response["X-Frame-Options"] == "DENY"
    # what does not exist is not found in a frame
    for path in ("charts/magic/", "charts/profile/?level=9"):
        assert visitor.get(f"/embed/leaderboard/grasp/{path}").status_code == 404
