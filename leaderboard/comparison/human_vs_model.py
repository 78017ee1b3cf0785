"""Humans and models paired by item: the authors' table, and the data of a board's chart."""

from collections.abc import Iterable, Iterator
from functools import partial

from benchmarks.definitions.definition import Benchmark
from benchmarks.models import Pack
from benchmarks.words import condition_words
from evaluation.runs.pages.number_format import chance_of_as_much
from humantrials.models import Trial
from leaderboard.board.board_row import BoardRow
from leaderboard.board.query import View
from leaderboard.exports.table import Table, Value, in_per_cent, text_of
from leaderboard.models import RowKind, Standing
from leaderboard.standings.paired_differences import (
    Answers,
    KnownItems,
    answers_of,
    by_value,
    group_difference,
    known_items,
    paired,
)
from measures.estimate import ESTIMATOR, difference, family
from measures.figures import FEW, FEW_PEOPLE

HEADS = (
    "Model",
    "Kind",
    "Strategy",
    "Condition",
    "Test",
    "n",
    "People %",
    "Model %",
    "Difference",
    "Low",
    "High",
    "p",
    "p (Holm)",
)
BY_GROUP = "by group"  # key of the group scores, in place of a test
SHORT_HEADS = (
    *("Model", "Kind", "Prompting", "Shown"),
    *("Test", "n", "People %", "Model %", "Difference"),
    *("Low", "High", "p", "p (Holm)"),
)
NOTES = (
    "Paired by item, on the items of one pack that both answered (n); difference = people - model, in points.",
    f"95 % interval: {ESTIMATOR}. People: majority of votes.",
    "People and clips are both random; p: the score test of that interval; Holm over this table.",
    f"With fewer than {FEW_PEOPLE} people or {FEW} clips it is on the safe side.",
)


def human_vs_model(benchmark: Benchmark, pack: Pack | None, rows: tuple[str, ...]) -> Table:
    """Table of humans and every model on shared items, overall and by test, without simulated people."""
    found = _with_holm(_comparisons(benchmark, pack, rows)) if pack else ()
    nothing = () if found else (_why_nothing(pack),)
    notes = (*nothing, *NOTES, "Simulated people are left out.")
    return _table(benchmark, "test", f"{benchmark.title}: people and models", found, notes)


def _why_nothing(pack: Pack | None) -> str:
    """Why there is no comparison: nobody to compare, or people and models were shown different things."""
    rows = list(Standing.objects.filter(pack=pack).only("kind", "condition", "split"))
    people = _inputs(row for row in rows if row.row_kind.is_measured_people)
    models = _inputs(row for row in rows if row.row_kind.is_ranked)
    if not (people and models):
        return "No pack has both people and models yet: there is nothing to compare."
    return f"Nothing to compare: people were shown {people}, models {models}; both need the same input and split."


def _inputs(rows: Iterable[Standing]) -> str:
    """The conditions and splits of these rows."""
    return "; ".join(sorted({f"{condition_words(row.condition)} (split {row.split})" for row in rows}))


def of_view(view: View, people: BoardRow, models: Iterable[BoardRow], values: Iterable[str]) -> Table:
    """Table of one row of people and these models of a view, overall and by these values of its facet."""
    places = Standing.objects.filter(pack=view.pack, split=view.split, condition=view.condition)
    slug, runs = (
        people.key.removeprefix("trial-").partition("~")[0],
        [int(row.key.removeprefix("run-")) for row in models],
    )
    trial = Trial.objects.get(slug=slug)
    standings = {one.run_id: one for one in places.filter(run__in=runs).select_related("run__model")}
    votes = answers_of(trial, condition=view.condition)
    pair = partial(_pair_rows, votes, known_items(votes.scores, [view.group]), facet=view.group, values=list(values))
    found = _with_holm(row for run in runs if run in standings for row in pair(standings[run]))
    title = f"{view.benchmark.title}: {people.name.lower()} and models"
    return _table(view.benchmark, view.group, title, found, NOTES)


def _table(
    benchmark: Benchmark, facet: str, title: str, found: tuple[tuple[Value, ...], ...], notes: tuple[str, ...]
) -> Table:
    """The table; files for programs have keys, pages and LaTeX have titles."""
    strategies = {strategy.name: strategy.title for strategy in benchmark.strategies}
    values = {value.value: value.title for value in benchmark.facet(facet).values}
    printed = tuple(
        (
            *(text_of(row[0]), RowKind(str(row[1])).words, str(strategies.get(str(row[2]), row[2]))),
            *(condition_words(str(row[3])), str(values.get(str(row[4]), row[4]))),
            *(text_of(value) for value in row[5:-2]),
            *map(chance_of_as_much, row[-2:]),
        )
        for row in found
    )
    return Table(title, HEADS, found, notes, SHORT_HEADS, printed)


def without_rows(title: str) -> Table:
    """The table of a view in which nobody can be compared."""
    return Table(title, HEADS, (), (), SHORT_HEADS)


def _with_holm(rows: Iterable[tuple[Value, ...]]) -> tuple[tuple[Value, ...], ...]:
    """The rows, each of which ends in its p-value, with a Holm-corrected p-value over all of them added."""
    found = list(rows)
    return tuple((*row, p) for row, p in zip(found, family([row[-1] for row in found]), strict=True))  # type: ignore[misc]


def _comparisons(benchmark: Benchmark, pack: Pack, rows: tuple[str, ...]) -> Iterator[tuple[Value, ...]]:
    people = Standing.objects.filter(pack=pack, kind=RowKind.HUMAN).select_related("trial")
    tests = [value.value for value in benchmark.facet("test").values]
    for human in people:
        if not human.trial or human.split != widest_split(human.trial):
            continue
        votes = answers_of(human.trial, condition=human.condition)
        known = known_items(votes.scores, ["test"])
        models = Standing.objects.filter(pack=pack, split=human.split, condition=human.condition, kind__in=rows)
        for model in models.exclude(run=None).select_related("run__model").order_by("name", "strategy"):
            yield from _pair_rows(votes, known, model, facet="test", values=tests)


def widest_split(trial: Trial) -> str:
    """The split with most of a trial's items; using it alone compares each pair of rows once."""
    standings = trial.standings.all()
    return max(standings, key=lambda standing: (standing.overall.get("n", 0), standing.split == "all")).split


def _pair_rows(
    votes: Answers, known: KnownItems, model: Standing, *, facet: str, values: Iterable[str]
) -> Iterator[tuple[Value, ...]]:
    assert model.run is not None
    answers = answers_of(model.run, model.split, among=votes.scores.keys())
    pairs = paired(votes, answers, known=known)
    if not pairs:
        return
    who = (model.name, model.kind, model.strategy, model.condition)
    found, of_groups = by_value(pairs, facet), group_difference(votes, answers)
    differences = [("overall", difference(pairs)), *([(BY_GROUP, of_groups)] if of_groups else [])]
    for value, both in (*differences, *((value, difference(found[value])) for value in values if value in found)):
        ends = (both.interval.low, both.interval.high)
        shares = (both.first, both.second, both.value, *ends)
        yield (*who, value, both.n, *(in_per_cent(share) for share in shares), both.p)
