"""A table as LaTeX for papers: panels, a caption, a label, and as wide as an article's text at most.

A table that is too wide, or has more than six columns of figures, is turned, so that its rows become columns, and split
into parts; a long one is split as well. Nothing is scaled.
Needs booktabs alone, and fits one column of `article` and both columns together (`table*`) of a two-column article.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from leaderboard.exports.escaping import on_one_line, tex
from leaderboard.exports.table import Table

# Widths in points at 10 pt of Computer Modern; other letters are as wide as WIDE.
GROUPS = (
    ("fijlI.,:;'!|′", 3.1),
    (" -()[]", 3.9),
    ("ceszrt", 4.5),
    ("0123456789aghovk–/", 5.3),
    ("bdnpquxyvö", 5.6),
    ("mwW%MQ", 10.3),
)
WIDTHS = {letter: width for letters, width in GROUPS for letter in letters}
WIDE = 7.9
SMALL = 0.925  # \small
TEXT = 340.0  # the width of an article's text on letter paper is 345 points
APART = 6.0  # between two columns
LABEL, VALUE = 112.0, 70.0  # points: longer texts are wrapped
MODELS = 5  # columns of a turned part
FIGURES = 6  # columns of figures at most: a table with more is turned, even where it fits
LINES = 34  # rows of a part
FLOATS = 12  # parts that wait for a page: TeX holds no more than 18 to 52
PIECES = re.compile(r"(?<=[\s/_+-])")  # TeX may break a line here
LONGEST_PIECE = 12  # letters; longer words are broken anywhere
MINUS = re.compile(r"^-(?=\d)")
KEY = re.compile(r"@\w+\s*\{\s*([^\s,]+)\s*,")
HEAD = "% \\usepackage{booktabs}"


@dataclass(frozen=True)
class PrintColumn:
    """A column of one part; `most` is its widest width in points."""

    head: str
    cells: tuple[str, ...]
    most: float = VALUE
    panel: str = ""  # of a turned table, whose columns are rows of the table

    @property
    def width(self) -> float:
        return min(self.most, max((width_of(text) for text in (*self.cells, *pieces_of(self.head))), default=0.0))


@dataclass(frozen=True)
class PrintPart:
    """A tabular: a column of labels and columns of values; `panels` are those of its rows."""

    columns: tuple[PrintColumn, ...]
    panels: tuple[str, ...]

    @property
    def width(self) -> float:
        return sum(column.width + APART for column in self.columns)

    def rows(self, first: int, last: int) -> "PrintPart":
        """The part with these rows alone."""
        columns = tuple(replace(column, cells=column.cells[first:last]) for column in self.columns)
        return PrintPart(columns, self.panels[first:last])


def width_of(text: str) -> float:
    """The width of a text in points, rather too large than too small."""
    return SMALL * sum(WIDTHS.get(letter, WIDE) for letter in text)


def pieces_of(text: str) -> list[str]:
    """The parts of a text between which a line may be broken."""
    pieces = (piece.strip() for piece in PIECES.split(text))
    return [piece[at : at + LONGEST_PIECE] for piece in pieces for at in range(0, len(piece), LONGEST_PIECE)]


def as_latex(table: Table) -> bytes:
    """The table as floats that need booktabs alone, with the notes below them and the provenance as comments."""
    parts = [lines for part in _parts(table) for lines in _split(part)]
    label = f"tab:{_key(table)}"
    floats = [
        _float(part, _caption(table, place, len(parts)), label if place == 0 else f"{label}-{place + 1}")
        + ("\n\\clearpage" if place % FLOATS == FLOATS - 1 else "")
        for place, part in enumerate(parts)
    ]
    provenance = table.provenance.lines if table.provenance else ()
    lines = [HEAD, *("% " + on_one_line(line) for line in provenance), *floats, *_notes(table, label)]
    return ("\n".join(lines) + "\n").encode()


def _parts(table: Table) -> list[PrintPart]:
    """The table as it is if it fits, else turned; without figures a line that says so."""
    plain = _plain(table)
    if not plain.panels:
        return [PrintPart((PrintColumn(table.display_heads[0], ("no figures yet",), LABEL),), ("",))]
    figures = sum(column.most != LABEL for column in plain.columns)
    return [plain] if plain.width <= TEXT and figures <= FIGURES else list(_turned(plain))


def _plain(table: Table) -> PrintPart:
    """Rows in panels; of several columns of words before the figures, all but the last name the panel."""
    grouped = [(panel, row) for panel, rows in table.row_groups for row in rows if not _is_without_figure(table, row)]
    count = _label_count(table)
    inside = count - 1 if count > 2 else 0
    panels = tuple(", ".join(filter(None, (panel, *row[:inside]))) for panel, row in grouped)
    heads = table.display_heads
    columns = [
        PrintColumn(heads[place], tuple(row[place] for _, row in grouped), LABEL if place < count else VALUE)
        for place in range(inside, len(heads))
    ]
    return PrintPart(tuple(columns), panels)


def _is_without_figure(table: Table, row: tuple[str, ...]) -> bool:
    """Whether a row of a table with figures has none: the notes name it."""
    has_figures = any(not is_text for _, is_text in table.print_columns)
    return has_figures and not any(letter.isdigit() for cell in row[_label_count(table) :] for letter in cell)


def _label_count(table: Table) -> int:
    """The number of columns of words before the first figure."""
    words = [is_text for _, is_text in table.print_columns]
    return max(1, next((place for place, is_text in enumerate(words) if not is_text), 1))


def _turned(plain: PrintPart) -> Iterator[PrintPart]:
    """Parts whose columns are the table's rows, as many as fit; of two columns of words the first is the panel."""
    *outer, name = [column for column in plain.columns if column.most == LABEL]
    values = [column for column in plain.columns if column.most != LABEL]
    labels = PrintColumn("", tuple(column.head for column in values), LABEL)
    columns = [
        PrintColumn(
            name.cells[place],
            tuple(column.cells[place] for column in values),
            panel=", ".join(filter(None, (panel, *(column.cells[place] for column in outer)))),
        )
        for place, panel in enumerate(plain.panels)
    ]
    blank = ("",) * len(values)
    part = PrintPart((labels,), blank)
    for column in columns:
        wider = PrintPart((*part.columns, column), blank)
        if len(part.columns) > 1 and (wider.width > TEXT or len(part.columns) > MODELS):
            yield part
            wider = PrintPart((labels, column), blank)
        part = wider
    yield part


