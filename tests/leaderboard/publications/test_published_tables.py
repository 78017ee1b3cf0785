"""The papers' tables as exports and on the boards, without any imported pack."""

import csv
import io
import json
import re
from collections import Counter

import pytest
from django.core.management import call_command
from openpyxl import load_workbook

from benchmarks.definitions.registry import BENCHMARKS
from leaderboard.exports import writers
from leaderboard.publications.paper_tables import LAYOUTS, ROWS, table_named
from leaderboard.standings.refresh import refresh
from tests.benchmarks import published_tables as known
from tests.factories import make_clip, make_item, make_model, make_pack, make_run
from tests.leaderboard.conftest import answer_all, answered

pytestmark = pytest.mark.django_db
PEOPLE = ["Human", *["83.00", "77.10", "86.96", "72.36", "79.71", "80.37"] * 2]
LAYOUTS_OF_PAPERS = (*known.NAMES, "pacs-table-4")


def typed(name):
    """Every row as printed in the paper, labels and figures, '–' for empty cells."""
    if name == "pacs-table-4":
        return [[subset, *["not recovered"] * 3] for subset in ("Val", "Test")]
    rows = [[cell or "–" for cell in row] for row in known.read(name)]
    return [*rows, PEOPLE] if name == "craft-table-1" else rows


def compared(rows):
    """The text without permitted differences in heads and spellings of labels."""
    return [[cell.replace(" (text only)", "").replace("\\", "") for cell in row] for row in rows]


def with_small_first(rows):
    return [[row[0].casefold(), *row[1:]] for row in compared(rows)]


def read_csv(content):
    return [[cell or "–" for cell in row] for row in csv.reader(io.StringIO(content.decode()))][1:]


def read_json(content):
    told = json.loads(content)
    return [["–" if row[head] is None else row[head] for head in told["columns"]] for row in told["rows"]]


def read_markdown(content):
    lines = [line for line in content.decode().splitlines() if line.startswith("| ")]
    return [line.strip("| ").split(" | ") for line in lines[1:]]


def read_xlsx(content):
    """The cells, with numbers in their own format."""
    rows = load_workbook(io.BytesIO(content))["Table"].iter_rows(min_row=2)
    return [["–" if cell.value is None else shown(cell) for cell in row] for row in rows]


def shown(cell):
    if isinstance(cell.value, str):
        return cell.value
    return f"{cell.value:.{len(cell.number_format.partition('.')[2])}f}"


READERS = {"csv": read_csv, "json": read_json, "md": read_markdown, "xlsx": read_xlsx}


@pytest.mark.parametrize("wanted", READERS)
def test_the_papers_tables_are_as_printed_cell_by_cell(wanted):
    for name in LAYOUTS_OF_PAPERS:
        content = writers.WRITERS[wanted](table_named(name, rows=("published",)))
        assert with_small_first(READERS[wanted](content)) == with_small_first(typed(name)), name


def test_the_papers_tables_as_latex_hold_every_figure_as_printed():
    """A wide table is turned there and split into parts, so that its figures are compared, not its rows."""
    for name in LAYOUTS_OF_PAPERS:
        text = writers.as_latex(table_named(name, rows=("published",))).decode()
        parts = re.findall(r"\\midrule\n(.*?)\\bottomrule", text, re.DOTALL)
        cells = re.split(r" & | \\\\\n", "".join(parts).replace("$\\pm$", "±"))
        figures = Counter(cell for cell in cells if re.match(r"\d[\d.]* ?±?", cell))
        printed = Counter(cell for row in typed(name) for cell in row[1:] if cell[:1].isdigit())
        assert printed - figures == Counter(), name


def test_every_layout_of_the_contract_is_there():
    papers = {f"giraffe-table-{number}" for number in range(1, 12)}
    papers |= {"craft-table-1", "pacs-table-1", "pacs-table-2", "pacs-table-3", "pacs-table-4"}
    papers |= {"grasp-table-1", "grasp-table-2", "grasp-table-3", "grasp-text-only"}
    assert LAYOUTS.keys() == papers | {f"human-vs-model:{slug}" for slug in BENCHMARKS}


