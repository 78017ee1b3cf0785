"""One model against people: by concept, by prompting strategy, on its weakest tests."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.urls import reverse

from benchmarks.definitions.concepts import CONCEPTS, Concept
from benchmarks.definitions.definition import Benchmark, FacetValue, title_among
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.words import condition_words
from evaluation.models import Model
from leaderboard.board.assemble import Board
from leaderboard.board.board_row import BoardCell, BoardColumn, BoardRow, people_of, share_of
from leaderboard.board.cell_display import score_text, spread
from leaderboard.board.overviews.concept_board import Place, boards_of, concept_board, key_in
from leaderboard.board.query import AvailablePacks, View, view_of
from leaderboard.board.rows import key_of, link_to_items, published_rows, row_of, standings_of
from leaderboard.models import Standing

WEAKEST = 4


@dataclass(frozen=True)
class ConceptGap:
    """People and the model on one column of a concept; `points` is people minus model, None if one is missing or
    rounded."""

    concept: Concept
    title: str  # of the column
    chance: float | None
    people: BoardCell | None
    model: BoardCell
    are_people_reported: bool
    is_model_reported: bool
    people_key: str  # the names of the two figures, for pages
    model_key: str

    @property
    def points(self) -> float | None:
        people, model = share_of(self.people), self.model.share
        are_known = not (self.model.range or (self.people and self.people.range))
        return people - model if people is not None and model is not None and are_known else None


@dataclass(frozen=True)
class StrategyTable:
    """A model's figures on one level under several strategies: a row for each test, a column for each strategy."""

    view: View
    view_label: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]  # title -> texts and names of the figures
    is_reported: bool


@dataclass(frozen=True)
class WeakTest:
    """A test on which the model is far behind people, or, without people, far below or barely above chance."""

    view: View
    value: FacetValue
    model: BoardCell
    people: BoardCell | None
    items: str
    model_key: str  # the names of the two figures, for pages
    people_key: str


def concept_gaps(slug: str) -> list[ConceptGap]:
    """The model's figures by concept, the largest gap first; those without people last."""
    boards, link = boards_of(CONCEPTS.values(), with_parts=False, model=slug), reverse("model", args=[slug])
    found = [gap for concept in CONCEPTS.values() for gap in _gaps_of(concept, boards, link)]
    return sorted(found, key=lambda gap: -2.0 if gap.points is None else gap.points, reverse=True)


def _gaps_of(concept: Concept, boards: Mapping[Place, Board], link: str) -> Iterator[ConceptGap]:
    board = concept_board(concept, boards)
    own = [row for row in (*board.ranked, *board.published) if row.model_link == link]
    for place, column in enumerate(board.columns):
        model = next((row for row in own if share_of(row.cell(column.key)) is not None), None)
        measure = people_of(board.rows, column.key).row
        if model:
            block = next(one for one in board.blocks if one.key == column.block)
            yield ConceptGap(
                concept=concept,
                title=block.title if column.title == concept.title else f"{block.title}, {column.title}",
                chance=column.chance,
                people=measure.cells[column.key] if measure else None,
                model=model.cells[column.key],
                are_people_reported=measure is not None and measure.of_people,
                is_model_reported=not model.kind.is_ours,
                people_key=key_in(board, measure, place) if measure else "",
                model_key=key_in(board, model, place),
            )


def ranked_strategies(benchmark: Benchmark) -> set[str]:
    """The strategies that have boards of accuracy."""
    return {strategy.name for strategy in benchmark.strategies if not strategy.is_scored_apart}


def views_of(standings: Iterable[Standing]) -> Iterator[tuple[Standing, View, BoardRow]]:
    """Each standing with its view and its row on the board; of several with one identity, the latest."""
    latest = {(one.pack_id, one.split, one.strategy, one.condition, one.identity): one for one in standings}
    for standing in latest.values():
        benchmark = BENCHMARKS.get(standing.pack.benchmark)
        if benchmark is None or standing.strategy not in ranked_strategies(benchmark):
            continue
        parameters = {"strategy": standing.strategy, "condition": standing.condition, "split": standing.split}
        parameters["pack"] = standing.pack.name
        view = view_of(benchmark, parameters, AvailablePacks((standing.pack,)))
        if row := row_of(standing, view):
            yield standing, view, row


def standings_of_model(model: Model) -> list[Standing]:
    """Its rows on boards, oldest first."""
    found = Standing.objects.filter(run__model=model).select_related("run__model", "pack")
    return list(found.defer("pack__problems").order_by("pk"))


