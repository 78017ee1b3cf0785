"""Every model's score on each benchmark and its gap to people, and the sentence that sums the gaps up."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.safestring import SafeString

from benchmarks.definitions.definition import Benchmark
from benchmarks.strips import StripPoint, strip
from leaderboard.board.cell_display import score_text, spread
from leaderboard.board.claims import Lead
from leaderboard.board.overviews.level_results import LevelResults, Result, levels_of_model
from leaderboard.board.strip_points import look_of, mark_of


@dataclass(frozen=True)
class ModelScore:
    """A model's figure on one benchmark, of the first level on which it has one."""

    level: str  # its title, "" = the benchmark has only one
    figure: str
    spread: str
    key: str  # the name of the figure, for pages
    drawing: SafeString
    is_reported: bool
    note: str = ""


@dataclass(frozen=True)
class ModelGap:
    """People minus a model, where the two are closest."""

    model: str
    place: str  # benchmark, and its level if it has several
    lead: Lead

    @property
    def value(self) -> float:
        return self.lead.value


@dataclass(frozen=True)
class ModelScores:
    """Slug of a benchmark -> the score there, and the smallest gap."""

    scores: Mapping[str, ModelScore]
    gap: ModelGap | None


def scores_of(links: Iterable[str], every: Sequence[LevelResults]) -> dict[str, ModelScores]:
    """The scores of each of these models by its link."""
    found = {}
    for link in links:
        levels = levels_of_model(link, every)
        scores: dict[str, ModelScore] = {}
        for level in levels:
            if level.benchmark.slug not in scores and (score := _score(level)):
                scores[level.benchmark.slug] = score
        gaps = [ModelGap(gap.model.row.title, _place(level), gap.lead) for level in levels if (gap := level.gap)]
        found[link] = ModelScores(scores, min(gaps, key=lambda gap: gap.value, default=None))
    return found


def _score(level: LevelResults) -> ModelScore | None:
    results = (*level.models, *level.reported)
    first = next((one for one in results if not one.strategy), next(iter(results), None))
    title = _title(level)
    if first is None:
        if not level.by_test:
            return None
        low, high = level.by_test[-1].figure, level.by_test[0].figure
        return ModelScore(title, low if low == high else f"{low}–{high}", "", "", SafeString(""), True, "by test")
    marks = [mark_of(first.cell, look_of(first.row))]
    if people := level.people or level.people_reported:
        marks.append(people_mark(people))
    is_reported = not first.row.kind.is_ours
    return ModelScore(
        level=title,
        figure=first.figure if is_reported else score_text(first.cell),
        spread=spread(first.cell.low, first.cell.high),
        key=first.key,
        drawing=strip(marks, None if level.chance is None else 100 * level.chance),
        is_reported=is_reported,
        note="of maximum" if level.view.level.dimensions else "",
    )


def people_mark(people: Result) -> StripPoint:
    """The mark of people's figure; its interval stands in their own column."""
    mark = mark_of(people.cell, look_of(people.row), is_people=True)
    return mark if mark.is_range else replace(mark, low=None, high=None)


def _title(level: LevelResults) -> str:
    title = level.view.level.title if len(level.benchmark.levels) > 1 else ""
    return ", ".join(one for one in (title, level.split_title) if one and one != level.benchmark.title)


def _place(level: LevelResults) -> str:
    return f"{level.benchmark.title} ({title})" if (title := _title(level)) else level.benchmark.title


def sentence_of(gaps: Sequence[ModelGap]) -> str:
    """Whether any model reaches people, and which one is closest; without a gap, that nothing can be said."""
    if not gaps:
        return "No benchmark has scores of people and of a model on the same questions yet."
    first = min(gaps, key=lambda gap: gap.value)
    tied = sum(gap.value == first.value for gap in gaps) - 1
    named = f"{first.model} on {first.place}" + (f", with {tied} more" if tied else "")
    points = f"{100 * abs(first.value):.0f} point{'' if f'{100 * abs(first.value):.0f}' == '1' else 's'}"
    if first.lead.stands and first.value < 0:
        return f"{named} is ahead of people by {points}."
    if unclear := [gap for gap in gaps if not gap.lead.stands]:
        closest = min(unclear, key=lambda gap: gap.value)
        return f"{closest.model} is no different from people on {closest.place}."
    return f"No model here reaches people on any benchmark that asked both. The closest is {named}, {points} behind."


def benchmarks_with_scores(found: Mapping[str, ModelScores], benchmarks: Iterable[Benchmark]) -> list[Benchmark]:
    """The benchmarks on which some model has a score, for the columns of the table."""
    used = {slug for one in found.values() for slug in one.scores}
    return [benchmark for benchmark in benchmarks if benchmark.slug in used]