def test_a_run_of_this_site_fills_the_papers_columns():
    """One model on both settings is one row; another prompting is another row."""
    pack = make_pack(benchmark="craft", name="small")
    for number, (kind, expected) in enumerate([("Cause", "true"), ("Cause", "false"), ("Descriptive", "true")]):
        question = {"kind": "question", "expected": expected, "options": ["true", "false"]}
        facets = {"test": (kind,), "split": ("all", "easy-test")}
        make_item(pack, clip=make_clip(pack, key=f"c{number}"), key=f"c{number}", facets=facets, **question)
    answered(pack, "true", model=make_model(name="Ours", slug="ours"), strategy="craft", split="easy-test")
    refresh()
    table = table_named("craft-table-1", rows=("run",))
    (row,) = [dict(zip(table.heads, row, strict=True)) for row in table.rows]
    assert row["Model"] == "Ours (direct)"
    assert (row["Easy C"], row["Easy D"], row["Easy All"]) == (50.0, 100.0, pytest.approx(66.6667))
    assert row["Easy E"] is row["Hard All"] is None
    (note,) = table.notes
    assert note.startswith("The last row was measured by this site on the pack small: clips that were made here, not")


@pytest.fixture
def own_row():
    """A model that answered three clips of Level 1 here."""
    pack = make_pack(name="small")
    for number in range(3):
        clip = make_clip(pack, key=f"level1/ColorRed/{number:03}")
        make_item(pack, clip=clip, key=clip.key, facets={"test": ("Color",), "level": ("1",), "split": ("all",)})
    answered(pack, "yes", model=make_model(name="Ours", slug="ours"))
    refresh()


@pytest.mark.parametrize("layout", ["grasp-table-2", "grasp-table-3"])
def test_a_papers_table_holds_the_paper_alone_unless_asked(visitor, own_row, layout):
    alone, both = table_named(layout), table_named(layout, rows=ROWS)
    assert (alone.ruled, "Measured by" in alone.heads, "this site" in alone.title) == (0, False, False)
    assert both.title == f"{alone.title}, with results of this site"
    assert both.rows[: both.ruled] == tuple((*row, "the paper", None) for row in alone.rows)
    (own,) = both.rows[both.ruled :]
    assert (own[1].startswith("Ours"), own[-2:]) == (True, ("this site", 3))
    page = f"/leaderboard/grasp/tables/{layout}/"
    assert "Ours" not in visitor.get(page).content.decode()
    shown = visitor.get(f"{page}?rows={','.join(ROWS)}").content.decode()
    assert shown.count("<tbody>") == 2
    assert shown.index("Ours") < shown.rindex("<tbody>") < shown.index("Video-LLaMA")


@pytest.mark.parametrize(
    ("slug", "layout", "is_offered"),
    [
        ("grasp", "grasp-table-2", True),
        ("grasp", "grasp-table-1", False),
        ("grasp", "human-vs-model:grasp", False),
        ("craft", "craft-table-1", True),
        ("pacs", "pacs-table-3", False),
        ("giraffe", "giraffe-table-8", False),
    ],
)
def test_rows_of_this_site_are_offered_where_there_can_be_some(visitor, slug, layout, is_offered):
    page = visitor.get(f"/leaderboard/{slug}/tables/{layout}/").content.decode()
    assert ("With results of this site" in page) == is_offered


@pytest.mark.parametrize("wanted", READERS)
def test_no_file_shows_own_rows_under_the_papers_caption(own_row, wanted):
    content = writers.WRITERS[wanted](table_named("grasp-table-2", rows=ROWS))
    if wanted == "xlsx":
        sheet = load_workbook(io.BytesIO(content))["Table"]
        below = [row[0].row for row in sheet.iter_rows() if row[0].border.bottom.style]
        assert [sheet.cell(below[0] + 1, sheet.max_column - 1).value, len(below)] == ["this site", 1]
        return
    text = content.decode()
    assert text.count("this site") >= (1 if wanted == "csv" else 2)
    if wanted == "latex":
        panels = re.findall(r"\\itshape (\w[\w ]*)", text)
        assert [panel for panel in ("Evaluated here", "Reported") if panel not in panels] == []


@pytest.mark.parametrize(
    ("address", "name", "column", "printed"),
    [
        ("craft/?", "LSTM-CNN-V", "Descriptive", "48.12"),
        ("craft/?split=hard-test", "MAC-V", "overall", "47.31"),
        ("craft/?strategy=craft-cot", "Human", "overall", "80.37"),
        ("pacs/?", "Human", "overall", "96.3 ± 2.1"),
        ("pacs/?condition=no-audio", "Human", "overall", "90.5 ± 3.1"),
        ("pacs/?condition=flipped-audio", "AudioCLIP", "overall", "not recovered"),
        ("pacs/?level=2", "Late Fusion", "overall", "67.4 ± 1.5"),
        ("giraffe/?", "LLaVA-13B", "human-made", "18.13"),
        ("giraffe/?strategy=patterns-video", "Otter", "automated", "0.95"),
        ("giraffe/?level=2&strategy=activity-text", "Vicuna-13B", "activitynet", "78.5"),
        ("giraffe/?level=3", "mPLUG-Owl", "roboset", "27.3"),
    ],
)
def test_a_board_without_a_pack_shows_what_is_printed(visitor, address, name, column, printed):
    rows = {row["name"]: row for row in visitor.get(f"/leaderboard/{address}&format=json").json()["rows"]}
    cells = rows[name]["cells"] | {"overall": rows[name]["overall"]}
    assert (rows[name]["kind"], rows[name]["rank"], cells[column]["printed"]) == ("published", None, printed)


