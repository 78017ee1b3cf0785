"""A table as CSV, JSON, Markdown, LaTeX or a spreadsheet."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from django.http import HttpResponse
from django.utils.encoding import iri_to_uri

from leaderboard import provenance
from leaderboard.tables import Table, Value
from leaderboard.words import EXTENSIONS

# A spreadsheet takes a cell that begins so for a formula.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")  # no spreadsheet takes them
PRINTED = re.compile(r"\d{1,4}(\.\d{1,4})?")  # a figure as a paper prints it
CONTENT_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
    "latex": "application/x-tex; charset=utf-8",
    "bib": "application/x-bibtex; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def defused(value: Value) -> Value:
    """Text that can't run as a formula; numbers stay numbers."""
    if not isinstance(value, str):
        return value
    text = CONTROLS.sub(" ", value)
    return "'" + text if text.startswith(FORMULA_STARTS) else text


def csv_lines(table: Table) -> Iterator[str]:
    """Header first, then a line a row; notes and provenance don't fit the form and stand beside it (`beside_csv`)."""
    for row in (table.heads, *table.rows):
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow("" if value is None else defused(value) for value in row)
        yield line.getvalue()


def as_csv(table: Table) -> bytes:
    return "".join(csv_lines(table)).encode()


def beside_csv(table: Table, name: str) -> bytes:
    """What a CSV file can't hold, as CSV on the Web has it in a file beside it: NAME-metadata.json."""
    columns = [{"titles": head} for head in table.heads]
    content = {
        "@context": "http://www.w3.org/ns/csvw",
        "url": name,
        "dc:title": table.title,
        "notes": list(table.remarks),
        "tableSchema": {"columns": columns},
        "dc:bibliographicCitation": table.provenance.bibtex if table.provenance else "",
    }
    return json.dumps(content, indent=2, ensure_ascii=False).encode()


def as_bibtex(table: Table) -> bytes:
    """Entries of all that the table shows."""
    return table.provenance.bibtex.encode() if table.provenance else b""


def as_json(table: Table) -> bytes:
    rows = [dict(zip(table.heads, row, strict=True)) for row in table.rows]
    content: dict[str, Any] = {"title": table.title, "notes": table.notes, "columns": table.heads, "rows": rows}
    if table.provenance:
        content |= {"provenance": provenance.as_json(table.provenance)}
    return json.dumps(content, indent=2, ensure_ascii=False).encode()


def as_markdown(table: Table) -> bytes:
    heads, rows = table.printed_heads, table.printed_rows
    lines = [f"**{_piped(table.title)}**", "", _piped_row(heads), "|---" + "|---:" * (len(heads) - 1) + "|"]
    lines += [_piped_row(row) for row in rows]
    lines += ["", *(f"{_piped(note)}  " for note in table.remarks), ""]
    return "\n".join(lines).encode()


def _piped_row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(_piped(cell) for cell in cells) + " |"


def _piped(text: str) -> str:
    """Bars would end a cell, and angle brackets would be markup."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "−": "$-$", "±": r"$\pm$", "\u202f": r"\,",
    "<": "$<$", ">": "$>$", "|": "$|$", "Δ": r"$\Delta$",
    "×": r"$\times$", "′": "$'$", "τ": r"$\tau$", "κ": r"$\kappa$", "≥": r"$\geq$", "≤": r"$\leq$",
}  # fmt: skip


def tex(text: str) -> str:
    return "".join(LATEX.get(letter, letter) for letter in text)


def as_latex(table: Table) -> bytes:
    """A booktabs table that stands alone after \\usepackage{booktabs}."""
    heads, rows = table.printed_heads, table.printed_rows
    lines = [
        "% \\usepackage{booktabs}",
        *("% " + " ".join(note.split()) for note in table.remarks),
        "\\begin{table}",
        "\\centering",
        f"\\caption{{{tex(table.title)}}}",
        f"\\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}",
        "\\toprule",
        *_tex_heads(table),
        "\\midrule",
        *(" & ".join(tex(cell) for cell in row) + " \\\\" for row in rows),
        "\\bottomrule",
        "\\end{tabular}",
        "\\end{table}",
        "",
    ]
    return "\n".join(lines).encode()


def _tex_heads(table: Table) -> list[str]:
    """One line of heads; of blocks their titles above, each over its own columns."""
    if not table.spans:
        return [" & ".join(tex(head) for head in table.printed_heads) + " \\\\"]
    titles, rules, start = [""], [], 2
    for title, heads in table.spans:
        titles.append(f"\\multicolumn{{{len(heads)}}}{{c}}{{{tex(title)}}}")
        rules.append(f"\\cmidrule(lr){{{start}-{start + len(heads) - 1}}}")
        start += len(heads)
    below = [table.printed_heads[0], *(head for _, heads in table.spans for head in heads)]
    return [" & ".join(titles) + " \\\\", " ".join(rules), " & ".join(tex(head) for head in below) + " \\\\"]


def as_xlsx(table: Table) -> bytes:
    """Numbers as numbers: ours with one decimal, printed ones with theirs; the notes on a sheet of their own."""
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    sheet.title = "Table"
    for row in (table.heads, *table.rows):
        sheet.append([defused(value) for value in row])
    _dress(sheet)
    notes = book.create_sheet("Notes")
    for note in (table.title, *table.remarks):
        notes.append([defused(note)])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _dress(sheet: Any) -> None:
    from openpyxl.styles import Font

    for cell in sheet[1]:
        cell.font = Font(bold=True)
    for row in sheet.iter_rows(min_row=2):
        for cell in row:
            if isinstance(cell.value, float):
                cell.number_format = "0.0"
            elif isinstance(cell.value, str) and PRINTED.fullmatch(cell.value):
                decimals = len(cell.value.partition(".")[2])
                cell.value, cell.number_format = float(cell.value), "0." + "0" * decimals if decimals else "0"
    sheet.freeze_panes = "B2"
    sheet.column_dimensions["A"].width = 28


WRITERS: dict[str, Callable[[Table], bytes]] = {
    "csv": as_csv, "json": as_json, "md": as_markdown, "latex": as_latex, "xlsx": as_xlsx,
    "bib": as_bibtex,
}  # fmt: skip


def response(table: Table, wanted: str, *, name: str) -> HttpResponse:
    """The table as a download."""
    answer = HttpResponse(WRITERS[wanted](table), content_type=CONTENT_TYPES[wanted])
    answer["Content-Disposition"] = f'attachment; filename="{name}.{EXTENSIONS[wanted]}"'
    if table.provenance:
        address = iri_to_uri(table.provenance.facts["address"])
        answer["Link"] = f'<{address}>; rel="canonical"'
    return answer


def json_response(content: Any, status: int = 200) -> HttpResponse:
    text = json.dumps(content, ensure_ascii=False, allow_nan=False)
    return HttpResponse(text.encode(), content_type=CONTENT_TYPES["json"], status=status)
