"""Models that papers report: each has a page under its name and size, even if it was not evaluated here."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import reverse
from django.utils.text import slugify

from benchmarks.definitions.definition import Benchmark, title_among
from benchmarks.definitions.published_data import PublishedCell
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.words import DIMENSIONS, condition_words
from leaderboard.models import PublishedResult

YEAR = re.compile(r"\byear\s*=\s*[{\"](\d{4})")
PEOPLE = ("people", "humans", "human")  # names in later papers' rows that are no models


@dataclass(frozen=True)
class ReportedFigures:
    """One row of a paper: its place on a board, and its figures as printed."""

    benchmark: Benchmark
    level: str
    strategy: str  # its title, "" = of no strategy
    view_label: str  # condition and split in the paper, "" = the strategy's own
    source: str
    cells: tuple[PublishedCell, ...]
    note: str = ""
    link: str = ""
    date: str = ""  # of the paper: a year, a month or a day

    @property
    def overall(self) -> str:
        return "/".join(cell.text for cell in self.cells if cell.column == "overall")

    @property
    def by_test(self) -> list[tuple[str, str, str]]:
        """Title of the test, figure and its caveat, in the order of the paper."""
        titles = {value.value: value.title for facet in self.benchmark.facets for value in facet.values}
        found: dict[str, list[PublishedCell]] = {}
        for cell in self.cells:
            if cell.column != "overall":
                found.setdefault(cell.column, []).append(cell)
        return [
            (
                titles.get(name, name),
                "/".join(cell.text for cell in cells),
                "; ".join(cell.note for cell in cells if cell.note),
            )
            for name, cells in found.items()
        ]


@dataclass(frozen=True)
class ReportedModel:
    """One reported model; models with the same name and size count as one."""

    slug: str
    name: str
    is_baseline: bool
    figures: tuple[ReportedFigures, ...]

    @property
    def benchmarks(self) -> list[Benchmark]:
        return [
            benchmark
            for benchmark in BENCHMARKS.values()
            if any(figures.benchmark is benchmark for figures in self.figures)
        ]

    @property
    def date(self) -> str:
        """The date of its latest paper; "" if no paper has one."""
        return max(figures.date for figures in self.figures)


def slug_of_reported(name: str, parameters: str = "") -> str:
    return slugify(f"{name} {parameters}".replace(".", "-").replace("+", " plus ").replace("/", "-"))


def link_of_reported(name: str, parameters: str = "") -> str:
    """Path of the model's page; "" for a name without a letter or digit."""
    slug = slug_of_reported(name, parameters)
    return reverse("model", args=[slug]) if slug else ""


def reported_models() -> dict[str, ReportedModel]:
    """Slug -> model, in the order of names; one query, for the figures of later papers."""
    found: dict[str, list[tuple[str, bool, ReportedFigures]]] = {}
    for name, parameters, is_baseline, figures in (*_of_papers(), *_of_later_papers()):
        whole = f"{name} {parameters}".strip()
        if slug := slug_of_reported(name, parameters):
            found.setdefault(slug, []).append((whole, is_baseline, figures))
    models = [
        ReportedModel(slug, rows[0][0], all(is_baseline for _, is_baseline, _ in rows), tuple(row[2] for row in rows))
        for slug, rows in found.items()
    ]
    return {model.slug: model for model in sorted(models, key=lambda model: model.name.casefold())}


def _of_papers() -> Iterator[tuple[str, str, bool, ReportedFigures]]:
    for benchmark in BENCHMARKS.values():
        year = YEAR.search(benchmark.citation)
        for row in benchmark.published:
            if not row.of_people:
                strategy = benchmark.strategy(row.strategy).title if row.strategy else ""
                label = _label(benchmark, row.condition, row.split, row.dimension)
                place = (benchmark, row.level, strategy, label, row.source)
                figures = ReportedFigures(*place, row.cells, row.note, date=year[1] if year else "")
                yield row.name, row.parameters, row.is_baseline, figures


def _label(benchmark: Benchmark, condition: str, split: str, dimension: str = "") -> str:
    """Condition, split and dimension by their titles, without those that a paper does not name."""
    split = split and title_among(benchmark.facet("split").values, split)
    words = (condition_words(condition), split, DIMENSIONS[dimension] if dimension else "")
    return ", ".join(str(word) for word in words if word)


def _of_later_papers() -> Iterator[tuple[str, str, bool, ReportedFigures]]:
    rows: dict[tuple[str, ...], list[PublishedResult]] = {}
    for one in PublishedResult.objects.checked().order_by("date", "pk"):
        if one.benchmark in BENCHMARKS and one.row.casefold() not in PEOPLE:
            key = (one.benchmark, one.level, one.strategy, one.condition, one.split, one.row, one.source)
            rows.setdefault(key, []).append(one)
    for (slug, level, strategy, condition, split, name, source), found in rows.items():
        benchmark = BENCHMARKS[slug]
        known = {one.name: one.title for one in benchmark.strategies}
        cells = tuple(PublishedCell(one.cell, one.figure) for one in found)
        label = _label(benchmark, condition, split)
        cited = f"{source}, {found[0].date}".rstrip(", ")
        place = (benchmark, level, known.get(strategy, strategy), label, cited)
        figures = ReportedFigures(*place, cells, link=found[0].link, date=found[0].date)
        yield name, "", False, figures