def strategy_tables(link: str, own: Sequence[tuple[Standing, View, BoardRow]]) -> list[StrategyTable]:
    """Tables of the levels on which it has figures under two or more strategies, measured here or reported."""
    rows: dict[tuple[str, str, str, bool], list[tuple[View, BoardRow]]] = {}
    for standing, view, row in own:
        if standing.run is None or standing.split != standing.run.split:
            continue  # a part of the same run
        label = ", ".join(
            filter(None, (view.pack.title if view.pack else "", _condition_label(view), _view_label(view)))
        )
        rows.setdefault((view.benchmark.slug, view.level.number, label, False), []).append((view, row))
    for view, row in _reported_rows(link):
        rows.setdefault((view.benchmark.slug, view.level.number, _view_label(view), True), []).append((view, row))
    return [
        _table(label, found, is_reported=is_reported)
        for (_slug, _level, label, is_reported), found in rows.items()
        if len({view.strategy.name for view, _ in found}) > 1
    ]


def _condition_label(view: View) -> str:
    return condition_words(view.condition)


def _view_label(view: View) -> str:
    return "" if view.split in ("", "all") else title_among(view.benchmark.facet("split").values, view.split)


def _reported_rows(link: str) -> Iterator[tuple[View, BoardRow]]:
    """Its reported rows by strategy, without rows that are shown beside every strategy."""
    found = list(_rows_by_strategy(link))
    times = Counter((view.benchmark.slug, row.key) for view, row in found)
    return ((view, row) for view, row in found if times[view.benchmark.slug, row.key] == 1)


def _rows_by_strategy(link: str) -> Iterator[tuple[View, BoardRow]]:
    for benchmark in BENCHMARKS.values():
        for level in benchmark.levels:
            for name in level.strategies if len(level.strategies) > 1 else ():
                view = view_of(benchmark, {"level": level.number, "strategy": name}, AvailablePacks())
                rows = (row for row in published_rows(view) if row.model_link == link and row.has_figure)
                yield from ((view, row) for row in rows)


def _table(label: str, found: Sequence[tuple[View, BoardRow]], *, is_reported: bool) -> StrategyTable:
    by_strategy = {view.strategy.name: (view, row) for view, row in found}
    view = found[0][0]
    order = [name for name in view.level.strategies if name in by_strategy]
    values = [value for value in view.benchmark.facet(view.group).values if value.level in ("", view.level.number)]
    used = [value for value in values if any(value.value in by_strategy[name][1].cells for name in order)]
    columns = [None, *(BoardColumn(value.value, value.title) for value in used)]
    body = [
        (column.title if column else "", tuple(_text(*by_strategy[name], column) for name in order))
        for column in columns
    ]
    heads = tuple(view.benchmark.strategy(name).title for name in order)
    filled = tuple(line for line in body if any(text != "–" for text, _ in line[1]))
    return StrategyTable(view, label, heads, filled, is_reported)


def _text(view: View, row: BoardRow, column: BoardColumn | None) -> tuple[str, str]:
    """The text of the row's figure in a column, None = overall, and its name."""
    cell = row.cell(column.key) if column else row.overall
    if cell is None or (cell.score is None and not cell.published_text):
        return "–", ""
    if cell.published_text:
        return f"{cell.published_text}{'*' if cell.note else ''}", ""
    return f"{score_text(cell)} ({spread(cell.low, cell.high)})", key_of(row, view, column)


def weakest_tests(own: Sequence[tuple[Standing, View, BoardRow]]) -> list[WeakTest]:
    """The tests of its largest run on which it is furthest behind people, or lowest against chance without people."""
    known = [(standing, view, row) for standing, view, row in own if len(row.cells) > 1 and not view.level.dimensions]
    if not known:
        return []
    _standing, view, row = max(known, key=lambda one: (one[2].overall.n if one[2].overall else None) or 0)
    people = _people(view)
    columns = [BoardColumn(value.value, value.title) for value in view.benchmark.facet(view.group).values]
    values = zip(view.benchmark.facet(view.group).values, columns, strict=True)
    found = [
        WeakTest(
            view=view,
            value=value,
            model=row.cells[value.value],
            people=people.cell(value.value) if people else None,
            items=reverse("board", args=[view.benchmark.slug]) + link_to_items(row, view, column),
            model_key=key_of(row, view, column),
            people_key=key_of(people, view, column) if people else "",
        )
        for value, column in values
        if value.value in row.cells and row.cells[value.value].score is not None
    ]
    return sorted(found, key=lambda one: (one.people is None, _lead(one)))[:WEAKEST]


def _people(view: View) -> BoardRow | None:
    """People's row, of the study on this pack and split with the most questions."""
    studies = standings_of(view).filter(run=None)
    return people_of(row for study in studies if (row := row_of(study, view))).here


def _lead(one: WeakTest) -> float:
    """The model's share above people's, else above chance."""
    measure = one.people.score if one.people else one.model.chance
    return (one.model.score or 0.0) - (measure or 0.0)
