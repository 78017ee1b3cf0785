from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.registry import find_benchmark
from benchmarks.errors import BenchmarkError
from leaderboard.board.assemble import Board
from leaderboard.board.query import BadAddress, available_packs, view_of
from leaderboard.board.rows import board_of
from leaderboard.charts.rendering.writers import FORMATS, NoCairo
from leaderboard.exports import writers
from leaderboard.exports.table import board_json, board_table, sentence_of
from leaderboard.publications import paper_figures, paper_tables
from leaderboard.publications.paper_tables import ROWS
from leaderboard.row_kinds import OURS
from leaderboard.standings.refresh import refresh


def boards_with_rows(benchmark: Benchmark, pack: str) -> list[Board]:
    """The boards that have rows, without published ones, grouped by the level's coarsest facet to fit a terminal."""
    found, available = [], available_packs(benchmark.slug)
    for strategy in (one for one in benchmark.strategies if not one.is_scored_apart):
        parameters = {"strategy": strategy.name, "pack": pack, "rows": ",".join(OURS)}
        view = view_of(benchmark, parameters | {"group": benchmark.level(strategy.level).groups[-1]}, available)
        found.append(board_of(view))
    return [board for board in found if board.rows]


def boards_as_text(boards: Iterable[Board]) -> str:
    return "\n\n".join(f"{sentence_of(board.view)}\n{_as_text(board)}" for board in boards)


def _as_text(board: Board) -> str:
    table = board_table(board)
    lines = [table.display_heads, *table.display_rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(_aligned(line, widths) for line in lines)


def _aligned(line: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = zip(line, widths, strict=True)
    return "  ".join((first[0].ljust(first[1]), *(text.rjust(width) for text, width in others)))


BOARD = "board:"
TEXT = "text"


class Command(SiteCommand):
    help = (
        f"Write a table: {', '.join(paper_tables.LAYOUTS)}; a figure: {', '.join(paper_figures.LAYOUTS)}; or with"
        " --format text every board of a benchmark that has rows: board:SLUG. Safe to run again: it only reads."
    )
    mistakes = (BenchmarkError, BadAddress)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("layout")
        about = f"of a table {', '.join(writers.WRITERS)}; of a figure {', '.join(FORMATS)}; text prints boards"
        parser.add_argument("--format", default="csv", help=about)
        parser.add_argument("--rows", help=f"{','.join(ROWS)}; default for a paper's table: published")
        parser.add_argument("--pack", default="")
        parser.add_argument("--out", type=Path)

    def handle(self, *, layout: str, pack: str, out: Path | None, **options: Any) -> None:
        wanted = options["format"]
        if wanted not in (known := (*writers.WRITERS, *FORMATS, TEXT)):
            raise CallerMistake(f"--format {wanted!r} does not exist; there is: {', '.join(known)}")
        if out is None and wanted in ("xlsx", *FORMATS):
            raise CallerMistake(f"{wanted} needs a file: give --out PATH")
        if out is not None and not out.parent.is_dir():
            raise CallerMistake(f"--out {out}: there is no folder {out.parent}")
        refresh()
        if wanted == TEXT:
            self._boards(layout, pack, out, options)
        elif out is not None and wanted in FORMATS:
            self._figure(layout, pack, out, options)
        else:
            self._table(layout, pack, out, options)

    def _boards(self, layout: str, pack: str, out: Path | None, options: dict[str, Any]) -> None:
        if not layout.startswith(BOARD):
            raise CallerMistake(f"--format {TEXT} prints boards: write {BOARD}SLUG")
        benchmark = find_benchmark(layout.removeprefix(BOARD))
        boards = boards_with_rows(benchmark, pack)
        text = boards_as_text(boards) or f"{benchmark.title}: nobody has answered yet"
        if out is not None:
            write(out, f"{text}\n".encode())
            text = f"{benchmark.title}: {len(boards)} boards in {out}"
        self.say(options, {"benchmark": benchmark.slug, "boards": [board_json(board) for board in boards]}, text)

    def _figure(self, layout: str, pack: str, out: Path, options: dict[str, Any]) -> None:
        try:
            made = paper_figures.figure_named(layout, pack, options["format"])
        except NoCairo as error:
            raise CommandError(str(error)) from error
        write(out, made.content)
        facts = {"layout": layout, "format": options["format"], "bars": made.count, "out": str(out)}
        self.say(options, facts, f"{made.title}: {made.count} rows in {out}")

    def _table(self, layout: str, pack: str, out: Path | None, options: dict[str, Any]) -> None:
        wanted, rows = options["format"], options["rows"]
        table = paper_tables.table_named(layout, pack_name=pack, rows=tuple(rows.split(",")) if rows else None)
        content = writers.WRITERS[wanted](table)
        if out is None and not options["as_json"]:
            self.stdout.write(content.decode(), ending="")
            return
        if out is not None:
            write(out, content)
            if wanted == "csv":
                write(out.with_name(f"{out.name}-metadata.json"), writers.beside_csv(table, out.name))
        facts = {"layout": layout, "format": wanted, "rows": len(table.rows), "out": str(out) if out else None}
        self.say(options, facts, f"{table.title}: {len(table.rows)} rows in {out}")


def write(out: Path, content: bytes) -> None:
    try:
        out.write_bytes(content)
    except OSError as error:
        raise CallerMistake(f"--out {out}: {error.strerror}") from error
