"""Charts of a board, built from the same rows as its table."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from django.utils.text import capfirst

from benchmarks.words import DIMENSIONS
from leaderboard.board.assemble import Board
from leaderboard.board.board_row import OF_ALL, OVERALL, BoardColumn, BoardRow
from leaderboard.board.cell_display import number
from leaderboard.board.column_blocks import BlockRow
from leaderboard.board.query import View
from leaderboard.board.rows import board_of, with_strategy
from leaderboard.charts.chart import ACROSS, FREE, MOST, PER_CENT, UPWARDS, Axis, Chart, Point, Trace, point_of
from leaderboard.comparison import human_vs_model
from leaderboard.comparison.by_condition import WITH, WITHOUT, lines_under
from leaderboard.comparison.human_vs_model import BY_GROUP
from leaderboard.exports.provenance import of_view
from leaderboard.exports.table import Table, Value, cell_in_per_cent, in_per_cent, sentence_of

REVISION = 12  # characters of a revision, often a hash, that distinguish it
HOLLOW = "Hollow marks: uploaded answers, or figures reported in papers."


def profile(board: Board) -> Chart:
    """Chart of accuracy by value of the board's facet, with intervals, for people and the best models."""
    view, rows = board.view, _profiled(board)
    known = [one for one in board.columns if not one.is_by_group]  # groups of questions have another chance level
    columns = [one for one in known if any(has_points(row, [one.key]) for row in rows)] or [OF_ALL]
    traces = tuple(_profile_of(row, columns) for row in rows)
    ticks = tuple(
        (place, f"{column.number} {column.title}" if column.number else column.title)
        for place, column in enumerate(columns)
    )
    ends = ("low", "high", "n")
    heads = ("Who", *(head for column in columns for head in (f"{column.title} %", *ends)))
    body = tuple((row.full_name, *(value for column in columns for value in _figures(row, column.key))) for row in rows)
    return Chart(
        title=f"{view.benchmark.title}: {_profiled_by(view, columns)}",
        form=ACROSS,
        x=Axis(capfirst(f"{measured_in(view)} in per cent"), 0, 100, PER_CENT, _guess(board)),
        y=Axis("", -0.5, len(columns) - 0.5, ticks),
        traces=tuple(trace for trace in traces if trace.points),
        table=table_of(board, rows, heads, body),
        note=f"{_note(board, rows)} Lines are 95 % intervals.".strip(),
    )


def _profiled_by(view: View, columns: Sequence[BoardColumn]) -> str:
    if columns == [OF_ALL]:
        return f"overall {measured_in(view)}"
    facet = view.benchmark.facet(view.group).title.lower()
    return f"{measured_in(view)} by {facet}"


def measured_in(view: View) -> str:
    """Name of the quantity that this view's figures measure."""
    if not view.level.dimensions:
        return "accuracy"
    if not view.dimension:
        return "a referee's points"
    return f"a referee's points for {DIMENSIONS[view.dimension]}"


def _profile_of(row: BoardRow, columns: Sequence[BoardColumn]) -> Trace:
    points = []
    for place, column in enumerate(columns):
        cell = row.cell(column.key)
        if cell and cell.score is not None:
            points.append(point_of(cell, place, column.title))
    return trace_of(row, points)


def _figures(row: BoardRow, key: str) -> tuple[Value, ...]:
    cell = row.cell(key)
    if cell is None:
        return (None,) * 4
    return (cell_in_per_cent(cell), in_per_cent(cell.low), in_per_cent(cell.high), cell.n)


def _points(rows: Mapping[int, BoardRow], titles: Sequence[str]) -> Iterator[Point]:
    """The overall accuracy of each row over its place."""
    for place, row in rows.items():
        if row.overall:
            yield point_of(row.overall, place, titles[place], is_upright=True)


def slopes(board: Board) -> Chart:
    """Chart of each model's overall accuracy by prompting strategy, on the same clips."""
    view = replace(board.view, sort="overall", search="", page=1)
    own = view.strategy.condition  # another condition is another task, not another strategy
    names = [name for name in view.level.strategies if view.benchmark.strategy(name).condition == own]
    boards = [board_of(with_strategy(view, view.benchmark.strategy(name))) for name in names]
    several = _on_several_boards(boards)
    names, several = _with_figures(names, several)
    best = sorted(several, key=lambda name: -max(score_of(row) for row in several[name].values()))[:MOST]
    titles = [view.benchmark.strategy(name).title for name in names]
    traces = tuple(Trace(name, tuple(_points(several[name], titles))) for name in best)
    body = tuple(
        (name, *(_figures(rows[place], OVERALL)[0] if place in rows else None for place in range(len(names))))
        for name, rows in several.items()
    )
    displayed = [row for rows in several.values() for row in rows.values()]
    heads = ("Who", *(f"{title} %" for title in titles))
    return Chart(
        title=f"{view.benchmark.title}: the same model asked in different ways",
        form=UPWARDS,
        x=Axis("", -0.4, max(0, len(names) - 1) + 0.4, tuple(enumerate(titles))),
        y=Axis(f"Overall {measured_in(view)} in per cent", 0, 100, PER_CENT, _guess(*boards)),
        traces=traces,
        table=table_of(boards[0], displayed, heads, body),
        note=f"{len(traces)} of {len(several)} models with more than one prompting; lines are 95 % intervals.",
        has_lines=True,
    )