def _split(part: PrintPart) -> Iterator[PrintPart]:
    """Parts with as many rows as a page has room for, each with its panels' heads."""
    count = len(part.panels)
    for first in range(0, max(count, 1), LINES):
        yield part.rows(first, first + LINES)


def _key(table: Table) -> str:
    """The name in the label: the key of the page's BibTeX entry, else the words of the title."""
    keys = _keys(table)
    return keys[-1].removeprefix("benchsite-") if keys else re.sub(r"[^a-z0-9]+", "-", table.title.lower()).strip("-")


def _keys(table: Table) -> list[str]:
    """The keys of the benchmark's entry and of this page's."""
    entries = table.provenance.citations[:2] if table.provenance else ()
    return [found[1] for entry in entries if (found := KEY.search(entry))]


def _caption(table: Table, place: int, count: int) -> str:
    """Title, what the figures are, and the source; further parts have the title alone."""
    if place:
        return f"{tex(table.title)} (part {place + 1} of {count})"
    title = table.title + (f" (part 1 of {count})" if count > 1 else "")
    sentences = [tex(f"{sentence.rstrip('.')}.") for sentence in (title, *table.caption)]
    source = [f"Source: \\cite{{{','.join(keys)}}}."] if (keys := _keys(table)) else []
    return " ".join(sentences + source)


def _float(part: PrintPart, caption: str, label: str) -> str:
    kinds = "".join("l" if column.most == LABEL else "r" for column in part.columns)
    lines = [
        "\\begin{table*}",
        "\\sloppy\\centering\\small\\setlength{\\tabcolsep}{3pt}",
        f"\\caption{{{caption}}}",
        f"\\label{{{label}}}",
        f"\\begin{{tabular}}{{@{{}}{kinds}@{{}}}}",
        "\\toprule",
        *_panel_heads(part),
        " & ".join(_head(column, is_first=place == 0) for place, column in enumerate(part.columns)) + " \\\\",
        *_body(part),
        "\\bottomrule",
        "\\end{tabular}",
        "\\end{table*}",
    ]
    return "\n".join(lines)


def _panel_heads(part: PrintPart) -> Iterator[str]:
    """The panels of a turned part above their columns."""
    groups = [(panel, list(found)) for panel, found in groupby(part.columns, key=lambda column: column.panel)]
    if not any(panel for panel, _ in groups):
        return
    place, cells, rules = 1, [], []
    for panel, columns in groups:
        last, width = place + len(columns) - 1, sum(one.width + APART for one in columns) - APART
        head = f"\\parbox[b]{{{width:.0f}pt}}{{\\centering\\itshape {_breakable(panel)}}}"
        cells.append(f"\\multicolumn{{{len(columns)}}}{{c}}{{{head}}}" if panel else "")
        rules += [f"\\cmidrule(lr){{{place}-{last}}}"] if panel else []
        place = last + 1
    yield " & ".join(cells) + " \\\\"
    yield "".join(rules)


def _head(column: PrintColumn, *, is_first: bool) -> str:
    side = "\\raggedright" if is_first or column.most == LABEL else "\\raggedleft"
    return f"\\parbox[b]{{{max(column.width, 1):.0f}pt}}{{{side} {_breakable(column.head)}}}"


def _body(part: PrintPart) -> Iterator[str]:
    """The rows, with the head of each panel above its own."""
    wide = f"{part.width - APART:.0f}pt"
    before: str | None = None
    for place, panel in enumerate(part.panels):
        if panel != before:
            yield "\\midrule"
            if panel:
                head = f"\\parbox{{{wide}}}{{\\raggedright\\itshape {_breakable(panel)}}}"
                yield f"\\multicolumn{{{len(part.columns)}}}{{@{{}}l@{{}}}}{{{head}}} \\\\"
        before = panel
        yield " & ".join(_cell(column, column.cells[place]) for column in part.columns) + " \\\\"


def _cell(column: PrintColumn, text: str) -> str:
    if width_of(text) <= column.most:
        return tex(MINUS.sub("−", text))
    side = "\\raggedright" if column.most == LABEL else "\\raggedleft"
    return f"\\parbox[t]{{{column.width:.0f}pt}}{{{side} {_breakable(text)}\\strut}}"


def _breakable(text: str) -> str:
    """The text escaped, with places to break lines after slashes, hyphens, underscores and in very long words."""
    return " ".join("\\allowbreak{}".join(map(tex, pieces_of(word))) for word in text.split())


def _notes(table: Table, label: str) -> Iterable[str]:
    """The notes as text below the table: they run over pages."""
    empty = [row[_label_count(table) - 1] for row in table.display_rows if _is_without_figure(table, row)]
    notes = [note for note in table.notes if note not in table.caption]
    notes += [f"Without figures: {', '.join(empty)}."] if empty else []
    if notes:
        found = " ".join(_breakable(on_one_line(note)) for note in notes)
        yield f"\\begingroup\\sloppy\\footnotesize\\noindent Notes on Table~\\ref{{{label}}}: {found}\\par\\endgroup"
