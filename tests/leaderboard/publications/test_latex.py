"""The LaTeX of tables compiles in an article of one and of two columns, and no line is too wide."""

import re
import shutil
import subprocess

import pytest

from benchmarks.definitions.papers.grasp_tests import LEVEL_2
from benchmarks.definitions.registry import find_benchmark
from leaderboard.board.query import view_of
from leaderboard.board.rows import board_of
from leaderboard.exports import writers
from leaderboard.exports.latex import MODELS, TEXT, PrintColumn, PrintPart, pieces_of, width_of
from leaderboard.exports.table import Table, board_table
from leaderboard.publications.paper_tables import LAYOUTS, ROWS, table_named
from leaderboard.row_kinds import RowKind
from leaderboard.standings.refresh import refresh
from tests.factories import answer_to, make_model, make_run
from tests.leaderboard.conftest import CELL, answered, make_people, make_row
from tests.site import PATIENCE

PROGRAMS = ("pdflatex", "pdftotext")
missing = [program for program in PROGRAMS if not shutil.which(program)]
needs_latex = pytest.mark.skipif(
    bool(missing), reason=f"SKIPPED LOUDLY: no {', '.join(missing)} (texlive-latex-recommended, poppler-utils)"
)
pytestmark = pytest.mark.django_db
HEAD = r"""\documentclass[COLUMNS]{article}
\usepackage{booktabs}
\input{glyphtounicode}\pdfgentounicode=1
\begin{document}
"""
ODD = Table(
    "50 % of {A} & B_1 ~ #2 \\x", ("Who", "Δ %"), (("a_b & c^d $5", 49.6), ("LLaVA – < | >", None)), ("A note",)
)
TOO_WIDE = re.compile(r"^Overfull \\hbox \((\d+\.\d+)pt", re.MULTILINE)
OVERFULL = 2.0  # points that nobody sees
NAMES = ("Video-LLaMA2", "LLaVA-OneVision-Qwen2-0.5B-ov-chat", "InternVideo_2.5_Chat_8B", "M", "A very long name")
PANELS = ["People", "Evaluated here", "Uploaded", "Reported"]


@pytest.fixture
def board(physics):
    """Sixteen tests of people, of models evaluated here and uploaded, and of papers' people."""
    tests = {test.name: CELL | {"score": 1.0, "low": 0.855, "high": 1.0} for test in LEVEL_2}
    people = make_people(physics, level="2", strategy="plausibility")
    people.cells["test"] = tests
    people.save()
    for number, name in enumerate(NAMES):
        kind = RowKind.UPLOADED if number % 2 else RowKind.RUN
        run = make_run(physics, model=make_model(name=name, kind="scripted"), kind=kind, strategy="plausibility")
        make_row(run, {"level": {"2": CELL}, "test": tests}, kind=kind)
    return board_table(board_of(view_of(find_benchmark("grasp"), {"level": "2"})))


@pytest.fixture
def compared(physics, study):
    answered(physics, answer_to, "Right")
    refresh()
    return table_named("human-vs-model:grasp")


def spaceless(text):
    """The text without blanks, hyphens and underscores, which TeX draws as rules; two letters have TeX's codes."""
    return re.sub(r"[\s_-]", "", text.replace("∆", "Δ").replace("ˆ", "^").replace("\xad", ""))


