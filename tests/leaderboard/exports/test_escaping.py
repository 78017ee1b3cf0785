"""Names with all special characters of Markdown, LaTeX and BibTeX are unchanged when they are read back."""

import csv
import io
import re
import shutil
import string
import subprocess

import pytest
from markdown_it import MarkdownIt

from leaderboard.exports import provenance, writers
from leaderboard.exports.escaping import bibtex, is_one_entry, on_one_line, tex
from leaderboard.exports.table import Table
from measures.spreadsheet_cells import defused
from tests.site import PATIENCE

NAMES = (
    "[a](javascript:alert(1))", "![a](javascript:b)", "<javascript:a>", "<b>x</b>", "&lt;i&gt; &amp;", "`code`",
    "a|b", "a\\|b", "*bold* **more** _it_ __un__ a_b", "~~out~~", "$x^2$", "\\[x\\]", "# title", "- entry",
    "1. entry", "> said", "===", "[1]: x", "\\input{/etc/passwd}", "a\\b", "{", "}", "}{", "a{b}c", "50 % #1 & _x",
    "x^y~z", '"quoted"', "a--b---c", "?`!`", "''``", "[0pt]", "*", "@article{x, title={y}}", "line\nbreak\rhere",
    "nul\x00\x1b", "a\u2028b", "Ä é Δ ≥ –", "%", "trailing\\", string.printable,
)  # fmt: skip


def table_of(name: str) -> Table:
    return Table("t " + name, ("Who", "Score %"), ((name, 49.6), ("other", 1.0)), notes=(name, "last"))


@pytest.mark.parametrize("name", NAMES)
def test_markdown_shows_the_name_and_nothing_else(name):
    source = writers.as_markdown(table_of(name)).decode()
    shown = MarkdownIt("gfm-like", {"linkify": False, "html": True}).render(source)
    tags = set(re.findall(r"<(\w+)", shown))
    assert tags <= {"p", "strong", "br", "table", "thead", "tbody", "tr", "th", "td"}, shown
    assert shown.count("<tr>") == 3
    wanted = " ".join(on_one_line(name).split())
    texts = re.findall(r"<td[^>]*>(.*?)</td>", shown, re.DOTALL)
    assert " ".join(unescaped(texts[0]).split()) == wanted
    lines = re.findall(r"<p>(.*?)</p>", shown, re.DOTALL)
    assert " ".join(unescaped(lines[1]).split()) == f"{wanted} last"


def unescaped(text: str) -> str:
    from html import unescape

    return unescape(text.replace("<br>", " ").replace("<br />", " "))


@pytest.mark.parametrize("name", NAMES)
def test_csv_gives_the_name_back(name):
    rows = list(csv.reader(io.StringIO(writers.as_csv(table_of(name)).decode(), newline="")))
    assert rows[1] == [defused(name), "49.6"]
    assert len(rows) == 3


LETTERS = {
    r"\textbackslash{}": "\\", r"\textbraceleft{}": "{", r"\textbraceright{}": "}", r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^", "$<$": "<", "$>$": ">", "$|$": "|", "$\\Delta$": "Δ", r"$\geq$": "≥", r"\&": "&",
    r"\%": "%", r"\$": "$", r"\#": "#", r"\_": "_", "--": "–", "-{}": "-", "?{}": "?", "!{}": "!", "`{}": "`",
    "'{}": "'",
}  # fmt: skip
PIECE = re.compile("|".join(map(re.escape, LETTERS)))


@pytest.mark.parametrize("name", NAMES)
def test_bibtex_keeps_every_letter_and_its_braces_pair_up(name):
    entry = provenance.entry("key", name, "https://example.org/?q=%20{}\\ x", author=name, year="2026", note=name)
    assert is_one_entry(entry)
    (title,) = re.findall(r"^  title        = \{(.*)\},$", entry, re.MULTILINE)
    plain = PIECE.sub(lambda piece: LETTERS[piece[0]], re.sub(r"^\{(\s*[\[*])\}", r"\1", title))
    assert plain == on_one_line(name)
    assert "\\url{https://example.org/?q=%20%7B%7D%5C%20x}" in entry


@pytest.mark.skipif(
    not (shutil.which("bibtex") and shutil.which("pdflatex")), reason="SKIPPED LOUDLY: no bibtex, pdflatex"
)
def test_bibtex_and_latex_themselves_read_every_name(tmp_path):
    """Typeset by the real programs, among other entries and rows: no error, and no bibtex warning."""
    entries = [
        provenance.entry(f"key-{number}", name, "https://example.org", author=name, year="2026", note=name)
        for number, name in enumerate(NAMES)
    ]
    (tmp_path / "all.bib").write_text("\n".join(entries), encoding="utf-8")
    table = Table("t", ("Who", "n"), tuple((name, 1) for name in NAMES), notes=NAMES)
    begin = "\\documentclass{article}\\usepackage{booktabs,url}\\begin{document}\\nocite{*}\n"
    end = "\\bibliographystyle{unsrt}\\bibliography{all}\\end{document}\n"
    (tmp_path / "t.tex").write_text(begin + writers.as_latex(table).decode() + end, encoding="utf-8")
    latex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "t.tex"]
    for command in (latex, ["bibtex", "t"], latex):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=PATIENCE)
        assert done.returncode == 0, done.stdout[-2000:]
    assert "Warning" not in (tmp_path / "t.blg").read_text()
    assert (tmp_path / "t.bbl").read_text().count("\\bibitem") == len(NAMES)


@pytest.mark.parametrize(
    ("told", "is_one"),
    [
        ("@article{a2024,\n title = {A {B} c}\n}", True),
        ('@article{a, title={x}} @preamble{"\\immediate\\write18{ls}"}', False),
        ('@preamble{"x"}', False),
        ("@string{a = {b}}", False),
        ("@comment{a, b}", False),
        ("@article{a, title={x}}}{", False),
        ("@article{a, title={x}", False),
        ("@article{,}", False),
    ],
)
def test_one_entry_of_bibtex(told, is_one):
    assert is_one_entry(told) is is_one


def test_an_underscore_within_a_word_stays_readable():
    assert writers.markdown("grasp_table_2 _x_") == "grasp_table_2 \\_x\\_"
    assert tex("[x] *") == "{[}x] *"
    assert bibtex("{x}") == r"\textbraceleft{}x\textbraceright{}"
