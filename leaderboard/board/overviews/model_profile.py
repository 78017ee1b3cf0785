"""One model against people: by concept, by prompting strategy, on its weakest tests."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from django.urls import reverse
from django.utils.safestring import SafeString

from benchmarks.definitions.concepts import CONCEPTS, Concept
from benchmarks.definitions.definition import Benchmark, FacetValue, title_among
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.strips import strip
from benchmarks.words import condition_words
from evaluation.models import Model
from leaderboard.board.assemble import Board
from leaderboard.board.board_row import OVERALL, BoardColumn, BoardRow, people_of, share_of
from leaderboard.board.cell_display import figure, is_tentative, score_text, spread
from leaderboard.board.claims import ABOVE, NO_CLAIM, claim_of
from leaderboard.board.overviews.concept_board import Place, boards_of, concept_board, key_in
from leaderboard.board.overviews.level_results import LevelResults, Result
from leaderboard.board.overviews.people_and_models import Side
from leaderboard.board.query import AvailablePacks, View, view_of
from leaderboard.board.rows import key_of, link_to_items, published_rows, row_of, standings_of
from leaderboard.models import Standing
from measures.estimate import family


@dataclass(frozen=True)
class ProfileLine:
    """People and the model on one level or concept, as a row with its drawing."""

    title: str
    small: str
    href: str
    model: Side
    people: Side | None
    chance: float | None
    behind: float | None = None  # people minus model where that may be told
    p: float | None = None  # against chance, corrected over the lines of the table

    @property
    def drawing(self) -> SafeString:
        marks = [replace(side.mark(), label="") for side in (self.people, self.model) if side]
        return strip(marks, None if self.chance is None else 100 * self.chance)

    @property
    def gap(self) -> float | None:
        """People minus model; None if one is missing or rounded, or they are of other clips: a paper's and this
        site's."""
        if self.people is None or self.people.row.kind.is_ours != self.model.row.kind.is_ours:
            return None
        return None if self.model.cell.range or self.people.cell.range else self.people.share - self.model.share

    @property
    def claim(self) -> str:
        return claim_of(self.model.cell, self.chance, self.p)


def lines_of_levels(levels: Iterable[LevelResults]) -> list[ProfileLine]:
    """The model's figures on whole levels, with people's of the same level; several strategies have a line each."""
    return [_line_of_level(level, one) for level in levels for one in (*level.models, *level.reported)]


def _line_of_level(level: LevelResults, one: Result) -> ProfileLine:
    people = level.people or level.people_reported
    known = {level.benchmark.title: None, level.view.level.title: None}
    return ProfileLine(
        title=": ".join(known),
        small=", ".join(filter(None, (level.split_title, one.strategy, "reported" * (not one.row.kind.is_ours)))),
        href=f"{reverse('board', args=[level.benchmark.slug])}?{level.view.query}",
        model=Side(one.row, one.cell, one.key),
        people=Side(people.row, people.cell, people.key) if people else None,
        chance=level.chance,
        behind=gap.lead.value if (gap := level.gap) and gap.lead.stands and gap.model.row.key == one.row.key else None,
    )


def with_corrected_p(lines: Sequence[ProfileLine]) -> list[ProfileLine]:
    """The lines with the p of each model's figure, corrected over all of them together."""
    adjusted = iter(family([line.model.cell.p for line in lines if line.model.cell.p is not None]))
    return [replace(line, p=next(adjusted)) if line.model.cell.p is not None else line for line in lines]


def sentence_of(levels: Sequence[ProfileLine], concepts: Sequence[ProfileLine]) -> tuple[str, str]:
    """The model's main figure, and its best and worst concept where these stand; "" for what can't be said."""
    best = _best_and_worst(concepts)
    if not levels:
        return "", best
    main = max(levels, key=lambda line: line.model.cell.n or 0)
    n = main.model.cell.n
    right = f" of {n} questions right" if n else ""
    parts = [f"{figure(main.model.cell)}{right} on {', '.join(filter(None, (main.title, main.small)))}", main.claim]
    if main.behind is not None:
        parts.append(f"{100 * abs(main.behind):.0f} points {'behind' if main.behind > 0 else 'ahead of'} people")
    return ", ".join(filter(None, parts)) + (";" if best else "."), best


def _best_and_worst(concepts: Sequence[ProfileLine]) -> str:
    """ "Above chance on gravity, no different from chance on solidity." """
    able = [line for line in concepts if line.claim and not is_tentative(line.model.cell)]
    if not able:
        return ""
    best, worst = (choose(able, key=lambda line: line.model.share) for choose in (max, min))
    words = [f"{best.claim} on {best.title.lower()}"] if best.claim == ABOVE else []
    if worst.model.share != best.model.share and worst.claim in ("below chance", NO_CLAIM):
        words.append(f"{worst.claim} on {worst.title.lower()}")
    return ", ".join(words) + "." if words else ""


