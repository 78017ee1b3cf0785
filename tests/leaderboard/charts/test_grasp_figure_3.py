import json
import re
import xml.etree.ElementTree as ElementTree
from statistics import stdev

import pytest
from django.core.management import call_command

from benchmarks.commands import CallerMistake
from benchmarks.definitions.registry import BENCHMARKS
from leaderboard.charts.grasp_figure_3 import chart_of, figure_3, size_of, table_of
from leaderboard.charts.rendering.drawing import drawing_of, page_drawing_of
from leaderboard.standings.refresh import refresh
from tests.factories import make_model
from tests.leaderboard.conftest import answered

pytestmark = pytest.mark.django_db
GRASP = BENCHMARKS["grasp"]
PAGE = "/leaderboard/grasp/figure-3/"


@pytest.fixture
def measured(study, physics):
    big = make_model(name="Big", card={"parameters": "13B"})
    small = make_model(name="Small", card={"parameters": "7B"})
    for model in (small, big):
        answered(physics, lambda item: "yes" if item.key < "clip3" else "no", model=model)
    refresh()


def test_bars_their_spread_drawing_and_numbers(measured, visitor):
    assert [bar.name for bar in figure_3(GRASP).bars] == ["People", "Big 13B", "Small 7B"]
    # the spread is the deviation over tests
    people = figure_3(GRASP).bars[0]
    assert (people.mean, people.tests) == (0.75, 2)
    assert people.deviation == pytest.approx(stdev([1.0, 0.5]))
    # bars without printed numbers are listed and never drawn
    figure = figure_3(GRASP)
    assert {bar.published_text for bar in figure.missing} == {"not printed", "about 80"}
    assert not any(bar.kind == "published" for bar in figure.bars)
    assert "not printed" in {row[2] for row in table_of(figure).rows}
    # each answerer is a mark in its tone with its deviation
    drawing = drawing_of(chart_of(figure_3(GRASP)))
    assert [mark.look for mark in drawing.points] == ["point human", "point model", "point model"]
    assert [line.look for line in drawing.lines].count("spread human") == 1
    assert "75.0 (SD 35.4)" in {label.text for label in drawing.labels}
    # the page shows a drawing and its numbers
    page = visitor.get(PAGE).content.decode()
    assert "<svg" in page
    assert page.count('<th scope="row">') == len(figure_3(GRASP).bars) + 8
    # programs get the figures numbers
    bars = visitor.get(f"{PAGE}?format=json").json()["bars"]
    assert [bar["name"] for bar in bars] == ["Small 7B", "Big 13B", "People"]
    assert (bars[2]["role"], bars[2]["mean"], bars[2]["tests"]) == ("human", 0.75, 2)
    # a board leads to the figure only where there is one
    assert PAGE in visitor.get("/leaderboard/grasp/?level=2").content.decode()
    assert "figure-3" not in visitor.get("/leaderboard/giraffe/?level=2").content.decode()
    # only the frame widens its policy
    page, frame = visitor.get(PAGE), visitor.get(f"{PAGE}frame/")
    assert "unsafe-inline" not in page["Content-Security-Policy"]
    assert "style-src 'self' 'unsafe-inline'" in frame["Content-Security-Policy"]
    assert "script-src 'self'" in frame["Content-Security-Policy"]
    assert "frame-ancestors 'self'" in frame["Content-Security-Policy"]
    assert (page["X-Frame-Options"], frame["X-Frame-Options"]) == ("DENY", "SAMEORIGIN")


@pytest.mark.parametrize(("name", "size"), [("A 7B", 7e9), ("B 1.5B", 1.5e9), ("C 3M", 3e6), ("D", 0), ("E B", 0)])
def test_the_size_is_read_from_the_name(name, size):
    assert size_of(name) == size


def test_without_answers_the_page_says_so(visitor):
    page = visitor.get(PAGE)
    assert "Not measured here yet" in page.content.decode()


@pytest.mark.parametrize("wanted", ["json", "svg", "csv", "md", "latex", "xlsx"])
def test_the_figure_can_be_taken_along(visitor, measured, wanted):
    assert visitor.get(f"{PAGE}?format={wanted}").status_code == 200


@pytest.mark.parametrize("query", ["format=gif", "pack=gone", "caution=perhaps"])
def test_a_wrong_figure_is_a_404(visitor, query):
    assert visitor.get(f"{PAGE}?{query}").status_code == 404


@pytest.mark.parametrize(
    ("wanted", "starts"), [("svg", b"<svg"), ("html", b"<!doctype html"), ("png", b"\x89PNG"), ("pdf", b"%PDF")]
)
def test_the_scenes_of_craft_are_one_sheet_that_needs_no_pack(db, tmp_path, wanted, starts, capsys):
    out = tmp_path / "scenes"
    call_command("export_table", "craft-figure-2", format=wanted, out=out, as_json=True)
    assert json.loads(capsys.readouterr().out)["bars"] == 20
    assert out.read_bytes().startswith(starts)
    if wanted == "svg":
        drawing = ElementTree.parse(out)
        pictures = list(drawing.iter("{http://www.w3.org/2000/svg}image"))
        assert len(pictures) == 20
        assert all(one.get("href").startswith("data:image/png;base64,") for one in pictures)
        assert len({one.get("href") for one in pictures}) == 20


@pytest.mark.parametrize(
    ("layout", "options", "told"),
    [
        ("pie", {}, "grasp-figure-3"),
        ("pacs-figure-2", {}, "no pack of PACS"),
        ("craft-figure-4", {}, "no pack of CRAFT"),
        ("grasp-figure-3", {"format": "gif"}, "svg, png, pdf, html"),
    ],
)
def test_an_unknown_figure_says_what_exists(tmp_path, layout, options, told):
    with pytest.raises(CallerMistake, match=told):
        call_command("export_table", layout, **({"format": "svg", "out": tmp_path / "x"} | options))


def test_a_long_name_takes_several_lines_and_is_never_cut(physics, visitor):
    name = "Small LlavaOnevision, trained on half of these tests"
    answered(physics, "yes", name)
    refresh()
    wide = page_drawing_of(chart_of(figure_3(GRASP)))
    for drawing in (wide, wide.narrow):
        lines = [label for label in drawing.labels if label.whole == name]
        assert len(lines) > 1
        assert " ".join(label.text for label in lines) == name
    # phones have the mean without the deviation
    assert "50.0 (SD 0.0)" in {label.text for label in wide.labels}
    assert "50.0" in {label.text for label in wide.narrow.labels}
    page = visitor.get("/leaderboard/grasp/figure-3/").content.decode()
    assert "…" not in re.sub(r"<desc.*?</desc>", "", page.partition('<svg class="figure"')[2].partition("</figure>")[0])
