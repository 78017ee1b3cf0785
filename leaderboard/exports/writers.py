"""Writers of a table as CSV, JSON, Markdown, LaTeX, XLSX or BibTeX."""

import csv
import io
import json
import re
from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from django.utils.encoding import iri_to_uri

from leaderboard.board.query import FORMATS, one_of
from leaderboard.exports import provenance
from leaderboard.exports.escaping import markdown, markdown_line
from leaderboard.exports.latex import as_latex
from leaderboard.exports.table import Table
from leaderboard.labels import EXTENSIONS
from measures.spreadsheet_cells import defused

PRINTED = re.compile(r"\d{1,4}(\.\d{1,4})?")  # a figure as a paper prints it
CONTENT_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "md": "text/markdown; charset=utf-8",
    "latex": "application/x-tex; charset=utf-8",
    "bib": "application/x-bibtex; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def as_csv(table: Table) -> bytes:
    """The header and then a line for each row; notes and provenance are in a file of their own (`beside_csv`)."""
    text = io.StringIO()
    rows = (("" if value is None else defused(value) for value in row) for row in (table.heads, *table.rows))
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def beside_csv(table: Table, name: str) -> bytes:
    """Content of NAME-metadata.json beside a CSV file, with its title, notes and citations (CSV on the Web)."""
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
    """BibTeX entries of everything in the table."""
    return table.provenance.bibtex.encode() if table.provenance else b""


def as_json(table: Table) -> bytes:
    rows = [dict(zip(table.heads, row, strict=True)) for row in table.rows]
    content: dict[str, Any] = {"title": table.title, "notes": table.notes, "columns": table.heads, "rows": rows}
    if table.provenance:
        content |= {"provenance": provenance.as_json(table.provenance)}
    return json.dumps(content, indent=2, ensure_ascii=False).encode()


def as_markdown(table: Table) -> bytes:
    heads = table.display_heads
    lines = [f"**{markdown(table.title)}**", "", _piped_row(heads), "|---" + "|---:" * (len(heads) - 1) + "|"]
    for panel, rows in table.row_groups:
        lines += [f"| *{markdown(panel)}* " + "| " * (len(heads) - 1) + "|"] if panel else []
        lines += [_piped_row(row) for row in rows]
    lines += ["", *(f"{markdown_line(note)}  " for note in table.remarks), ""]
    return "\n".join(lines).encode()


def _piped_row(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(markdown(cell) for cell in cells) + " |"


def as_xlsx(table: Table) -> bytes:
    """A workbook with a sheet of notes; numbers are numeric (ours with one decimal, published ones as printed)."""
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    sheet.title = "Table"
    for row in (table.heads, *table.rows):
        sheet.append([defused(value) for value in row])
    _dress(sheet)
    _rule_off(sheet, table.ruled)
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


def _rule_off(sheet: Any, above: int) -> None:
    from openpyxl.styles import Border, Side

    for cell in sheet[above + 1] if above else ():
        cell.border = Border(bottom=Side(style="thin"))


WRITERS: dict[str, Callable[[Table], bytes]] = {
    "csv": as_csv,
    "json": as_json,
    "md": as_markdown,
    "latex": as_latex,
    "xlsx": as_xlsx,
    "bib": as_bibtex,
}


def response(table: Table, wanted: str, *, name: str) -> HttpResponse:
    """The table as a download in this format; BadAddress lists the formats."""
    write = WRITERS[one_of("format", wanted, FORMATS)]
    answer = attached(write(table), f"{name}.{EXTENSIONS[wanted]}", CONTENT_TYPES[wanted])
    if table.provenance:
        address = iri_to_uri(table.provenance.facts["address"])
        answer["Link"] = f'<{address}>; rel="canonical"'
    return answer


def attached(content: bytes | str, name: str, content_type: str) -> HttpResponse:
    """The content as a download of this name."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=content_type, headers=headers)


def json_response(content: Any, status: int = 200) -> HttpResponse:
    text = json.dumps(content, ensure_ascii=False, allow_nan=False)
    return HttpResponse(text.encode(), content_type=CONTENT_TYPES["json"], status=status)
