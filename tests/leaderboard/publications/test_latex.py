"""The LaTeX of every table compiles, and the PDF has the table's text."""

import re
import shutil
import subprocess

import pytest

from leaderboard.exports import writers
from leaderboard.exports.table import Table
from leaderboard.publications.paper_tables import LAYOUTS, table_named
from tests.site import PATIENCE

PROGRAMS = ("pdflatex", "pdftotext")
missing = [program for program in PROGRAMS if not shutil.which(program)]
needs_latex = pytest.mark.skipif(
    bool(missing), reason=f"SKIPPED LOUDLY: no {', '.join(missing)} (texlive-latex-recommended, poppler-utils)"
)
pytestmark = pytest.mark.django_db
HEAD = r"""\documentclass{article}
\usepackage{booktabs}
\input{glyphtounicode}\pdfgentounicode=1
\pdfpagewidth=70cm \pdfpageheight=60cm \textwidth=66cm \textheight=56cm \hoffset=-3cm
\pagestyle{empty}
\begin{document}
"""
ODD = Table(
    "50 % of {A} & B_1 ~ #2 \\x", ("Who", "Δ %"), (("a_b & c^d $5", 49.6), ("LLaVA – < | >", None)), ("A note",)
)
STRUCTURE = re.compile(
    r"(%[^\n]*\n)+\\begin\{table\}\n\\centering\n\\caption\{[^\n]*\}\n"
    r"\\begin\{tabular\}\{lr*\}\n\\toprule\n[^\n]* \\\\\n"
    r"\\midrule\n([^\n]* \\\\\n)*\\bottomrule\n\\end\{tabular\}\n\\end\{table\}\n"
)


def tables():
    return [ODD, *(table_named(name) for name in LAYOUTS)]


def spaceless(text):
    """The text without blanks and underscores, which TeX draws as rules; two other letters have TeX's codes."""
    return re.sub(r"[\s_]", "", text.replace("∆", "Δ").replace("ˆ", "^"))


@needs_latex
def test_the_pdf_of_every_table_reads_as_the_table(tmp_path):
    shown = tables()
    source = HEAD + "\\clearpage\n".join(writers.as_latex(table).decode() for table in shown) + "\\end{document}\n"
    (tmp_path / "t.tex").write_text(source, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "t.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", timeout=PATIENCE)
    assert done.returncode == 0, done.stdout[-2000:]
    subprocess.run(["pdftotext", "-layout", "t.pdf", "t.txt"], cwd=tmp_path, check=True, timeout=PATIENCE)
    pages = (tmp_path / "t.txt").read_text(encoding="utf-8").split("\f")
    assert len(pages) == len(shown) + 1
    for table, page in zip(shown, pages[:-1], strict=True):
        lines = [spaceless(line) for line in page.splitlines() if line.strip()]
        expected = [spaceless("".join(row)) for row in (table.display_heads, *table.display_rows)]
        assert lines[-len(expected) :] == expected, table.title


def test_every_table_is_one_whole_booktabs_table():
    """Checks without LaTeX: the parts in order, as many cells per row as heads, everything escaped."""
    for table in tables():
        text = writers.as_latex(table).decode()
        assert STRUCTURE.fullmatch(text), table.title
        body = text.partition("\\toprule\n")[2].partition("\\bottomrule")[0]
        for line in body.splitlines():
            if line != "\\midrule":
                assert len(re.split(r"(?<!\\)&", line)) == len(table.display_heads)
                assert not re.search(r"(?<!\\)[%#_]", line)
