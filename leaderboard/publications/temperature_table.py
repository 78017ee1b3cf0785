"""The temperature study: the paper's figures recalculated, and the results of this site's runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.published_rows import PublishedTable
from benchmarks.models import Pack
from evaluation.studies.temperature import DEFAULT, TEMPERATURES, Averages, Studied, referees_of, studied, study_of

SETS = (("human-made", "Human", "H Avg."), ("automated", "Automated", "A Avg."))  # facet value, heads in Tables 7 and 1
HEADS = (DEFAULT, *map(str, TEMPERATURES))


@dataclass(frozen=True)
class TemperatureRow:
    """One model's average for each of HEADS, '' if there is none."""

    name: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class DatasetBlock:
    """One data set: its rows, tau as recalculated, and tau as printed."""

    title: str
    lines: tuple[TemperatureRow, ...]
    taus: tuple[str, ...]
    published: tuple[str, ...] = ()
    models: int = 0


def has_study(benchmark: Benchmark) -> bool:
    return {"table-1", "table-7"} <= {table.name for table in benchmark.tables}


def published(benchmark: Benchmark) -> Iterator[tuple[Studied, dict[str, str]]]:
    """For each data set: Table 7 beside Table 1, and the printed tau by temperature."""
    first, seventh = (_table(benchmark, name) for name in ("table-1", "table-7"))
    statistic = next(row for row in seventh.rows if row.kind == "statistic")
    for value, head, average in SETS:
        columns = {str(temperature): f"{head} {temperature}" for temperature in TEMPERATURES}
        averages: Averages = {
            row.name: {DEFAULT: float(first.cell(row, average))}
            | {name: float(seventh.cell(_row(seventh, row.name), column)) for name, column in columns.items()}
            for row in first.rows
        }
        yield studied(value, averages), {name: seventh.cell(statistic, column) for name, column in columns.items()}


def published_blocks(benchmark: Benchmark) -> list[DatasetBlock]:
    titles = {value.value: value.title for value in benchmark.facet("test").values}
    return [_block(titles[found.dataset], found, 1.0, printed) for found, printed in published(benchmark)]


def blocks_here(benchmark: Benchmark, packs: Sequence[Pack]) -> list[tuple[Pack, str, list[DatasetBlock]]]:
    """Pack (newest first), referee and data sets of each study here; one with a single temperature is left out."""
    titles = {value.value: value.title for value in benchmark.facet("test").values}
    found = []
    for pack in reversed(packs):
        for referee in referees_of(pack):
            rows = [one for one in study_of(pack, referee) if any(len(names) > 1 for names in one.averages.values())]
            blocks = [_block(titles.get(one.dataset, one.dataset), one, 100.0) for one in rows]
            found += [(pack, referee, blocks)] if blocks else []
    return found


def _block(title: str, found: Studied, scale: float, printed: dict[str, str] | None = None) -> DatasetBlock:
    lines = tuple(
        TemperatureRow(name, tuple(f"{scale * averages[head]:.2f}" if head in averages else "" for head in HEADS))
        for name, averages in found.averages.items()
    )
    taus = tuple("" if tau is None else f"{tau:.2f}".replace("-", "−") for tau in found.taus.values())
    return DatasetBlock(title, lines, taus, tuple((printed or {}).values()), max(found.models.values(), default=0))


def _table(benchmark: Benchmark, name: str) -> PublishedTable:
    return next(table for table in benchmark.tables if table.name == name)


def _row(table: PublishedTable, name: str):
    return next(row for row in table.rows if row.name == name)
