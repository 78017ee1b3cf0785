"""What an analysis is: an extra measure with a page of its own. The core knows the list of them by its path alone."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.module_loading import import_string

if TYPE_CHECKING:
    from rest_framework.serializers import Serializer

    from benchmarks.definitions.definition import Benchmark, StrategyName
    from benchmarks.models import Item
    from benchmarks.packs.item_arrays import PackFacts
    from evaluation.models import Run
    from humantrials.models import Trial
    from leaderboard.board.query import View
    from leaderboard.charts.chart import Chart
    from leaderboard.comparison.report_section import ReportSection
    from leaderboard.standings.stored_cells import UnstoredStanding

REGISTRY = "leaderboard.analyses.registry.ANALYSES"


@dataclass(frozen=True)
class ItemLines:
    """What the API lists at one item, and the form of a line."""

    find: "Callable[[Item], Sequence[Any]]"
    serializer: "type[Serializer]"


@dataclass(frozen=True)
class BoardLink:
    """The link below a board to the page of an analysis, which keeps these parameters of the board."""

    group: str
    title: str
    applies: "Callable[[View], bool]" = lambda view: True
    keeps: tuple[str, ...] = ("level", "pack", "split", "condition")


@dataclass(frozen=True)
class BoardAnalysis:
    """A table with charts, as a page, as files and in the API; figures for it are stored with the rows of boards."""

    name: str  # in addresses
    title: str  # of the page
    lede: str
    view: "Callable[[Benchmark, Mapping[str, str]], View]"
    section: "Callable[[View], ReportSection]"
    key: str = ""  # of its figures in stored cells
    of_run: "Callable[[Run, PackFacts, Sequence[UnstoredStanding]], None] | None" = None  # adds figures to these rows
    of_people: "Callable[[Trial, PackFacts, Sequence[UnstoredStanding]], None] | None" = None
    note: "Callable[[Any], str] | None" = None  # a row's figures in a few words, for the boards
    chart_at_item: "Callable[[Item, Sequence[Trial], bool], Chart | None] | None" = None  # whether the answer is open
    lines_at_item: ItemLines | None = None
    link: BoardLink | None = None


def analyses() -> dict[str, BoardAnalysis]:
    """All analyses by name."""
    return import_string(REGISTRY)


def links_below(view: "View") -> dict[str, list[tuple[str, str]]]:
    """Group -> address and title of each analysis that applies to this board."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, one in analyses().items():
        if one.link and one.link.applies(view):
            query = urlencode({key: value for key, value in view.state().items() if key in one.link.keeps})
            address = reverse(name, args=[view.benchmark.slug])
            found[one.link.group].append((f"{address}?{query}" if query else address, one.link.title))
    return dict(found)


def has_strategy(view: "View", wanted: "Callable[[StrategyName], object]") -> bool:
    """Whether the board's level has such a strategy, on boards of accuracy or apart from them."""
    return any(wanted(strategy) for strategy in view.benchmark.strategies if strategy.level == view.level.number)
