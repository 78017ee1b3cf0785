"""What an analysis is: an extra measure with a page of its own. The core knows the list of them by its path alone."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.module_loading import import_string

if TYPE_CHECKING:
    from rest_framework.serializers import Serializer

    from benchmarks.definitions.definition import Benchmark
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


def analyses() -> dict[str, BoardAnalysis]:
    """All analyses by name."""
    return import_string(REGISTRY)