def typeset(folder, found, columns):
    """The log and the text of a document with these tables."""
    parts = "\\clearpage\n".join(writers.as_latex(one).decode() for one in found)
    source = HEAD.replace("COLUMNS", columns) + parts + "\\end{document}\n"
    (folder / "t.tex").write_text(source, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "t.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=PATIENCE)
    assert done.returncode == 0, done.stdout[-2000:]
    subprocess.run(["pdftotext", "-raw", "t.pdf", "t.txt"], cwd=folder, check=True, timeout=PATIENCE)
    return (folder / "t.log").read_text(errors="replace"), (folder / "t.txt").read_text(encoding="utf-8")


@needs_latex
@pytest.mark.parametrize("columns", ["", "twocolumn"])
def test_no_table_is_too_wide_or_too_high_and_every_figure_is_printed(tmp_path, board, compared, columns):
    of_papers = [table_named(name, rows=rows) for name in LAYOUTS for rows in (None, ROWS)]
    found = [board, compared, ODD, *of_papers]
    log, text = typeset(tmp_path, found, columns)
    assert [width for width in TOO_WIDE.findall(log) if float(width) > OVERFULL] == []
    assert "too large for page" not in log
    whole = spaceless(text)
    cells = {cell for table in found for row in table.display_rows for cell in row}
    figures = {cell for cell in cells if re.fullmatch(r"[\d.]+( \(\d+–\d+\)| ± [\d.]+)?", cell)}
    assert len(figures) > 200
    assert [cell for cell in figures if spaceless(cell) not in whole] == []


@needs_latex
def test_tables_that_are_too_wide_are_seen_and_many_models_have_not_too_many_floats(tmp_path, monkeypatch, board):
    rows = tuple((f"Model {number}", *([50.0] * 16)) for number in range(400))
    log, _ = typeset(tmp_path, [Table("Many", ("Model", *map(str, range(16))), rows)], "")
    assert TOO_WIDE.findall(log) == []
    monkeypatch.setattr("leaderboard.exports.latex.TEXT", 2000.0)
    log, _ = typeset(tmp_path, [board], "")
    assert max(map(float, TOO_WIDE.findall(log))) > OVERFULL


def test_a_board_has_panels_a_caption_and_a_label_and_its_entries_author_and_year(board):
    text = writers.as_latex(board).decode()
    panels = re.findall(r"\\itshape ([^}]+)\}", text)
    assert list(dict.fromkeys(panels)) == PANELS
    caption = re.search(r"\\caption\{(.+)\}\n\\label\{tab:grasp", text)[1]
    parts = ("split all", "n = 40 questions", "95 \\% interval", "chance 50.0", "\\cite{jassim2024grasp,benchsite-")
    assert [part for part in parts if part not in caption] == []
    labels = re.findall(r"\\label\{.*?\}", text)
    assert len(labels) == len(set(labels)) == text.count("\\begin{table*}")
    columns = re.findall(r"\\begin\{tabular\}\{@\{\}l(r+)@\{\}\}", text)
    assert max(map(len, columns)) <= MODELS
    # markdown has the panels too
    text = writers.as_markdown(board).decode()
    places = [text.index(f"| *{panel}* |") for panel in PANELS]
    assert places == sorted(places)
    # every entry has author and year
    entries = re.split(r"\n(?=@)", writers.as_bibtex(board).decode())
    assert len(entries) > len(NAMES)
    for entry in entries:
        assert re.search(r"\bauthor\s*=", entry), entry
        assert re.search(r"\byear\s*=", entry), entry
        assert re.search(r"https?://|\bdoi\s*=|booktitle|journal", entry), entry


@pytest.mark.parametrize(("count", "is_turned"), [(6, False), (7, True)])
def test_more_than_six_columns_of_figures_are_turned_even_if_they_fit(count, is_turned):
    heads = ("Model", *(f"T{number}" for number in range(count)))
    rows = tuple((name, *([number + 0.5] * count)) for number, name in enumerate("ABCDEFG"))
    text = writers.as_latex(Table("Narrow", heads, rows)).decode()
    assert PrintPart((PrintColumn("Model", ("A",), 112.0), *[PrintColumn("T6", ("6.5",))] * count), ("",)).width < TEXT
    columns = [len(found) for found in re.findall(r"\\begin\{tabular\}\{@\{\}l(r+)@\{\}\}", text)]
    assert columns == ([MODELS, 2] if is_turned else [count])
    assert "\\resizebox" not in text


def test_long_words_are_broken_and_widths_are_not_too_small():
    assert pieces_of("Video-LLaMA2 7B") == ["Video-", "LLaMA2", "7B"]
    assert max(map(len, pieces_of("x" * 40))) <= 12
    assert TEXT > width_of("70.0 (65–75)") > 50
