"""Charts hold the board's figures, in the drawing, in words and in the table."""

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from django.core.management import call_command

from benchmarks.commands import CallerMistake
from benchmarks.registry import BENCHMARKS
from benchmarks.spreads import SPREADS
from leaderboard import chart_files, pictures
from leaderboard.address import shelf_of, view_of
from leaderboard.chart_drawing import LEFT, RIGHT, WIDTH, drawing_of
from leaderboard.chart_registry import CHARTS
from leaderboard.figure_files import NoBrowser
from leaderboard.figure_layouts import LAYOUTS
from leaderboard.standings import refresh
from tests.factories import make_model, make_run
from tests.leaderboard.conftest import answer_all, make_people

pytestmark = [pytest.mark.django_db, pytest.mark.issue("E")]
GRASP = BENCHMARKS["grasp"]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def measured(study, physics):
    """People; a model asked in two ways, always yes and then always right; another one asked once."""
    both = make_model(name="Both", slug="both")
    answer_all(make_run(physics, strategy="plausibility", model=both), lambda item: "yes")
    answer_all(make_run(physics, strategy="plausibility-cot", model=both), lambda item: item.expected)
    once = make_model(name="Once", slug="once")
    answer_all(make_run(physics, strategy="plausibility", model=once), lambda item: item.expected)
    refresh()
    return physics


def chart_of(name, **given):
    shelf = shelf_of("grasp")
    return CHARTS[name](view_of(GRASP, {"level": "2"} | given, shelf), shelf)


def test_the_profile_has_people_and_models_with_their_intervals(measured):
    chart = chart_of("profile", group="concept")
    assert [trace.name for trace in chart.traces] == ["People", "Once", "Both"]
    people, once, both = chart.traces
    assert people.of_people
    assert [(point.x, point.y) for point in once.points] == [(100.0, 0), (100.0, 1)]
    assert all(point.low < point.x <= point.high for point in (*people.points, *both.points))
    assert [text for _, text in chart.y.ticks] == ["Gravity", "Collision"]
    assert len(drawing_of(chart).bands) == len(people.points) == 2
    assert dict(zip(chart.table.heads, chart.table.rows[2], strict=False))["Gravity %"] == 50.0


def test_a_slope_joins_the_ways_in_which_one_model_was_asked(measured):
    chart = chart_of("slopes")
    (trace,) = chart.traces
    assert (trace.name, [(point.x, point.y) for point in trace.points]) == ("Both", [(0, 50.0), (1, 100.0)])
    assert chart.note.startswith("1 of 1 models that were asked in more than one way")
    assert [line.look for line in drawing_of(chart).lines].count("join t1") == 1


def test_revisions_are_told_of_a_model_that_stands_there_in_several(physics):
    both = make_model(name="Both", slug="both")
    one, two = "0123456789abcdef" * 4, "fedcba9876543210" * 4

    def ask(revision: str) -> list[str]:
        for strategy in ("plausibility", "plausibility-cot"):
            run = make_run(physics, strategy=strategy, model=both, revision=revision)
            answer_all(run, lambda item: item.expected)
        refresh()
        return sorted(trace.name for trace in chart_of("slopes").traces)

    assert ask(one) == ["Both"]
    assert ask(two) == ["Both 0123456789ab", "Both fedcba987654"]


def test_saying_yes_stands_against_telling_apart(measured):
    points = {trace.name: trace.points[0] for trace in chart_of("bias").traces}
    assert (points["Both"].x, points["Both"].y) == (100.0, pytest.approx(0))
    assert (points["Once"].x, points["Once"].y > 1) == (50.0, True)


def test_every_shape_lies_within_the_drawing(measured):
    for name in CHARTS:
        drawing = drawing_of(chart_of(name))
        for line in drawing.lines:
            assert LEFT <= line.x1 <= WIDTH - RIGHT
            assert LEFT <= line.x2 <= WIDTH - RIGHT
            assert 0 <= line.y1 <= drawing.height
        for band in drawing.bands:
            assert LEFT <= band.x < band.x + band.width <= WIDTH - RIGHT
        assert all(LEFT <= dot.x <= WIDTH - RIGHT and 0 < dot.y < drawing.height for dot in drawing.dots)


