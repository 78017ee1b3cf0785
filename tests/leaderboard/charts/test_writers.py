"""One specification, one drawing: page, files and interactive form have the same marks, colours and numbers."""

import builtins
import io
import json
import re
import zlib
from dataclasses import replace
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command
from django.template.loader import render_to_string
from PIL import Image, ImageColor
from plotly.offline import get_plotlyjs_version

from leaderboard.charts.chart import ACROSS, FREE, LISTED, MOST, PER_CENT, UPWARDS, Axis, Chart, Panels, Point, Trace
from leaderboard.charts.rendering.drawing import HEAD, drawing_of, drawing_of_panels
from leaderboard.charts.rendering.looks import DARK, LIGHT, colours, looks_of, paint
from leaderboard.charts.rendering.plotly_figure import in_both_themes, plotly_figure, plotly_panels
from leaderboard.charts.rendering.writers import FORMATS, SCALE, TYPES, file_of, light
from leaderboard.exports.table import Table

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ("People", "Measured", "Uploaded", "Third", "Simulated")
PAGE = "/leaderboard/grasp/charts/profile/?level=2"


def chart(form: str = ACROSS, **options) -> Chart:
    """People, three models, one of them uploaded, and simulated people; in a list, one per category."""
    traces = tuple(
        Trace(name, _points(form, number), name == "People", name == "Simulated", name == "Uploaded")
        for number, name in enumerate(NAMES)
    )
    ticks = tuple(enumerate(NAMES if form == LISTED else ("Gravity", "Collision & d′")))
    values, places = Axis("In per cent", 0, 100, PER_CENT, 50), Axis("", -0.5, len(ticks) - 0.5, ticks)
    x, y = (places, values) if form == UPWARDS else (values, values if form == FREE else places)
    return Chart("Accuracy <by> concept", form, x, y, traces, Table("t", ("Who",), ()), **options)


def _points(form: str, number: int) -> tuple[Point, ...]:
    value = 20.0 + 15 * number
    if form == LISTED:
        return (Point(value, number, f"{value} %", value - 5, value + 5, value=f"{value}", aside=" ± 5"),)
    both = [(value + 4 * place, place) for place in range(2)]
    if form == FREE:
        return tuple(Point(one, 90 - one, f"{one} %", count=1 + place) for one, place in both)
    pairs = [(place, one) if form == UPWARDS else (one, place) for one, place in both]
    return tuple(
        Point(pair[0], pair[1], f"{one} %", one - 5, one + 5) for pair, (one, _) in zip(pairs, both, strict=True)
    )


def parts_of(drawing):
    return drawing.rectangles, drawing.lines, drawing.labels, drawing.points


CHARTS = {
    "across": chart(),
    "upwards": chart(UPWARDS, has_lines=True),
    "free": chart(FREE, has_diagonal=True),
    "listed": chart(LISTED),
    "bars": chart(LISTED, has_bars=True),
}


def shapes(svg: ElementTree.Element) -> list[tuple]:
    """Every shape and text with its paint and geometry, without the file's own ground and heading."""
    found = [one for one in svg.iter() if one.get("fill") or one.get("stroke")]
    own = [one for one in found if one.get("width") != "100%" and not one.get("font-weight")]
    return [(one.tag, *sorted(one.attrib.items()), (one.text or "").strip()) for one in own]


@pytest.mark.parametrize("name", CHARTS)
def test_a_file_holds_the_shapes_of_the_page(name):
    drawing = drawing_of(CHARTS[name])
    page = ElementTree.fromstring(light(render_to_string("leaderboard/parts/chart.svg", {"drawing": drawing})))
    file = ElementTree.fromstring(file_of(drawing, "svg"))
    assert shapes(page) == shapes(file)
    assert len(shapes(page)) > 10


@pytest.mark.parametrize("name", CHARTS)
def test_a_png_has_the_marks_of_the_drawing_in_the_light_themes_colours(name):
    drawing = drawing_of(CHARTS[name])
    picture = Image.open(io.BytesIO(file_of(drawing, "png"))).convert("RGB")
    assert picture.size == (SCALE * drawing.width, SCALE * (drawing.height + HEAD))
    for mark in drawing.points:
        tone = "raised" if "hollow" in mark.look else mark.look.split()[1]
        seen = picture.getpixel((round(SCALE * mark.x), round(SCALE * (mark.y + HEAD))))
        assert seen == ImageColor.getrgb(colours(LIGHT)[tone]), mark.title
    for bar in (one for one in drawing.rectangles if one.look.startswith("bar")):
        middle = (round(SCALE * (bar.x + 4)), round(SCALE * (bar.y + bar.height / 2 + HEAD)))
        assert picture.getpixel(middle) == ImageColor.getrgb(colours(LIGHT)[bar.look.split()[1]])


