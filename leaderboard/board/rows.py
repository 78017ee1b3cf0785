"""Assembles a board's rows from standings and from papers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

from django.db.models import Max, Q

from benchmarks.definitions.definition import Benchmark, StrategyName
from benchmarks.definitions.published_data import PublishedCell, PublishedRow
from benchmarks.templatetags.figures import figure_key
from evaluation.models import Run, SubmissionBadge
from evaluation.prompting.presets import thinking_label
from evaluation.runs.results import stored_share
from leaderboard.board.assemble import (
    Board,
    assemble,
    chance_of,
    columns_of,
    doubt_about,
    of_one_referee,
    referees_among,
)
from leaderboard.board.board_row import BY_GROUP, OF_ALL, BoardCell, BoardColumn, BoardRow
from leaderboard.board.hidden_figures import hidden_words
from leaderboard.board.query import View
from leaderboard.board.reported_models import link_of_reported
from leaderboard.board.rows_alike import OWN_SAMPLER, with_differences
from leaderboard.board_analysis import analyses
from leaderboard.models import EvidenceTier, PublishedResult, RankTest, Standing, StandingQuerySet
from leaderboard.row_kinds import PEOPLE, RowKind
from leaderboard.standings.human_rows import row_key
from leaderboard.standings.paired_differences import gaps_to_humans
from leaderboard.standings.stored_cells import cell_in
from measures.scores.parsed_answers import CUT_IN_THOUGHT, EMPTY

KNOWN = {field.name for field in fields(BoardCell)} - {"published_text", "note", "facts"}
APART = KNOWN | {"careful"}
WITHOUT_ANSWER = ((CUT_IN_THOUGHT, "of thoughts cut off"), (EMPTY, "empty replies"))


def board_of(view: View, model: str = "") -> Board:
    """The board of a view, in one query for its rows and one for their gaps to humans.

    With the slug of a model, it has only that model and people, unless the referee is chosen by all rows.
    """
    rows_here = rows_of_standings(view, "" if view.level.dimensions else model)
    own, referees = of_one_referee(view, rows_here)
    rows = [*own, *published_rows(view), *later_rows(view, later_results(view))]
    columns = columns_of(view, [row for row in rows if row.kind in view.rows])
    board = assemble(view, columns, rows, chance_of(view, rows), rank_test(view, own))
    board = replace(board, referees=referees, hidden=hidden_words(view.pack, own))
    return ranked_if_discriminating(board)


def ranked_if_discriminating(board: Board) -> Board:
    """The board, without ranks if its referee does not separate right answers from irrelevant ones."""
    doubt = doubt_about(board.view, referees_among(board.ranked))
    return board.unranked(doubt) if doubt else board


def rank_test(view: View, rows: Iterable[BoardRow]) -> RankTest | None:
    """The stored test of this view's ranks, in one query; None without one, as for groups of questions.

    Levels without items under caution have one test, with caution "in".
    """
    if view.pack is None or view.unit == "group":
        return None
    tests = RankTest.objects.filter(
        pack=view.pack,
        split=view.split,
        strategy=view.strategy.name,
        condition=view.condition,
        level=view.level.number,
        caution__in={"in", view.caution},
        dimension=view.dimension,
        referee=next((row.referee for row in rows if row.referee), ""),
    )
    return tests.order_by("-caution").first()


def with_strategy(view: View, strategy: StrategyName) -> View:
    """The view with another strategy, on the same split if that strategy uses it."""
    split = view.split if view.split in strategy.splits else strategy.splits[0]
    return replace(view, strategy=strategy, split=split)


def rows_of_standings(view: View, model: str = "") -> list[BoardRow]:
    """Rows of this view from standings; only people and one model if its slug is given.

    Of two runs with the same identity, the later one.
    """
    if view.pack is None:
        return []
    latest: dict[str, tuple[Standing, BoardRow]] = {}
    wanted = standings_of(view).filter(Q(run=None) | Q(run__model__slug=model)) if model else standings_of(view)
    for standing in wanted.with_cells("level", view.group):
        row, standing.cells = row_of(standing, view), {}  # let go: the row has what it shows of many kilobytes
        if row:
            latest[standing.identity] = standing, row
    # Differences are stored over all items and dimensions, so a board of a part of them shows none.
    is_whole = view.caution == "in" and not view.dimension and view.unit == "question"
    far = gaps_to_humans([standing for standing, _ in latest.values()]) if is_whole else {}
    return with_differences(
        (replace(row, distance=far.get(standing.pk)), standing.run) for standing, row in latest.values()
    )


def standings_of(view: View) -> StandingQuerySet:
    """Standings of models with this strategy, and of people who were asked the same kind of question."""
    people = Q(kind__in=PEOPLE, strategy__in=of_same_question(view))
    wanted = Q(strategy=view.strategy.name) | people
    found = Standing.objects.filter(wanted, pack=view.pack, split=view.split, condition=view.condition)
    return found.select_related("run__model", "trial").order_by("pk")


def updated_at(view: View) -> datetime | None:
    """When a row of the view was last computed."""
    found: datetime | None = standings_of(view).aggregate(at=Max("computed_at"))["at"]
    return found


def of_same_question(view: View) -> set[str]:
    """The strategies that ask the same kind of question as the view's: people's answers count for all of them."""
    return {
        strategy.name
        for strategy in view.benchmark.strategies
        if set(strategy.kinds) & set(view.strategy.kinds) and strategy.with_twin == view.strategy.with_twin
    }


def row_of(standing: Standing, view: View) -> BoardRow | None:
    """The standing's row in this view; None if it has no scores on this level."""
    overall = standing.cells.get("level", {}).get(view.level.number)
    if overall is None:
        return None
    cells = {value: board_cell(cell, view) for value, cell in standing.cells.get(view.group, {}).items()}
    whole = board_cell(overall, view)
    if view.unit == "question" and whole and whole.group:
        cells[BY_GROUP] = _of_groups(whole)
    common: dict[str, Any] = {"tier": standing.tier, "overall": whole}
    common["cells"] = {value: cell for value, cell in cells.items() if cell}
    if standing.run:
        return _row_of_run(standing, common)
    return _row_of_trial(standing, overall, common)