def _with_figures(
    names: Sequence[str], several: dict[str, dict[int, BoardRow]]
) -> tuple[list[str], dict[str, dict[int, BoardRow]]]:
    """The strategies with a figure, and the rows by their places among these."""
    used = sorted({place for rows in several.values() for place in rows})
    moved = {name: {used.index(place): row for place, row in rows.items()} for name, rows in several.items()}
    return [names[place] for place in used], moved


def _on_several_boards(boards: Sequence[Board]) -> dict[str, dict[int, BoardRow]]:
    """Name -> rows by board, for models on several boards; the name includes the revision if the model has several."""
    found: dict[tuple[str, str], dict[int, BoardRow]] = {}
    for place, board in enumerate(boards):
        for row in board.ranked:
            found.setdefault((row.full_name, row.revision), {})[place] = row
    several = {key: rows for key, rows in found.items() if len(rows) > 1}
    times = Counter(name for name, _ in several)
    return {
        name if times[name] == 1 else f"{name} {revision[:REVISION]}".strip(): rows
        for (name, revision), rows in several.items()
    }


def bias(board: Board) -> Chart:
    """Chart of yes rate against d' (yes bias), for people and the best models."""
    rows = [row for row in (*board.pinned, *board.ranked) if row.overall and row.overall.d_prime is not None]
    traces = tuple(_bias_of(row) for row in rows[: MOST + len(board.pinned)])
    top = max([3.0, *(point.y for trace in traces for point in trace.points)]) + 0.5
    low = min([-0.5, *(point.y - 0.25 for trace in traces for point in trace.points)])
    body = tuple(_bias_row(row) for row in rows)
    return Chart(
        title=f"{board.view.benchmark.title}: yes bias and sensitivity",
        form=FREE,
        x=Axis("How often the answer was yes, in per cent", 0, 100, PER_CENT, 50),
        y=Axis("d′", low, top, tuple((float(step), str(step)) for step in range(int(top) + 1)), 0),
        traces=traces,
        table=table_of(board, rows, ("Who", "Yes %", "d′", "c", "n"), body),
        note=_note(board, rows[: MOST + len(board.pinned)]) + " d′ is 0 for guessing and for a constant answer.",
    )


def _bias_of(row: BoardRow) -> Trace:
    assert row.overall
    yes, apart = 100 * (row.overall.yes or 0.0), row.overall.d_prime or 0.0
    return trace_of(row, [Point(yes, apart, f"yes {yes:.1f} %, d′ {number(apart)}")])


def _bias_row(row: BoardRow) -> tuple[Value, ...]:
    assert row.overall
    d_prime, criterion = (
        None if one is None else round(one, 4) for one in (row.overall.d_prime, row.overall.criterion)
    )
    return (row.full_name, in_per_cent(row.overall.yes), d_prime, criterion, row.overall.n)


