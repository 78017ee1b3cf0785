"""The results on each level of the benchmarks: chance, people and models, evaluated here and reported in papers."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from benchmarks.definitions.definition import Benchmark, title_among
from benchmarks.definitions.registry import BENCHMARKS
from humantrials.models import Trial, TrialState
from humantrials.protocols import find_protocol
from humantrials.results.release import Wait, hidden_by, wait_of
from leaderboard.board.assemble import chance_of, of_one_referee
from leaderboard.board.board_row import (
    NOBODY,
    OVERALL,
    BoardCell,
    BoardRow,
    Leader,
    Leaders,
    leaders,
    may_lead,
    order_of,
    people_of,
    share_of,
)
from leaderboard.board.cell_display import score_text
from leaderboard.board.claims import Lead, printed_lead, tested_lead
from leaderboard.board.query import AvailablePacks, View, packs_of, published_places, view_of
from leaderboard.board.rows import key_of, later_rows, of_same_question, published_rows, row_of
from leaderboard.board.rows_alike import with_differences
from leaderboard.models import Comparison, PublishedResult, RowKind, Standing
from leaderboard.standings.paired_differences import gaps_to_humans


@dataclass(frozen=True)
class Result:
    """One answerer's figure on a level; `figure` is its text in per cent."""

    name: str
    cell: BoardCell
    row: BoardRow
    test: str = ""  # the one test that the figure is about, "" = the whole level
    test_title: str = ""
    strategy: str = ""  # its title, "" = the level's first one
    key: str = ""  # the name of the figure, for pages

    @property
    def share(self) -> float:
        """The figure as a share from 0 to 1, the middle of a rounded one."""
        return self.cell.share or 0.0

    @property
    def figure(self) -> str:
        return self.cell.published_text if self.cell.score is None else score_text(self.cell)

    @property
    def source(self) -> str:
        """The source of a published figure: a later paper, or the benchmark's own table."""
        return self.row.citation or self.row.note.partition(". ")[0].rstrip(".")


@dataclass(frozen=True)
class PeopleGap:
    """People's lead over `model`."""

    lead: Lead
    people: Result
    model: Result
    words: str  # of the leader that the model is


@dataclass(frozen=True)
class LevelResults:
    """The results on one level and split: models best first, baselines apart."""

    view: View
    split_title: str = ""
    chance: float | None = None
    people: Result | None = None
    people_reported: Result | None = None
    models: tuple[Result, ...] = ()
    reported: tuple[Result, ...] = ()
    baselines: tuple[Result, ...] = ()
    by_test: tuple[Result, ...] = ()  # the best reported figure of each test where papers report no overall
    each_test: tuple[Result, ...] = ()  # every reported figure of a test
    unprinted: tuple[BoardRow, ...] = ()
    leaders: Leaders = NOBODY
    gap: PeopleGap | None = None
    hidden: str = ""  # that an open study hides its figures, and until when
    updated: datetime | None = None  # when a row of this site was last computed

    @property
    def benchmark(self) -> Benchmark:
        return self.view.benchmark

    @property
    def is_empty(self) -> bool:
        """Whether there is no result."""
        parts = (self.people, self.people_reported, self.models, self.reported, self.by_test, self.baselines)
        return not any(parts)

    @property
    def has_no_model(self) -> bool:
        return not (self.models or self.reported or self.by_test)

    def result_of(self, leader: Leader) -> Result:
        """The figure of a leader."""
        return next(one for one in (*self.models, *self.reported) if one.row.key == leader.row.key)

    @property
    def results(self) -> tuple[Result, ...]:
        """Every figure, in the order in which it is drawn."""
        people = tuple(one for one in (self.people, self.people_reported) if one)
        return (*people, *self.models, *self.reported, *self.by_test, *self.baselines)


@dataclass(frozen=True)
class Stored:
    """The data of all levels, read at once for all benchmarks."""

    standings: Mapping[tuple[int, str, str, str], Sequence[Standing]]  # pack, split, strategy, condition
    later: Mapping[tuple[str, str], Sequence[PublishedResult]]  # benchmark, level
    comparisons: Mapping[int, Sequence[Comparison]]  # standing of a model -> its pairs, the widest last
    hidden: Mapping[tuple[str, str], str]  # benchmark and kind of question of hidden figures -> until when


