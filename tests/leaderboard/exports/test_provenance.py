"""Every exported file reads back, and states its origin and its citations."""

import csv
import io
import json

import pytest
from django.core.management import call_command
from openpyxl import load_workbook

from benchmarks.definitions.registry import BENCHMARKS
from evaluation.models import Model
from leaderboard.exports import writers
from leaderboard.exports.provenance import key_of
from leaderboard.exports.table import Table
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


@pytest.mark.parametrize(
    ("wanted", "kind"), [("md", "text/markdown"), ("latex", "x-tex"), ("xlsx", "spreadsheet"), ("json", "json")]
)
def test_a_boards_file_carries_its_provenance(visitor, board, wanted, kind):
    answer = visitor.get(f"/leaderboard/grasp/?search=right&format={wanted}")
    content = answer.content
    assert kind in answer["Content-Type"]
    assert wanted == "json" or "attachment" in answer["Content-Disposition"]
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
    # a comparison cites too
    first, second = board
    text = visitor.get(f"/compare/?a=run-{first.pk}&b=run-{second.pk}&format=bib").content.decode()
    assert "jassim2024grasp" in text


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


def test_beside_a_csv_file_stands_what_it_cannot_hold(tmp_path, capsys):
    call_command("export_table", "pacs-table-1", format="csv", out=tmp_path / "t.csv")
    told = json.loads((tmp_path / "t.csv-metadata.json").read_text())
    assert (told["@context"], told["url"]) == ("http://www.w3.org/ns/csvw", "t.csv")
    assert "@inproceedings{yu2022pacs" in told["dc:bibliographicCitation"]
    assert any(note.startswith("Layout: pacs-table-1") for note in told["notes"])
    assert (tmp_path / "t.csv").read_text().startswith("Model,With audio"), "nothing but the table in the file itself"
    call_command("export_table", "giraffe-table-8", format="bib")
    assert "zhu2023giraffe" in capsys.readouterr().out


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


TABLE = Table("A & B", ("Who", "Score %", "n"), (("=1+1|x_y", 49.6, 12), ("b", None, 0)), notes=("A note\nof 50 %",))


def test_each_format_reads_back_with_its_numbers_and_notes():
    rows = list(csv.reader(io.StringIO(writers.as_csv(TABLE).decode())))
    assert rows == [["Who", "Score %", "n"], ["'=1+1|x_y", "49.6", "12"], ["b", "", "0"]]
    assert json.loads(writers.as_json(TABLE))["rows"][1] == {"Who": "b", "Score %": None, "n": 0}
    lines = writers.as_markdown(TABLE).decode().splitlines()
    assert lines[2:6] == ["| Who | Score % | n |", "|---|---:|---:|", "| =1+1\\|x_y | 49.6 | 12 |", "| b | – | 0 |"]
    text = writers.as_latex(TABLE).decode()
    assert "\\toprule" in text
    assert "=1+1$|$x\\_y & 49.6 & 12 \\\\" in text
    assert "A \\& B" in text
    assert "A note of 50 \\%" in text
    book = load_workbook(io.BytesIO(writers.as_xlsx(TABLE)))
    assert [[cell.value for cell in row] for row in book["Table"].iter_rows(min_row=2)] == [
        ["'=1+1|x_y", 49.6, 12],
        ["b", None, 0],
    ]
    assert book["Notes"]["A1"].value == "A & B"


def test_control_characters_and_columns_of_words():
    table = Table("t", ("Who",), (("a\x00b\x1f",),))
    assert load_workbook(io.BytesIO(writers.as_xlsx(table)))["Table"]["A2"].value == "a b "
    rows = (("binary", "Video-LLaMA2 7B", 50.0, None), ("open", "GPT-4", "50.9 ± 0.6", None))
    table = Table("t", ("Strategy", "Model", "Shape", "Color"), rows)
    assert [is_text for _, is_text in table.print_columns] == [True, True, False, False]
    assert Table("empty", ("Model",), ()).print_columns == (("Model", False),)