@pytest.mark.parametrize("name", CHARTS)
def test_the_page_shows_the_drawing_its_words_and_its_table(visitor, measured, name):
    page = visitor.get(f"/leaderboard/grasp/charts/{name}/?level=2")
    text = page.content.decode()
    svg = ElementTree.fromstring(re.search(r"<svg.*</svg>", text, re.S).group())
    chart = chart_of(name)
    assert svg.find(f"{SVG}desc").text == chart.alt
    points = [trace for trace in chart.traces for _ in trace.points]
    assert len(svg.findall(f"{SVG}path")) == len(points) + len(chart.traces)
    assert text.count('<th scope="row">') == len(chart.table.rows)
    assert "style" not in re.sub(r"<link[^>]*>|stylesheet", "", text).partition("<svg")[2].partition("</svg>")[0]


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
    for name in CHARTS:
        page = visitor.get(f"/leaderboard/{slug}/charts/{name}/")
        assert (page.status_code, "Not measured here yet" in page.content.decode()) == (200, True)


def test_a_board_leads_to_the_charts_that_show_something(visitor, measured):
    assert "drawn=slopes#drawn" in visitor.get("/leaderboard/grasp/?level=2").content.decode()
    assert "drawn=" not in visitor.get("/leaderboard/craft/").content.decode()


def test_a_chart_opens_under_its_board_and_the_address_says_so(visitor, measured):
    closed = visitor.get("/leaderboard/grasp/?level=2").content.decode()
    page = visitor.get("/leaderboard/grasp/?level=2&drawn=bias").content.decode()
    chart = chart_of("bias")
    assert "chart-title" not in closed
    assert chart.alt in page
    assert "/leaderboard/grasp/charts/bias/?level=2" in page
    assert 'format=svg">SVG</a>' in page
    assert "bias" in visitor.get("/leaderboard/grasp/?drawn=pie").content.decode()


def test_people_and_models_are_drawn_on_the_items_that_both_answered(measured):
    chart = chart_of("people")
    once, both = (trace for trace in chart.traces)
    assert (once.name, both.name) == ("Once, plausibility", "Both, plausibility")
    assert {(point.x, point.y) for point in both.points} == {(100.0, 50.0), (50.0, 50.0)}
    rows = [dict(zip(chart.table.heads, row, strict=True)) for row in chart.table.rows]
    assert [row["n"] for row in rows] == [6, 4, 2] * 2
    assert all(row["p (Holm)"] >= row["p"] for row in rows)


@pytest.mark.parametrize("name", CHARTS)
def test_the_interactive_form_holds_the_same_figures(visitor, measured, name):
    told = json.loads(visitor.get(f"/leaderboard/grasp/charts/{name}/points/?level=2").content)
    chart = chart_of(name)
    assert [[(p["x"], p["y"]) for p in trace["points"]] for trace in told["traces"]] == [
        [(point.x, point.y) for point in trace.points] for trace in chart.traces
    ]
    assert told["x"]["title"] == chart.x.title


def test_only_the_frame_of_a_chart_widens_its_policy(visitor, measured):
    page = visitor.get("/leaderboard/grasp/charts/bias/?level=2")
    frame = visitor.get("/leaderboard/grasp/charts/bias/frame/?level=2")
    assert "unsafe-inline" not in page["Content-Security-Policy"]
    assert "style-src 'self' 'unsafe-inline'" in frame["Content-Security-Policy"]
    assert 'data-plot="/leaderboard/grasp/charts/bias/points/?level=2"' in frame.content.decode()


@pytest.mark.parametrize("address", ["grasp/charts/pie/points/", "grasp/charts/bias/points/?level=9"])
def test_points_of_no_chart_are_a_404_in_json(visitor, address):
    answer = visitor.get(f"/leaderboard/{address}")
    assert (answer.status_code, "there is" in answer.json()["detail"]) == (404, True)