def stored_results() -> Stored:
    """Read standings, later papers' figures, paired differences and open studies in one query each."""
    standings, later = defaultdict(list), defaultdict(list)
    gaps: dict[int, list[Comparison]] = defaultdict(list)
    found = Standing.objects.exclude(kind=RowKind.SIMULATED).select_related("run__model", "trial").order_by("pk")
    for standing in found.with_cells("level"):
        standings[standing.pack_id, standing.split, standing.strategy, standing.condition].append(standing)
    for result in PublishedResult.objects.checked().order_by("date", "pk"):
        later[result.benchmark, result.level].append(result)
    for pair in Comparison.objects.filter(n__gt=0, first__kind=RowKind.HUMAN).order_by("n", "pk"):
        gaps[pair.second_id].append(pair)
    return Stored(standings, later, gaps, hidden_studies())


def hidden_studies() -> dict[tuple[str, str], str]:
    """Benchmark and kind of question of the running studies whose figures are hidden -> that, and until when."""
    running = Trial.objects.filter(state__in=(TrialState.OPEN, TrialState.PAUSED), is_simulated=False)
    found: dict[tuple[str, str], list[Trial]] = defaultdict(list)
    for trial in running.select_related("pack"):
        protocol = find_protocol(trial.protocol)
        if protocol.analysis.has_right_answers and wait_of(trial) == Wait.CLOSE:
            found[trial.pack.benchmark, protocol.pool.kind].append(trial)
    return {studied: hidden_by(trials) for studied, trials in found.items()}


def all_levels() -> list[LevelResults]:
    """The results of every level, one for each split if papers report splits separately."""
    stored, benchmarks = stored_results(), BENCHMARKS.with_boards()
    packs = packs_of(benchmarks.keys())
    return [one for slug, benchmark in benchmarks.items() for one in _levels_of(benchmark, packs[slug], stored)]


def levels_of_model(link: str, levels: Iterable[LevelResults]) -> list[LevelResults]:
    """The levels on which this model has a figure, with only its figures and people's."""
    return [own for level in levels if not (own := _of_model(level, link)).has_no_model]


def _of_model(level: LevelResults, link: str) -> LevelResults:
    def own(results: Iterable[Result]) -> tuple[Result, ...]:
        return tuple(result for result in results if result.row.model_link == link)

    baselines = own(level.baselines)
    reported = own((*level.reported, *(baseline for baseline in baselines if not baseline.row.kind.is_ours)))
    alone = replace(
        level,
        models=own((*level.models, *(one for one in baselines if one.row.kind.is_ours))),
        reported=reported,
        baselines=(),
        by_test=() if reported else _best_first(own(level.each_test)),
        unprinted=tuple(row for row in level.unprinted if row.model_link == link),
    )
    return replace(alone, gap=_gap(alone))


def _levels_of(benchmark: Benchmark, available: AvailablePacks, stored: Stored) -> Iterator[LevelResults]:
    for level in (level for level in benchmark.levels if level.strategies):
        view = view_of(benchmark, {"level": level.number}, available)
        every = [level_results(replace(view, split=split), stored) for split in _splits(view)]
        filled = [one for one in every if not one.is_empty] or every[:1]
        for one in filled:
            title = title_among(benchmark.facet("split").values, one.view.split) if len(filled) > 1 else ""
            yield replace(one, split_title=title)


def _splits(view: View) -> list[str]:
    """The split of the board, and the splits for which a paper reports figures under the board's condition."""
    ways = (view.benchmark.strategy(name) for name in view.level.strategies)
    places = (place for way in ways for place in published_places(view.benchmark, view.level, way))
    printed = {split for condition, split in places if split and condition == view.condition}
    known = (*view.strategy.splits, *view.benchmark.splits)
    return sorted(printed | {view.split}, key=lambda split: known.index(split) if split in known else len(known))


def level_results(view: View, stored: Stored) -> LevelResults:
    """The results of one level on the view's pack, split and condition, over all strategies of that condition."""
    own = list(_own(view, stored))
    printed = list(_published(view, stored.later[view.benchmark.slug, view.level.number]))
    whole = [*own, *(one for one in printed if not one.test)]
    rows = [one.row for one in whole]
    people = people_of(rows)
    able = [one for one in whole if may_lead(one.row)]
    by_test = [one for one in printed if one.test and not one.row.is_people]
    leading = leaders(rows)
    results = LevelResults(
        view=view,
        chance=None if view.level.dimensions else chance_of(view, [one.row for one in own]),
        people=next((one for one in whole if one.row is people.here), None),
        people_reported=next((one for one in whole if one.row is people.reported), None),
        models=_best_first(one for one in able if one.row.kind.is_ours),
        reported=_best_first(one for one in able if not one.row.kind.is_ours),
        baselines=_best_first(one for one in whole if one.row.is_baseline),
        by_test=() if leading.reported else _best_of_tests(one for one in by_test if may_lead(one.row)),
        leaders=leading,
        each_test=tuple(by_test),
        updated=max((one.computed_at for way in _strategies(view) for one in _standings(way, stored)), default=None),
        unprinted=_unprinted(view, printed),
        hidden=next(filter(None, (stored.hidden.get((view.benchmark.slug, kind)) for kind in view.strategy.kinds)), ""),
    )
    return replace(results, gap=_gap(results))


