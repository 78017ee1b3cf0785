import csv
import io
import json
import re
from pathlib import Path

import pytest
from django.core.management import call_command

from benchmarks.commands import CallerMistake
from benchmarks.definitions.registry import BENCHMARKS
from leaderboard.publications.paper_tables import LAYOUTS, table_named
from leaderboard.standings.refresh import refresh
from tests.leaderboard.conftest import answered

pytestmark = pytest.mark.django_db
GRASP = BENCHMARKS["grasp"]


def printed(source):
    """(strategy, name) -> column -> figures as printed."""
    found: dict[tuple[str, str], dict[str, list[str]]] = {}
    for row in GRASP.published:
        if row.source == source:
            cells = found.setdefault((row.strategy, f"{row.name} {row.parameters}".strip()), {})
            for cell in row.cells:
                cells.setdefault(cell.column, []).append(cell.text)
    return found


@pytest.mark.parametrize("layout", ["grasp-table-2", "grasp-table-3"])
def test_the_papers_tables_come_out_digit_by_digit(layout):
    source = f"Table {layout[-1]}"
    table = table_named(layout, rows=("published",))
    columns = ("Shape", "Color", "Movement", "Direction", "RelationalPosition", "Ordering")
    shown = {row[:2]: dict(zip(columns, row[2:], strict=True)) for row in table.rows}
    for key, cells in printed(source).items():
        for column, figures in cells.items():
            assert shown[key][column] == "/".join(figures)
    assert len(shown) == len(printed(source))


def test_table_1_and_the_text_only_results_are_as_printed():
    counts = {row[0]: row[1] for row in table_named("grasp-table-1").rows}
    printed = {"Continuity": 4, "Solidity": 2, "Inertia": 4, "Gravity": 5, "Collision": 1, "Object permanence": 3}
    assert counts == printed | {"Support": 1, "Unchangeableness": 2}
    assert [row[1] for row in table_named("grasp-text-only").rows] == ["49.8", "53.7", "51.9", "75.0"]


def test_people_stand_beside_models_item_by_item(study, physics):
    answered(physics, "yes")
    refresh()
    table = table_named("human-vs-model:grasp")
    overall, *tests = [dict(zip(table.heads, row, strict=True)) for row in table.rows]
    assert (overall["n"], overall["People %"], overall["Model %"]) == (6, pytest.approx(83.3333), 50.0)
    low, difference, high = (float(overall[name] or 0) for name in ("Low", "Difference", "High"))
    assert low < difference < high
    assert {row["Test"]: row["n"] for row in tests} == {"Gravity": 4, "Collision": 2}


def test_different_inputs_and_simulated_people_are_left_out_of_what_authors_take_away(study, physics):
    answered(physics, "yes", condition="first-frame")
    refresh()
    [nothing, *_] = table_named("human-vs-model:grasp", pack_name="physics").notes
    assert "people were shown video (split all), models first frame (split all)" in nothing
    # simulated people are left out of what authors take away
    study.is_simulated = True
    study.save()
    answered(physics, "yes")
    refresh()
    assert table_named("human-vs-model:grasp").rows == ()
    assert "nothing to compare" in table_named("human-vs-model:grasp").notes[0]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("wanted", ["csv", "json", "md", "latex"])
def test_every_layout_in_every_format(layout, wanted, capsys):
    call_command("export_table", layout, format=wanted)
    text = capsys.readouterr().out
    if wanted == "json":
        assert json.loads(text)["columns"]
    if wanted == "csv":
        assert len({len(row) for row in csv.reader(io.StringIO(text))}) == 1


@pytest.mark.parametrize(
    ("layout", "options", "told"),
    [
        ("craft-table-9", {}, "there is: grasp-table-1"),
        ("grasp-table-2", {"pack": "gone"}, "no pack 'gone'"),
        ("grasp-table-2", {"format": "doc"}, "csv, json, md, latex, xlsx"),
        ("grasp-table-2", {"rows": "robots"}, "published, uploaded, run, human"),
        ("grasp-table-2", {"format": "xlsx"}, "--out"),
        ("grasp-table-1", {"out": Path("/no/t.csv")}, "there is no folder"),
        ("grasp-table-1", {"format": "text"}, "board:SLUG"),
        ("board:nothing", {"format": "text"}, "there is"),
        ("board:grasp", {"format": "text", "pack": "gone"}, "there is"),
    ],
)
def test_a_mistake_is_one_clear_line(layout, options, told):
    with pytest.raises(CallerMistake, match=told):
        call_command("export_table", layout, **options)


def test_tables_are_written_to_a_file_and_a_terminal(tmp_path, capsys, board):
    call_command("export_table", "grasp-table-1", out=tmp_path / "t.csv", as_json=True)
    assert json.loads(capsys.readouterr().out)["rows"] == 8
    assert (tmp_path / "t.csv").read_text().startswith("Concept,Tests")
    call_command("export_table", "board:grasp", format="text")
    text = capsys.readouterr().out
    assert re.search(r"Right +100\.0 \(\d+–100\)", text)
    assert "Color" not in text, "no column that nobody here answered"
    assert "level 1 Grounding, prompting: zero-shot, binary" in text
    call_command("export_table", "board:grasp", format="text", pack="small", as_json=True)
    assert json.loads(capsys.readouterr().out)["boards"][0]["rows"]