def test_simulated_people_are_marked_and_never_drawn_as_people(pack):
    make_people(pack, simulated=True)
    (trace,) = chart_of("profile", level="1").traces
    assert (trace.of_people, trace.is_simulated) == (False, True)
    assert {dot.look for dot in drawing_of(chart_of("profile", level="1")).dots} == {"simulated"}


def test_files_use_the_tones_of_the_light_theme():
    tokens = Path("static/css/tokens.css").read_text().split("@media")[0]
    stated = dict(re.findall(r"--([\w-]+): (#\w+);", tokens))
    tones = {look: stated[f"tone-{look[1:]}"] for look in chart_files.TONES if re.fullmatch(r"t\d", look)}
    assert tones | {"human": stated["human"], "simulated": stated["quiet"]} == chart_files.TONES


@pytest.mark.parametrize("layout", ["concepts:grasp", "human-vs-model:grasp"])
def test_a_figure_is_written_by_command(measured, tmp_path, layout, capsys):
    for wanted, starts in (("svg", b"<svg"), ("html", b"<!doctype html")):
        call_command("export_figure", layout, format=wanted, out=tmp_path / "f", as_json=True)
        assert json.loads(capsys.readouterr().out)["bars"] >= 1
        assert (tmp_path / "f").read_bytes().lstrip().startswith(starts)


@pytest.mark.browser
def test_a_chart_is_drawn_as_pdf_by_a_browser(measured, tmp_path):
    call_command("export_figure", "concepts:grasp", format="pdf", out=tmp_path / "f.pdf")
    assert (tmp_path / "f.pdf").read_bytes().startswith(b"%PDF")


def test_people_and_models_meet_test_by_test(measured):
    root = ElementTree.fromstring(LAYOUTS["human-vs-model:grasp"](measured, "svg").content)
    titles = {title.text for title in root.iter(f"{SVG}title")}
    assert "Both, plausibility: Gravity people 100.0 %, model 50.0 %" in titles


def test_every_layout_makes_a_figure_without_any_answer(db, tmp_path):
    for layout in LAYOUTS.keys() - SPREADS.keys():  # drawn from the items of a pack
        call_command("export_figure", layout, format="svg", out=tmp_path / "f.svg")
        assert ElementTree.parse(tmp_path / "f.svg").getroot().tag == f"{SVG}svg"


def test_a_figure_of_a_pack_that_is_not_there(tmp_path):
    with pytest.raises(CallerMistake, match="no pack 'gone'"):
        call_command("export_figure", "concepts:pacs", format="svg", pack="gone", out=tmp_path / "f.svg")


@pytest.mark.issue("E")
@pytest.mark.parametrize(("wanted", "kind"), [("png", "image/png"), ("pdf", "application/pdf")])
def test_a_picture_is_drawn_once_for_a_board_that_does_not_change(visitor, measured, monkeypatch, wanted, kind):
    drawn = []
    monkeypatch.setitem(chart_files.WRITERS, wanted, lambda chart: drawn.append(chart) or b"drawn")
    for _ in range(2):
        answer = visitor.get(f"/leaderboard/grasp/charts/profile/?level=2&format={wanted}")
        assert (answer.status_code, answer["Content-Type"], answer.content) == (200, kind, b"drawn")
    assert len(drawn) == 1


@pytest.mark.issue("E")
def test_without_a_browser_or_while_one_is_at_work_the_page_says_so(visitor, measured, monkeypatch):
    def none_there(chart):
        raise NoBrowser("none")

    address = "/leaderboard/grasp/charts/profile/?level=2&format=png"
    monkeypatch.setitem(chart_files.WRITERS, "png", none_there)
    answer = visitor.get(address)
    assert (answer.status_code, "take the SVG" in answer.content.decode()) == (503, True)
    with pictures._drawing:
        busy = visitor.get(address)
    assert (busy.status_code, busy["Retry-After"]) == (503, "15")