def with_and_without_sound(views: Sequence[View]) -> Chart:
    """Chart of each model with and without sound over the columns of all views, the best models with sound first."""
    lines = [{line.rows[WITH].key: line.rows for line in _models_both_ways(view)} for view in views]
    order = [
        (place, value.value, value.title)
        for place, view in enumerate(views)
        for value in view.benchmark.facet(view.group).values
        if any(value.value in row.cells for rows in lines[place].values() for row in rows.values())
    ]
    best = sorted((rows[WITH] for rows in lines[0].values()), key=lambda row: (-score_of(row), row.name.casefold()))
    traces, body = [], []
    for row in best[: MOST // 2]:
        for condition, sound in ((WITH, "with sound"), (WITHOUT, "without sound")):
            cells = [lines[place][row.key][condition].cells.get(value) for place, value, _title in order]
            known = ((place, cell) for place, cell in enumerate(cells) if cell and cell.score is not None)
            points = tuple(point_of(cell, place, order[place][2]) for place, cell in known)
            traces.append(Trace(name := f"{row.full_name}, {sound}", points))
            body.append((name, *(cell_in_per_cent(cell) if cell else None for cell in cells)))
    count = len(traces) // 2
    title = f"{views[0].benchmark.title}: with and without sound, by material and by property"
    heads = ("Who", *(f"{one[-1]} %" for one in order))
    return Chart(
        title=title,
        form=ACROSS,
        x=Axis("Accuracy in per cent", 0, 100, PER_CENT, 50),
        y=Axis("", -0.5, len(order) - 0.5, tuple((place, one[-1]) for place, one in enumerate(order))),
        traces=tuple(traces),
        table=Table(title, heads, tuple(body), provenance=of_view(views[0], best[: MOST // 2])),
        note=f"{count} model{'' if count == 1 else 's'} evaluated with and without sound; lines are 95 % intervals.",
    )


def _models_both_ways(view: View) -> list[BlockRow]:
    """The models with a figure with sound and one without."""
    lines = (line for line in lines_under(view, (WITH, WITHOUT)) if {WITH, WITHOUT} <= line.rows.keys())
    return [line for line in lines if line.rows[WITH].kind.is_ranked]


def _profiled(board: Board) -> list[BoardRow]:
    """People first, then the board's first models, then the best reported ones, at least some of each."""
    keys = profile_keys(board)
    printed = [row for row in (*board.of_the_paper, *board.of_later_papers) if has_points(row, keys)]
    best = sorted(printed, key=lambda row: -_mean(row, keys))  # papers report tests without an overall figure
    people = (row for row in board.people_of_papers if has_points(row, keys))
    own = board.ranked[:MOST]
    return [*board.pinned, *people, *own, *best[: max(MOST - len(own), MOST // 3)]]


def has_points(row: BoardRow, keys: Sequence[str]) -> bool:
    """Whether the row has a score in one of these columns."""
    return any(cell.score is not None for key in keys if (cell := row.cell(key)))


def profile_keys(board: Board) -> list[str]:
    """The columns that a profile may draw, by key: the board's, or overall where no row has another figure."""
    keys = [column.key for column in board.columns]
    return keys if any(has_points(row, keys) for row in board.rows) else [OVERALL]


def _mean(row: BoardRow, keys: Sequence[str]) -> float:
    return fmean(cell.score for key in keys if (cell := row.cell(key)) and cell.score is not None)


def _guess(*boards: Board) -> float | None:
    """The boards' common chance level in per cent; None if they differ or it is unknown."""
    chances = {board.chance for board in boards}
    chance = chances.pop() if len(chances) == 1 else None
    return None if chance is None else 100 * chance


def _note(board: Board, rows: Sequence[BoardRow]) -> str:
    count = sum(row.kind.is_ranked for row in rows)
    sentence = f"{count} of {len(board.ranked)} models evaluated or uploaded here." if board.ranked else ""
    return " ".join(filter(None, (sentence, HOLLOW if any(row.kind.is_hollow for row in rows) else "")))


def trace_of(row: BoardRow, points: Iterable[Point]) -> Trace:
    of_people = row.kind.is_measured_people or row.of_people
    return Trace(row.full_name, tuple(points), of_people, row.kind.is_simulated, row.kind.is_hollow)


def score_of(row: BoardRow) -> float:
    return (row.overall.score if row.overall else None) or 0.0


def table_of(
    board: Board, rows: Sequence[BoardRow], heads: tuple[str, ...], body: tuple[tuple[Value, ...], ...]
) -> Table:
    made_of = of_view(board.view, rows)
    return Table(f"{board.view.benchmark.title}, {sentence_of(board.view)}", heads, body, (), provenance=made_of)


def of_pairs(table: Table, title: str, who: str = "") -> Chart:
    """People on x, models on y, with a point for each test, from a table of human_vs_model.py."""
    by_model: dict[str, list[Point]] = {}
    for row, words in zip(table.rows, table.display_rows, strict=True):
        name, _kind, strategy, _condition, test, *_figures = words
        figures = dict(zip(table.heads, row, strict=True))
        if figures["Test"] not in ("overall", BY_GROUP):
            people, model = float(figures["People %"] or 0), float(figures["Model %"] or 0)
            points = by_model.setdefault(f"{name}, {strategy}", [])
            points.append(Point(people, model, f"{test} people {people:.1f} %, model {model:.1f} %"))
    return Chart(
        title=title,
        form=FREE,
        x=Axis(f"{who or 'People'}, accuracy in per cent", 0, 100, PER_CENT),
        y=Axis("Models, accuracy in per cent", 0, 100, PER_CENT),
        traces=tuple(Trace(name, tuple(points)) for name, points in list(by_model.items())[:MOST]),
        table=table,
        note=f"One point per test, {min(MOST, len(by_model))} of {len(by_model)} models;"
        " below the line people are better.",
        has_diagonal=True,
    )


def against_people(board: Board) -> Chart:
    """Scatter chart of the board's best models against its people, on the items that both answered."""
    view = board.view
    rows = (*board.pinned[:1], *board.ranked[:MOST])
    title = f"{view.benchmark.title}: people and models on the same items"
    if not board.pinned:
        return of_pairs(human_vs_model.without_rows(title), title)
    people, *models = rows
    pairs = human_vs_model.of_view(view, people, models, [column.key for column in board.columns])
    return of_pairs(replace(pairs, provenance=of_view(view, rows)), title, people.name)
