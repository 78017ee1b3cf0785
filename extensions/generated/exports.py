"""Boards of generators as files: figures, their intervals and ranks, what was left out, and where they come from."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse

from benchmarks.leasing import database_now
from extensions.generated.models import PromptPack
from extensions.generated.pages.figures import BoardAddress, FigureText
from extensions.generated.published import reported_in
from extensions.generated.scores.board import BoardLine, RowFigure
from extensions.generated.scores.columns import ScoreColumn
from leaderboard.board.query import FORMATS
from leaderboard.exports import writers
from leaderboard.exports.provenance import Provenance, entry_of_page, key_of
from leaderboard.exports.table import Table, Value

OF_FIGURE = ("", " low", " high", " best rank", " worst rank", " n", " can’t tell", " unread", " missing")
DIGITS = 6


def answered(request: HttpRequest, table: Table | None, wanted: str, pack: PromptPack) -> HttpResponse:
    """The table as a download; no page for an unknown format or for nothing."""
    if wanted not in FORMATS or table is None:
        raise Http404("no such file")
    path = request.get_full_path().replace(f"format={wanted}", "").rstrip("?&")
    facts = {
        "made": database_now().isoformat(timespec="seconds"),
        "address": settings.SITE_URL + path,
        "software": f"benchsite {settings.VERSION}",
        "prompts": f"{pack.title}, {pack.licence or 'licence not said'}",
    }
    own = entry_of_page(key_of(path).removeprefix("benchsite-"), table.title, facts["address"])
    table = Table(**vars(table) | {"provenance": Provenance(facts, (own,))})
    return writers.response(table, wanted, name=f"generated-{pack.slug}")


def board_table(address: BoardAddress, column: ScoreColumn, facts: Mapping[str, Any]) -> Table:
    """Generators, then ceilings and floors; the answerers stand side by side and are never averaged."""
    answerers = [one["title"] for one in facts["answerers"]]
    lines = [*facts["ranked"], *facts["lines"]]
    where = f", {address.round.title}" if address.round else ""
    truth = ("unbroken by truth", "of clips") if facts["truth"] else ()
    return Table(
        f"{address.pack.title}{where}: {column.title}",
        ("row", "title", "role", *(title + part for title in answerers for part in OF_FIGURE), *truth),
        tuple(tuple(_wide(line, has_truth=bool(truth))) for line, _ in lines),
        notes=(f"{column.title}: {column.about}.", *_notes(facts)),
        short_heads=("Generator", *answerers, *(("Truth",) if truth else ())),
        short_rows=tuple(tuple(_short(line, cells, has_truth=bool(truth))) for line, cells in lines),
        caption=(f"{column.title}: {column.about}", "95 % intervals take people and prompts as samples"),
    )


def _notes(facts: Mapping[str, Any]) -> Iterator[str]:
    for one in facts["answerers"]:
        if one["is_simulated"]:
            yield f"{one['title']}: simulated."
        if one["may_rank"] is False:
            yield f"{one['title']} may not rank: its column has no ranks."
    for title, left in facts["partial"]:
        yield f"{title}: without {left} prompts that not all generators have."


def _wide(line: BoardLine, *, has_truth: bool) -> Iterator[Value]:
    yield from (line.row.slug, line.row.title, line.row.role)
    for figure in line.figures:
        yield from _values(figure)
    if has_truth:
        yield from (line.truth.unbroken, line.truth.n) if line.truth else (None, None)


def _values(figure: RowFigure | None) -> Iterator[Value]:
    if figure is None:
        yield from (None,) * len(OF_FIGURE)
        return
    interval, rank, counts = figure.interval, figure.rank, figure.counts
    yield round(figure.value, DIGITS)
    yield from (round(interval.low, DIGITS), round(interval.high, DIGITS)) if interval else (None, None)
    yield from (rank.best, rank.worst) if rank else (None, None)
    yield from (counts.n, counts.cant_tell, counts.unread, counts.missing)


def _short(line: BoardLine, cells: list[FigureText | None], *, has_truth: bool) -> Iterator[str]:
    yield line.row.title + ("" if line.row.role == "generator" else f" ({line.row.role})")
    for cell in cells:
        yield "–" if cell is None else cell.value + (f" ({cell.ends})" if cell.ends else "")
    if has_truth:
        yield f"{line.truth.unbroken} of {line.truth.n}" if line.truth else "unknown"


def reported_table(pack: PromptPack) -> Table | None:
    """The rows that a paper or its site prints, as it prints them; None without any."""
    rows = list(pack.reported_rows.select_related("generator"))
    if not rows:
        return None
    # A database may keep the columns in another order than the file.
    columns = list(dict.fromkeys([*reported_in(pack.slug).get("columns", ()), *sorted(rows[0].scores)]))
    figures = tuple((row.generator.title, *(row.scores.get(name) for name in columns)) for row in rows)
    printed = tuple(tuple("–" if value is None else str(value) for value in row) for row in figures)
    return Table(
        f"{pack.title}, as reported",
        ("Generator", *columns),
        figures,
        notes=(f"As reported: {rows[0].source}.", "Neither ranked here nor mixed with measured figures."),
        short_rows=printed,
        short_heads=("Generator", *columns),
    )


def pairs_table(pack: PromptPack, facts: Mapping[str, Any]) -> Table:
    """Strengths with their intervals and ranks."""
    rows = tuple(
        (
            row.name,
            round(row.value, 1),
            *((round(row.interval.low, 1), round(row.interval.high, 1)) if row.interval else (None, None)),
            row.rank.best,
            row.rank.worst,
            row.votes,
        )
        for row in facts["rows"]
    )
    heads = ("Generator", "Strength", "low", "high", "best rank", "worst rank", "votes")
    return Table(f"{pack.title}: strengths from pairs (Bradley–Terry)", heads, rows, notes=tuple(facts["defects"]))