@pytest.mark.parametrize("name", CHARTS)
def test_a_pdf_has_the_same_colours_as_vectors_and_its_letters_as_text(name):
    drawing = drawing_of(CHARTS[name])
    pdf = file_of(drawing, "pdf")
    streams = [_unpacked(one) for one in re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.S)]
    painted = {
        tuple(round(255 * float(part)) for part in found)
        for stream in streams
        for found in re.findall(rb"([\d.]+) ([\d.]+) ([\d.]+) (?:rg|RG)\b", stream)
    }
    tones = {mark.look.split()[1] for mark in drawing.points} or {"chance"}
    assert {ImageColor.getrgb(colours(LIGHT)[tone]) for tone in tones} <= painted
    assert b"/Subtype /Image" not in pdf
    assert b"/ToUnicode" in b"".join((pdf, *streams))


def _unpacked(stream: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(stream)
    except zlib.error:
        return stream


@pytest.mark.parametrize("name", CHARTS)
def test_plotly_has_the_numbers_marks_and_colours_of_the_specification(name):
    figure, spec = plotly_figure(CHARTS[name]).to_plotly_json(), CHARTS[name]
    for told, trace, look in zip(figure["data"], spec.traces, looks_of(spec), strict=True):
        assert (told["name"], told["hovertext"]) == (trace.name, [point.label for point in trace.points])
        assert told["x"] == [point.x for point in trace.points]
        assert told["y"] == pytest.approx([point.y for point in trace.points], abs=0.4 if name == "across" else 0)
        assert told["marker"]["color"] == colours(LIGHT)[look.tone]
        if not spec.has_bars:
            assert told["marker"]["symbol"] == look.symbol + ("-open" if trace.is_hollow else "")
    for axis, ticks in (("xaxis", spec.x.ticks), ("yaxis", spec.y.ticks)):
        assert [unescape(text) for text in figure["layout"][axis]["ticktext"]] == [text for _, text in ticks]


@pytest.mark.parametrize(
    ("name", "axis", "along"), [("across", "error_x", "x"), ("upwards", "error_y", "y"), ("listed", "error_x", "x")]
)
def test_plotly_has_the_intervals_of_the_specification(name, axis, along):
    spec = CHARTS[name]
    for told, trace in zip(plotly_figure(spec).to_plotly_json()["data"], spec.traces, strict=True):
        middles = [getattr(point, along) for point in trace.points]
        ends = [
            (middle - below, middle + above)
            for middle, below, above in zip(middles, told[axis]["arrayminus"], told[axis]["array"], strict=True)
        ]
        assert ends == [(point.low, point.high) for point in trace.points]


def test_panels_keep_their_charts_in_both_forms():
    panels = Panels("Two", (CHARTS["bars"], CHARTS["bars"]), "a note")
    drawing, figure = drawing_of_panels(panels), plotly_panels(panels).to_plotly_json()
    bars = [one for _, _, head in drawing.parts for _, _, part in head.parts for one in part.rectangles]
    assert len(bars) == 2 * len(NAMES)
    assert [trace["x"] for trace in figure["data"]] == 2 * [
        [point.x] for t in CHARTS["bars"].traces for point in t.points
    ]
    domains = [figure["layout"][axis]["domain"] for axis in ("yaxis", "yaxis2")]
    assert 1 > domains[0][1] > domains[0][0] > domains[1][1] > domains[1][0] > 0


def test_sizes_looks_and_themes_are_those_of_both_forms(monkeypatch):
    trace = plotly_figure(CHARTS["free"]).to_plotly_json()["data"][0]
    scales = [mark.scale for mark in drawing_of(CHARTS["free"]).points if mark.title.startswith("People: ")]
    assert scales == [round(size / 9, 2) for size in trace["marker"]["size"]]
    assert scales[0] < scales[1]
    # as many models as a chart draws look different
    models = replace(CHARTS["free"], traces=tuple(Trace(str(number), ()) for number in range(MOST)))
    assert len({look.symbol for look in looks_of(models)}) == len({look.tone for look in looks_of(models)}) == MOST
    # each theme has its own colours and the same numbers
    one, other = (in_both_themes(CHARTS["free"])[theme] for theme in (LIGHT, DARK))
    assert (
        one["layout"]["font"]["color"]
        == colours(LIGHT)["ink"]
        != colours(DARK)["ink"]
        == other["layout"]["font"]["color"]
    )
    assert [trace["x"] for trace in one["data"]] == [trace["x"] for trace in other["data"]]
    # a name is no markup in either form
    named = replace(CHARTS["free"], traces=(Trace("a <b>", (Point(1, 2, "<i>"),)), Trace("c", ())))
    trace = plotly_figure(named).to_plotly_json()["data"][0]
    assert (trace["name"], trace["hovertext"]) == ("a &lt;b&gt;", ["&lt;i&gt;"])
    file = ElementTree.fromstring(file_of(drawing_of(named), "svg"))
    assert "a <b>" in {text.text for text in file.iter(f"{SVG}text")}
    # plotly refuses what its figures do not have
    monkeypatch.setattr("leaderboard.charts.rendering.plotly_figure._shapes", lambda *_: [{"type": "no shape"}])
    with pytest.raises(ValueError, match="no shape"):
        plotly_figure(CHARTS["free"])


def test_every_look_is_painted_in_colours_that_both_themes_have():
    looks = {one.look for each in CHARTS.values() for shapes in parts_of(drawing_of(each)) for one in shapes}
    looks |= {f"point tone-{n}" for n in range(1, 7)} | {"text head"}
    variables = {name for look in looks for name in re.findall(r"var\(--([\w-]+)\)", paint(look))}
    assert {"ink", "quiet", "human", "raised", "rule", "chance", "tone-1", "tone-6"} <= variables
    for theme in (LIGHT, DARK):
        for name in variables:
            assert re.fullmatch(r"#[0-9a-f]{6}", colours(theme)[name]), (theme, name)
    # what is ink on paper in one theme is not in the other
    assert all(colours(LIGHT)[name] != colours(DARK)[name] for name in variables)
    # pages load the plotly that the package describes
    assert Path(f"static/vendor/plotly-basic-{get_plotlyjs_version()}.min.js").exists()


def test_a_file_needs_no_variable_no_network_and_no_other_file():
    for name, each in CHARTS.items():
        for wanted in ("svg", "html"):
            text = file_of(drawing_of(each), wanted, plotly_figure(each)).decode()
            assert "var(--" not in text.replace(r"var\(--", ""), name
            assert not re.search(r'<(?:script|img|link)[^>]* (?:src|href)="', text)
    assert json.loads(re.search(r'id="figure"[^>]*>(.*?)</script>', text)[1])["light"]["data"][0]["name"] == "People"
    assert "&lt;by&gt;" in text
    assert light("a var(--ink) var(--nothing)") == f"a {colours(LIGHT)['ink']} var(--nothing)"


@pytest.mark.django_db
@pytest.mark.parametrize(("wanted", "kind"), TYPES.items())
def test_a_chart_is_answered_in_each_format(visitor, wanted, kind):
    answer = visitor.get(f"{PAGE}&format={wanted}")
    assert (answer.status_code, answer["Content-Type"]) == (200, kind)
    assert answer["Content-Disposition"] == f'attachment; filename="grasp-profile.{wanted}"'


@pytest.mark.django_db
def test_without_cairo_the_page_and_the_command_say_so(visitor, monkeypatch, tmp_path):
    real = builtins.__import__

    def without_cairo(name, *rest, **options):
        if name == "cairosvg":
            raise OSError("no library called cairo-2 was found")
        return real(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", without_cairo)
    answer = visitor.get(f"{PAGE}&format=png")
    assert (answer.status_code, "libcairo2. Take the SVG" in answer.content.decode()) == (503, True)
    with pytest.raises(CommandError, match="libcairo2"):
        call_command("export_table", "concepts:grasp", format="pdf", out=tmp_path / "f.pdf")
    assert FORMATS == ("svg", "png", "pdf", "html")