def _row_of_run(standing: Standing, common: dict[str, Any]) -> BoardRow:
    run = standing.run
    assert run is not None
    return BoardRow(
        key=f"run-{run.pk}",
        name=run.model.name,
        kind=standing.row_kind,
        revision=standing.revision,
        link=run.get_absolute_url(),
        made_here=run.model.made_here,
        badges=tuple(mark for mark in run.marks if mark != SubmissionBadge.BASELINE),
        is_baseline=run.is_baseline,
        parameters=str(run.model.card.get("parameters", "")),
        maker=str(run.model.card.get("organisation", "")),
        date=run.finished_at.date() if run.finished_at else None,
        note=_noted(run, standing.overall),
        referee=run.referee,
        answerer=_answerer(run, standing.revision),
        sampler="" if standing.condition in OWN_SAMPLER else run.sampler,
        model_link=run.model.get_absolute_url(),
        paper=run.model.paper,
        **common,
    )


def _answerer(run: Run, revision: str) -> str:
    """Identity of the answerer on several boards: the model, its revision and its sampling."""
    sampled = f"{run.sampling.get('temperature', '')} {run.referee}"
    return " ".join(filter(None, [f"{run.model_id} {revision} {sampled}", thinking_label(run.sampling)]))


def _noted(run: Run, overall: Mapping[str, Any]) -> str:
    """A note on the row's referee, thinking, figures of analyses and replies without an answer; '' for none."""
    shares = [(stored_share(run, problem), words) for problem, words in WITHOUT_ANSWER]
    lost = [f"{100 * share:.1f} % {words}" for share, words in shares if share]
    noted = [one.note(overall[one.key]) for one in analyses().values() if one.note and one.key in overall]
    return ", ".join(filter(None, [_scored(run), thinking_label(run.sampling), *noted, *lost]))