def _best_first(results: Iterable[Result]) -> tuple[Result, ...]:
    return tuple(sorted(results, key=lambda result: order_of(result.row, result.test or OVERALL)))


def _strategies(view: View) -> Iterator[View]:
    """The view under each strategy of its level with the same input and the same chance level."""
    for name in view.level.strategies:
        strategy = view.benchmark.strategy(name)
        if (strategy.condition, strategy.chances) == (view.strategy.condition, view.strategy.chances):
            yield replace(view, strategy=strategy)


def _own(view: View, stored: Stored) -> Iterator[Result]:
    """People and models of this site, scored by one referee; of two runs with one identity, the later one."""
    for strategy_view in _strategies(view):
        latest: dict[str, tuple[Standing, BoardRow]] = {}
        for standing in _standings(strategy_view, stored):
            if row := row_of(standing, strategy_view):
                latest[standing.identity] = standing, row
        far = gaps_to_humans([standing for standing, _ in latest.values()], stored.comparisons)
        own = [
            (replace(row, distance=far.get(standing.pk)), standing.run)
            for standing, row in latest.values()
            if standing.strategy == strategy_view.strategy.name and row.overall and row.overall.score is not None
        ]
        for row in of_one_referee(strategy_view, with_differences(own))[0]:
            yield _result(strategy_view, row, row.overall)


def _standings(view: View, stored: Stored) -> Iterator[Standing]:
    """The rows that the view's board compares with each other: the strategy's, and people asked the same question."""
    for name in sorted(of_same_question(view) | {view.strategy.name}):
        place = (view.pack.pk if view.pack else 0, view.split, name, view.condition)
        is_own = name == view.strategy.name
        yield from (one for one in stored.standings.get(place, ()) if is_own or one.run_id is None)


def _result(view: View, row: BoardRow, cell: BoardCell | None, *, test: str = "") -> Result:
    assert cell is not None
    is_first = view.strategy.name == view.level.strategies[0]
    return Result(
        name=row.full_name,
        cell=cell,
        row=row,
        test=test,
        test_title=title_among(view.benchmark.facet(view.group).values, test),
        strategy="" if is_first or row.is_people else view.strategy.title,
        key="" if test else key_of(row, view),
    )


def _published(view: View, later: Sequence[PublishedResult]) -> Iterator[Result]:
    """Published figures under each strategy; figures of a model trained on the benchmark appear once."""
    seen: set[str] = set()
    for strategy_view in _strategies(view):
        for row in (*published_rows(strategy_view), *later_rows(strategy_view, later)):
            if row.key in seen:
                continue
            seen.add(row.key)
            if row.overall and share_of(row.overall) is not None:
                yield _result(strategy_view, row, row.overall)
            cells = row.cells.items()
            yield from (_result(strategy_view, row, cell, test=test) for test, cell in cells if cell.score is not None)


def _best_of_tests(results: Iterable[Result]) -> tuple[Result, ...]:
    """The best figure of each test."""
    best: dict[str, Result] = {}
    for one in _best_first(results):
        best.setdefault(one.test, one)
    return tuple(best.values())


def _unprinted(view: View, printed: Iterable[Result]) -> tuple[BoardRow, ...]:
    """Published models without a figure on this level."""
    known = {one.row.key for one in printed}
    rows = (row for strategy_view in _strategies(view) for row in published_rows(strategy_view))
    return tuple(row for row in rows if row.key not in known and not row.of_people)


def _gap(results: LevelResults) -> PeopleGap | None:
    """People minus the best model: of those that share items with them, else between two figures of one paper."""
    if results.people is None:
        return _reported_gap(results)
    leader = leaders(one.row for one in results.models if one.row.distance).here
    if leader is None or leader.row.distance is None:
        return None
    return PeopleGap(tested_lead(leader.row.distance), results.people, results.result_of(leader), leader.words)


def _reported_gap(results: LevelResults) -> PeopleGap | None:
    people, leader = results.people_reported, leaders(one.row for one in results.reported).reported
    if not (people and leader):
        return None
    best = results.result_of(leader)
    gap = PeopleGap(printed_lead(people.cell, best.cell), people, best, leader.words)
    return gap if people.source == best.source else None
