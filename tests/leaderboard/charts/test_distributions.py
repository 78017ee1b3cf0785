"""The papers' figures of distributions, and accuracy with and without sound."""

from xml.etree import ElementTree

import pytest
from django.core.management import call_command

from benchmarks.definitions.papers.pacs import prompt
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.gallery.distributions import craft_figure_4, pacs_figure_2
from leaderboard.publications.paper_figures import figure_named
from leaderboard.standings.refresh import refresh
from tests.factories import make_clip, make_item, make_model, make_pack
from tests.leaderboard.conftest import answered

pytestmark = pytest.mark.django_db
QUESTIONS = (
    "Which object would roll further if pushed?",
    "Which object would roll further if pushed?",
    "Which object is warmer when it is touched by somebody’s cold hands?",
)


@pytest.fixture
def pacs():
    pack = make_pack(benchmark="pacs", name="pacs-pack", title="Pairs")
    for number, text in enumerate(QUESTIONS):
        pair = ("b", "a") if number == 1 else ("a", "b") if number == 0 else ("c", "d")
        facets = {"test": ("pacs",), "polarity": (), "object": pair, "split": ("test", "all")}
        facets |= {"material": ("Metal", "Glass") if number else ("Metal",), "property": ("shape",)}
        asked = {"kind": "pair", "variant": str(number), "text": prompt(text), "answer_kind": "label"}
        asked |= {"options": ["object 1", "object 2"], "expected": "object 1"}
        make_item(pack, clip=make_clip(pack, seconds=4.0 + 2 * number), facets=facets, **asked)
    return pack


def panels(spread):
    return {panel.title.partition(" ")[0]: dict(panel.bars) for panel in spread.panels}


def test_pacs_figure_2_has_the_papers_seven_panels(pacs):
    found = panels(pacs_figure_2(BENCHMARKS["pacs"], pacs))
    assert list(found) == [f"({letter})" for letter in "abcdefg"]
    assert found["(a)"] == {"5–9": 1, "10–14": 1}
    assert found["(b)"] == {"Metal": 3, "Glass": 2}
    assert found["(c)"] == {"Shape": 3}
    assert found["(d)"] == {"0–4": 2}
    assert found["(e)"] == {"4–5": 1, "6–7": 1, "8–9": 1}
    assert found["(f)"] == {"1": 1, "2": 1}
    assert found["(g)"]["roll"] == 1
    assert not {"which", "object", "s"} & set(found["(g)"])


def test_craft_figure_4_has_the_papers_three_layers():
    pack = make_pack(benchmark="craft")
    for kind, expected, count in (("Boolean", "True", 3), ("Count", "2", 1)):
        for number in range(count):
            facets = {"test": ("Descriptive",), "answer": (kind,), "polarity": ()}
            make_item(pack, expected=expected, variant=f"{kind}{number}", facets=facets)
    first, second, third = (dict(panel.bars) for panel in craft_figure_4(BENCHMARKS["craft"], pack).panels)
    assert first == {"Descriptive": 4}
    assert second == {"Descriptive, True or false": 3, "Descriptive, A number": 1}
    assert third == {"True or false: True": 3, "A number: 2": 1}


@pytest.mark.parametrize("wanted", ["svg", "html"])
def test_a_spread_is_written_by_command(pacs, tmp_path, wanted):
    call_command("export_table", "pacs-figure-2", format=wanted, out=tmp_path / "f")
    text = (tmp_path / "f").read_text()
    assert "Frequent words" in text
    if wanted == "svg":
        root = ElementTree.fromstring(text)
        assert "Metal 3, Glass 2" in root.find("{http://www.w3.org/2000/svg}desc").text


def test_pacs_figure_4_draws_each_model_with_sound_and_without(pacs):
    model = make_model(name="Ears")
    for condition, answer in (("audio", "object 1"), ("no-audio", "object 2")):
        answered(pacs, lambda item, said=answer: said, model=model, strategy="pair", condition=condition, split="test")
    answered(pacs, "object 1", "Deaf", strategy="pair", condition="no-audio", split="test")
    refresh()
    made = figure_named("pacs-figure-4", "", "svg")
    assert made.count == 2
    titles = [one.text for one in ElementTree.fromstring(made.content).iter("{http://www.w3.org/2000/svg}title")]
    assert "Ears, with sound: Metal 100.0 %" in titles
    assert "Ears, without sound: Shape 0.0 %" in titles