@dataclass(frozen=True)
class StrategyTable:
    """A model's figures on one level under several strategies: a row for each test, a column for each strategy."""

    view: View
    view_label: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]  # title -> texts and names of the figures
    is_reported: bool


@dataclass(frozen=True)
class RankedTest:
    """A test on which the model does best, or worst."""

    view: View
    value: FacetValue
    model: Side
    people: Side | None
    items: str


def lines_of_concepts(slug: str) -> list[ProfileLine]:
    """The model's figures by concept, the largest gap to people first; those without a gap last."""
    boards, link = boards_of(CONCEPTS.values(), with_parts=False, model=slug), reverse("model", args=[slug])
    found = [line for concept in CONCEPTS.values() for line in _lines_of_concept(concept, boards, link)]
    return sorted(found, key=lambda line: -2.0 if line.gap is None else line.gap, reverse=True)


def _lines_of_concept(concept: Concept, boards: Mapping[Place, Board], link: str) -> Iterator[ProfileLine]:
    board = concept_board(concept, boards)
    own = [row for row in (*board.ranked, *board.published) if row.model_link == link]
    for place, column in enumerate(board.columns):
        model = next((row for row in own if share_of(row.cell(column.key)) is not None), None)
        people = people_of(board.rows, column.key).row
        if model:
            block = next(one for one in board.blocks if one.key == column.block)
            yield ProfileLine(
                title=concept.title,
                small=block.title if column.title == concept.title else f"{block.title}, {column.title}",
                href=reverse("concept", args=[concept.slug]),
                model=Side(model, model.cells[column.key], key_in(board, model, place)),
                people=Side(people, people.cells[column.key], key_in(board, people, place)) if people else None,
                chance=column.chance,
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
            filter(None, (view.pack.title if view.pack else "", condition_words(view.condition), _view_label(view)))
        )
        rows.setdefault((view.benchmark.slug, view.level.number, label, False), []).append((view, row))
    for view, row in _reported_rows(link):
        rows.setdefault((view.benchmark.slug, view.level.number, _view_label(view), True), []).append((view, row))
    return [
        _table(label, found, is_reported=is_reported)
        for (_slug, _level, label, is_reported), found in rows.items()
        if len({view.strategy.name for view, _ in found}) > 1
    ]


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
    columns = [BoardColumn(OVERALL, ""), *(BoardColumn(value.value, value.title) for value in used)]
    body = [(column.title, tuple(_text(*by_strategy[name], column) for name in order)) for column in columns]
    heads = tuple(view.benchmark.strategy(name).title for name in order)
    filled = tuple(line for line in body if any(text != "–" for text, _ in line[1]))
    return StrategyTable(view, label, heads, filled, is_reported)


def _text(view: View, row: BoardRow, column: BoardColumn) -> tuple[str, str]:
    """The text of the row's figure in a column, and its name."""
    cell = row.cell(column.key)
    if cell is None or (cell.score is None and not cell.published_text):
        return "–", ""
    if cell.published_text:
        return f"{cell.published_text}{'*' if cell.note else ''}", ""
    return f"{score_text(cell)} ({spread(cell.low, cell.high)})", key_of(row, view, column)


def best_and_worst_tests(own: Sequence[tuple[Standing, View, BoardRow]]) -> list[RankedTest]:
    """The best test of its largest run, and the one furthest behind people or, without people, lowest against chance;
    the latter alone if all are alike."""
    known = [(standing, view, row) for standing, view, row in own if len(row.cells) > 1 and not view.level.dimensions]
    if not known:
        return []
    _standing, view, row = max(known, key=lambda one: (one[2].overall.n if one[2].overall else None) or 0)
    people = _people(view)
    columns = [BoardColumn(value.value, value.title) for value in view.benchmark.facet(view.group).values]
    values = zip(view.benchmark.facet(view.group).values, columns, strict=True)
    found = [
        RankedTest(
            view=view,
            value=value,
            model=Side(row, row.cells[value.value], key_of(row, view, column)),
            people=Side(people, cell, key_of(people, view, column))
            if people and (cell := people.cell(value.value))
            else None,
            items=reverse("board", args=[view.benchmark.slug]) + link_to_items(row, view, column),
        )
        for value, column in values
        if value.value in row.cells and row.cells[value.value].score is not None
    ]
    if not found:
        return []
    worst = min(found, key=lambda one: (one.people is None, _lead(one)))
    best = max(found, key=lambda one: one.model.share)
    return [best, worst] if best.model.share > worst.model.share else [worst]


def _people(view: View) -> BoardRow | None:
    """People's row, of the study on this pack and split with the most questions."""
    studies = standings_of(view).filter(run=None)
    return people_of(row for study in studies if (row := row_of(study, view))).here


def _lead(one: RankedTest) -> float:
    """The model's share above people's, else above chance."""
    measure = one.people.cell.score if one.people else one.model.cell.chance
    return one.model.share - (measure or 0.0)
