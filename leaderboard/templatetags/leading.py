"""Boards' leading figures for the last page of a study, which knows nothing of boards."""

from dataclasses import dataclass, replace

from django import template
from django.utils.safestring import SafeString

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.gallery.page_cache import cached_value
from benchmarks.strips import strip
from humantrials.models import Trial
from humantrials.protocols import find_protocol
from leaderboard.board.board_row import BoardCell
from leaderboard.board.cache import version_of
from leaderboard.board.overviews.level_results import (
    LevelResults,
    Result,
    hidden_studies,
    level_results,
    stored_results,
)
from leaderboard.board.query import available_packs, view_of
from leaderboard.board.strip_points import mark_of

register = template.Library()


@dataclass(frozen=True)
class LeadingFigures:
    """The overall figures of one level: a person and the best models, here and in papers; None where there is none."""

    title: str
    person: float | None  # share of one person alone: a majority of people would flatter them beside one
    people_reported: Result | None
    here: Result | None
    reported: Result | None


@register.simple_tag
def leading_figures(trial: Trial) -> LeadingFigures | None:
    """The figures of the level with the kind of question that the study asks, as its board shows them."""
    pool = find_protocol(trial.protocol).pool
    benchmark = trial.pack.benchmark
    version = f"{version_of(benchmark)}|{sorted(hidden_studies())}"
    return cached_value(f"leading {benchmark} {pool.kind}", version=version, make=lambda: _of(benchmark, pool.kind))


def _of(slug: str, kind: str) -> LeadingFigures | None:
    benchmark = BENCHMARKS.get(slug)
    if benchmark is None:
        return None
    available = available_packs(slug)
    views = (view_of(benchmark, {"level": level.number}, available) for level in benchmark.levels if level.strategies)
    view = next((view for view in views if kind in view.strategy.kinds), None)
    return _figures(level_results(view, stored_results())) if view else None


def _figures(level: LevelResults) -> LeadingFigures:
    here, reported = (
        level.result_of(leader) if leader else None for leader in (level.leaders.here, level.leaders.reported)
    )
    title = f"{level.benchmark.title}, {level.view.level.title}"
    return LeadingFigures(title, _person(level), level.people_reported, here, reported)


def _person(level: LevelResults) -> float | None:
    if level.people is None:
        return None
    cell = level.people.cell
    return None if cell.range else cell.facts.get("single", {}).get("score", level.people.share)


@register.simple_tag
def score_strip(share: float, cell: BoardCell | str, is_people: bool | str, look: str) -> SafeString:  # of a template
    """One figure on the axis from 0 to 100, with the interval of its board's cell; a rounded one is a bar."""
    found = cell if isinstance(cell, BoardCell) else BoardCell()
    return strip([replace(mark_of(found, look, is_people=bool(is_people)), at=100 * share)])