def test_an_interval_is_shown_where_the_paper_prints_one_and_nowhere_else(visitor):
    rows = {row["name"]: row["overall"] for row in visitor.get("/leaderboard/pacs/?format=json").json()["rows"]}
    human, model = rows["Human"], rows["Merlot Reserve (Large)"]
    assert (human["score"], human["low"], human["high"]) == pytest.approx((0.963, 0.942, 0.984))
    assert (model["score"], model["low"], model["high"]) == (pytest.approx(0.701), None, None)


def test_a_model_asked_with_and_without_sound_has_the_difference():
    pack, model = make_pack(benchmark="pacs", name="small"), make_model(name="Ours", slug="ours")
    question = {"kind": "pair", "expected": "object 1", "options": ["object 1", "object 2"]}
    facets = {"test": ("pacs",), "split": ("test", "all")}
    for number in range(3):
        make_item(pack, clip=make_clip(pack, key=f"o{number}"), key=f"o{number}", facets=facets, **question)
    for condition, right in (("audio", 3), ("no-audio", 1)):
        run = make_run(pack, model=model, strategy="pair", split="test", condition=condition, parser="pacs-object")
        answer_all(run, lambda item, right=right: "object 1" if int(item.key[1:]) < right else "object 2")
    refresh()
    table = table_named("pacs-table-1", rows=("run",))
    (row,) = [dict(zip(table.heads, row, strict=True)) for row in table.rows]
    assert (row["With audio"], row["Without audio"]) == (100.0, pytest.approx(33.3333))
    assert row["Δ"] == pytest.approx(66.6667)
    (note,) = [note for note in table.notes if "Δ" in note]  # 2 of 3 items with the information of one independent item
    assert "Δ +66.7 points, 95 % interval −65.6 to +97.5, paired on 3 items" in note
    assert "AudioCLIP" not in str(table.rows)


@pytest.mark.parametrize("slug", [slug for slug in BENCHMARKS if BENCHMARKS[slug].tables])
def test_a_benchmark_page_shows_its_papers_tables(visitor, slug):
    page = visitor.get(f"/benchmarks/{slug}/").content.decode()
    for table in BENCHMARKS[slug].tables:
        assert f"<summary>{table.source}" in page
    assert "nothing here was measured on this site" in page


def test_every_layout_has_a_page_with_its_files_its_notes_and_errors(visitor):
    for name, (slug, _) in LAYOUTS.items():
        page = visitor.get(f"/leaderboard/{slug}/tables/{name}/")
        assert (page.status_code, "format=latex" in page.content.decode()) == (200, True), name
    # a layouts page and file say what exists
    page, known = visitor.get("/leaderboard/pacs/tables/pacs-table-5/"), "/leaderboard/pacs/tables/pacs-table-1/"
    assert (page.status_code, "pacs-table-4" in page.content.decode()) == (404, True)
    for wrong in ("format=doc", "rows=robots", "pack=gone"):
        assert visitor.get(f"{known}?{wrong}").status_code == 404, wrong
    assert "96.3 ± 2.1" in visitor.get(f"{known}?format=csv").content.decode()
    # contradictions stand beside the table
    notes = " ".join(table_named("giraffe-table-1").notes)
    assert "InstructBLIP-7B, H Avg., printed 7.40: the mean of the printed dimensions is 7.07." in notes
    # averages of a referees scores are not called accuracy
    assert "(not accuracy)" in visitor.get("/leaderboard/giraffe/").content.decode()
    assert "(not accuracy)" in visitor.get("/leaderboard/giraffe/?format=md").content.decode()
    assert "(not accuracy)" not in visitor.get("/leaderboard/craft/").content.decode()


def test_the_command_writes_every_format_of_a_papers_table(tmp_path):
    for wanted in READERS:
        call_command("export_table", "giraffe-table-8", format=wanted, out=tmp_path / f"t.{wanted}")
        assert READERS[wanted]((tmp_path / f"t.{wanted}").read_bytes())[0][0] == "LLaVA (13B, 7B)"