def _scored(run: Run) -> str:
    """The referee, and the model's temperature if it is above 0; '' if scored by rule."""
    if not run.referee:
        return ""
    warm = run.sampling.get("temperature")
    scored = f"scored by {run.referee}"
    return scored + (f", temperature {warm:g}" if warm else "")


def _row_of_trial(standing: Standing, overall: dict[str, Any], common: dict[str, Any]) -> BoardRow:
    trial = standing.trial
    assert trial is not None
    people, n = overall.get("people", 0), overall.get("n") or 0
    each = overall.get("judgments", 0) / n if n else 0
    of = standing.overall.get("of", n)
    part = "" if n >= of else f", {n} of {of} clips"
    votes_text = "1 person" if people == 1 else f"{people} people"
    return BoardRow(
        key=row_key(trial, standing.condition),
        name=standing.name,
        kind=standing.row_kind,
        note=f"{votes_text}, {each:.3g} a clip{part}",
        link=trial.get_absolute_url(),
        answerer=trial.slug,
        **common,
    )


def board_cell(stored: dict[str, Any] | None, view: View) -> BoardCell | None:
    """A stored cell as the view shows it; None without a figure."""
    stored = cell_in(stored, dimension=view.dimension, caution=view.caution)
    if stored is None:
        return None
    facts = {name: value for name, value in stored.items() if name not in APART}
    cell = BoardCell(**{name: stored[name] for name in KNOWN if name in stored}, facts=facts)
    return _of_groups(cell) if view.unit == "group" else cell


def _of_groups(cell: BoardCell) -> BoardCell | None:
    """The cell of the groups of these questions; None if no group is complete."""
    stored = cell.group
    if stored is None or stored["score"] is None:
        return None
    own = {name: stored[name] for name in ("score", "n", "low", "high", "chance", "p") if name in stored}
    extra = {name: stored[name] for name in ("incomplete", "step") if name in stored}
    return BoardCell(**own, unread=cell.unread, facts=extra | {"people": cell.facts.get("people")})


def key_of(row: BoardRow, view: View, column: BoardColumn = OF_ALL) -> str:
    """The name of a row's figure in a column where a page prints it; "" for figures of papers."""
    if not row.kind.is_ours or view.level.dimensions:
        return ""
    place = (view.group, column.part) if column.part else ("level", view.level.number)
    return figure_key(row.keys.get(column.block, row.key), view.split, *place)


def link_to_items(row: BoardRow, view: View, column: BoardColumn) -> str:
    """Link to the items behind a cell, relative to the board to keep it short: a page has a thousand of them."""
    where = f"&{view.group}={column.part}" if column.part else f"&level={view.level.number}"
    where += f"&dimension={view.dimension}" if view.dimension else ""
    return f"items/?row={row.keys.get(column.block, row.key)}&split={view.split}{where}"


OURS_ALONE = ("yes", "sensitivity", "repeats", "guessing")  # figures that no paper prints


def later_results(view: View) -> list[PublishedResult]:
    """Results of later papers on this level, in one query."""
    found = PublishedResult.objects.checked().filter(benchmark=view.benchmark.slug, level=view.level.number)
    return list(found.order_by("date", "pk"))


def later_rows(view: View, results: Iterable[PublishedResult]) -> list[BoardRow]:
    """One row for each paper and answerer, with its citation; published rows have no rank or interval."""
    if view.columns != "accuracy":
        return []
    found: dict[tuple[str, ...], list[PublishedResult]] = {}
    for result in results:
        found.setdefault((result.strategy, result.condition, result.split, result.row, result.source), []).append(
            result
        )
    return [_in_group(view, _later(cells)) for cells in found.values() if _is_of(view, _row_of_paper(cells))]


def _row_of_paper(results: Sequence[PublishedResult]) -> PublishedRow:
    first = results[0]
    return PublishedRow(
        name=first.row,
        level=first.level,
        strategy=first.strategy,
        source=first.source,
        cells=tuple(PublishedCell(result.cell, result.figure) for result in results),
        condition=first.condition,
        split=first.split,
    )


