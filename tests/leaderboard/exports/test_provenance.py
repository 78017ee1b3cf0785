"""Every exported file states its origin and its citations."""

import io
import json
import tomllib
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from openpyxl import load_workbook

from benchmarks.definitions.registry import BENCHMARKS
from evaluation.models import Model
from leaderboard.exports.provenance import key_of
from leaderboard.publications.paper_tables import LAYOUTS, table_named

pytestmark = pytest.mark.django_db
TOLD = (
    "Made: 20",
    "Address: http",
    "Software: benchsite ",
    "Benchmark: GRASP, definition ",
    "Pack: small, manifest ",
    "Strategy: binary, wording 1",
    "Condition: video",
    "Split: all",
)


def test_the_version_is_that_of_the_package():
    assert tomllib.loads(Path("pyproject.toml").read_text())["project"]["version"] == settings.VERSION


@pytest.mark.parametrize("wanted", ["md", "latex", "xlsx", "json"])
def test_a_boards_file_carries_its_provenance(visitor, board, wanted):
    content = visitor.get(f"/leaderboard/grasp/?search=right&format={wanted}").content
    if wanted == "xlsx":
        text = "\n".join(str(cell.value) for (cell,) in load_workbook(io.BytesIO(content))["Notes"].iter_rows())
    elif wanted == "json":
        facts = json.loads(content)["provenance"]
        text = "\n".join(f"{name.capitalize()}: {value}" for name, value in facts.items())
    else:
        text = content.decode()
    assert [told for told in (*TOLD, "Search: right") if told not in text] == []


def test_the_caution_switch_is_told(visitor, physics):
    for given, told in (("in", "counted in"), ("out", "left out")):
        text = visitor.get(f"/leaderboard/grasp/?level=2&caution={given}&format=md").content.decode()
        assert f"Caution: items under the authors' caution {told}" in text


def test_bibtex_holds_an_entry_of_everything_shown(visitor, board):
    answer = visitor.get("/leaderboard/grasp/?format=bib")
    text = answer.content.decode()
    assert answer["Content-Type"].startswith("application/x-bibtex")
    assert "@inproceedings{jassim2024grasp" in text
    assert [text.count(f"{{{name} on benchsite}}") for name in ("GRASP", "Yes", "Right")] == [1, 1, 1]
    assert text.count("{") == text.count("}")
    assert len({line for line in text.splitlines() if line.startswith("@")}) == text.count("@misc{") + 1


def test_the_papers_of_models_are_cited_once_each(visitor, board):
    entry = "@article{teller2024,\n  title = {Telling}\n}"
    cards = (
        {"citation": entry},
        {"paper": "https://arxiv.org/abs/2410.1"},
        {"citation": "@article{broken"},
        {"paper": "?"},
    )
    for card in cards:
        told = [{"citation": entry}, card]
        for run, its in zip(board, told, strict=True):
            Model.objects.filter(pk=run.model_id).update(card=its)
        text = visitor.get("/leaderboard/grasp/?format=bib").content.decode()
        assert text.count("@article{teller2024") == 1
        assert ("https://arxiv.org/abs/2410.1" in text) == (card == cards[1])
        assert "broken" not in text


def test_every_layout_cites_its_paper_and_tells_its_rows():
    for name, (slug, _) in LAYOUTS.items():
        made_of = table_named(name, rows=("published",)).provenance
        assert BENCHMARKS[slug].citation in made_of.citations
        assert (made_of.facts["layout"], made_of.facts["rows"]) == (name, "published")
        assert ("caution" in made_of.facts) == (slug == "grasp")


def test_beside_a_csv_file_stands_what_it_cannot_hold(tmp_path):
    call_command("export_table", "pacs-table-1", format="csv", out=tmp_path / "t.csv")
    told = json.loads((tmp_path / "t.csv-metadata.json").read_text())
    assert (told["@context"], told["url"]) == ("http://www.w3.org/ns/csvw", "t.csv")
    assert "@inproceedings{yu2022pacs" in told["dc:bibliographicCitation"]
    assert any(note.startswith("Layout: pacs-table-1") for note in told["notes"])
    assert (tmp_path / "t.csv").read_text().startswith("Model,With audio"), "nothing but the table in the file itself"


def test_bibtex_of_a_table_by_command(capsys):
    call_command("export_table", "giraffe-table-8", format="bib")
    assert "zhu2023giraffe" in capsys.readouterr().out


def test_a_comparison_cites_too(visitor, board):
    first, second = board
    text = visitor.get(f"/compare/?a=run-{first.pk}&b=run-{second.pk}&format=bib").content.decode()
    assert "jassim2024grasp" in text


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("/leaderboard/grasp/", "benchsite-grasp"),
        ("/leaderboard/grasp/?level=2", "benchsite-grasp-5d2c5d"),
        ("/leaderboard/grasp/tables/grasp-table-2/", "benchsite-grasp-table-2"),
        ("/leaderboard/pacs/charts/profile/?level=1", "benchsite-pacs-profile-bfb76a"),
        ("/compare/?a=run-1&b=run-2", "benchsite-compare-deb8ca"),
    ],
)
def test_the_key_of_an_entry_can_be_typed(path, key):
    assert key_of(path) == key