def _later(results: Sequence[PublishedResult]) -> BoardRow:
    first = results[0]
    dated = first.date or f"entered {first.updated_at:%Y-%m-%d}"
    row = _board_row(f"later-{first.pk}", _row_of_paper(results))
    note, cited = f"{first.source} ({dated}); checked by {first.checked_by}", f"{first.source}, {dated}"
    return replace(row, note=note, link=first.link, paper=first.link, citation=cited)


def _in_group(view: View, row: BoardRow) -> BoardRow:
    """The row without its cells by test if the view groups by another facet; its overall figure stays."""
    return row if view.group == view.level.groups[0] else replace(row, cells={})


def published_rows(view: View) -> list[BoardRow]:
    """The paper's own rows for this view."""
    if view.columns in OURS_ALONE:
        return []
    is_by_polarity = view.columns == "halves"
    printed = view.benchmark.published
    rows = zip(printed, _rows_of_paper(view.benchmark), strict=True)
    return [
        _in_group(view, row_cells)
        for row, row_cells in rows
        if _is_of(view, row) and any(bool(c.polarity) == is_by_polarity for c in row.cells)
    ]


# By benchmark: they never change.
_PAPERS: dict[str, tuple[tuple[PublishedRow, ...], list[BoardRow]]] = {}


def _rows_of_paper(benchmark: Benchmark) -> list[BoardRow]:
    """Every row of the benchmark's own paper, computed once per process for pages of many levels."""
    known = _PAPERS.get(benchmark.slug)
    if known is None or known[0] is not benchmark.published:
        rows = [_board_row(f"published-{number}", row) for number, row in enumerate(benchmark.published)]
        known = _PAPERS[benchmark.slug] = (benchmark.published, rows)
    return known[1]


def _is_of(view: View, row: PublishedRow) -> bool:
    return (
        row.level == view.level.number
        and row.strategy in ("", view.strategy.name)
        and (row.condition or view.strategy.condition) == view.condition
        and row.split in ("", view.split)
        and row.dimension == view.dimension
    )


def _board_row(key: str, row: PublishedRow) -> BoardRow:
    columns = {cell.column: [one for one in row.cells if one.column == cell.column] for cell in row.cells}
    cells = {column: _published_cell(found, row.is_interval) for column, found in columns.items()}
    return BoardRow(
        key=key,
        name=row.name,
        kind=RowKind.PUBLISHED,
        tier=EvidenceTier.REPORTED,
        cells={column: cell for column, cell in cells.items() if column != "overall"},
        overall=cells.get("overall"),
        note=f"{row.source}. {row.note}".strip(),
        answerer=f"{row.name} {row.parameters}",
        parameters=row.parameters,
        model_link="" if row.of_people else link_of_reported(row.name, row.parameters),
        of_people=row.of_people,
        is_baseline=row.is_baseline,
    )


def _published_cell(cells: list[PublishedCell], is_interval: bool) -> BoardCell:
    by_polarity = {cell.polarity: {"score": published_share(cell.text), "printed": cell.text} for cell in cells}
    whole = next((cell for cell in cells if not cell.polarity), None)
    low, high = published_interval(whole.text) if whole and is_interval else (None, None)
    return BoardCell(
        score=published_share(whole.text) if whole else None,
        low=low,
        high=high,
        published_text=whole.text if whole else "/".join(cell.text for cell in cells),
        note="; ".join(cell.note for cell in cells if cell.note),
        positive=by_polarity.get("positive", {}),
        negative=by_polarity.get("negative", {}),
    )


def published_share(printed: str) -> float | None:
    """A printed percentage as a share, without the part after ±; None for words."""
    try:
        return float(printed.partition("±")[0]) / 100
    except ValueError:
        return None


def published_interval(printed: str) -> tuple[float | None, float | None]:
    """The ends, as shares, of an interval printed as "96.3 ± 2.1"; (None, None) if there is none."""
    middle, _, half = printed.partition("±")
    if not half:
        return None, None
    return (float(middle) - float(half)) / 100, (float(middle) + float(half)) / 100
