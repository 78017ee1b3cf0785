"""The share of clips that the frames shown to an answerer can decide, and the accuracy on these.

Stored with the standings of runs on frames of Level-2 clips whose twins can be compared.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import log2
from typing import Any, NamedTuple

import numpy as np

from benchmarks.disclosure import PUBLIC, Fact, open_to, with_expected
from benchmarks.encoding.even_frames import evenly_spaced
from benchmarks.packs.item_arrays import PackFacts
from benchmarks.packs.truth.telling_frames import has_telling_frame, telling_spans
from evaluation.inputs.frames import wanted_frames
from evaluation.models import Run, RunKind, Score
from humantrials.models import Trial
from humantrials.protocols import find_protocol
from humantrials.protocols.settings import stills_wanted
from humantrials.results.judgments import judgments
from leaderboard.board.board_row import BoardRow
from leaderboard.board.query import View
from leaderboard.board_analysis import BoardAnalysis, BoardLink, has_strategy
from leaderboard.charts.chart import FREE, MOST, PER_CENT, Axis, Chart, Point, Trace
from leaderboard.comparison.answers import against_chance, scored
from leaderboard.comparison.report_section import ReportLine, ReportSection, per_cent, rows_holding, view_with
from leaderboard.exports.table import Table, Value
from leaderboard.standings.stored_cells import UnstoredStanding, rounded
from measures.estimate import share_of
from measures.scores.scoring import exact_match

DECIDABLE = "decidable"  # of a stored overall cell, and of the levels'


def add_to_run(run: Run, facts: PackFacts, rows: Sequence[UnstoredStanding]) -> None:
    found = decidable_of(run, facts)
    for row in rows:
        _add(row, found)


def add_to_people(trial: Trial, facts: PackFacts, rows: Sequence[UnstoredStanding]) -> None:
    for row in rows:
        _add(row, decidable_of_people(trial, row.condition, facts))


def _add(row: UnstoredStanding, found: dict[str, Any] | None) -> None:
    for cell in (row.overall, *row.cells.get("level", {}).values()) if found else ():
        cell[DECIDABLE] = found


def decidable_of(run: Run, facts: PackFacts) -> dict[str, Any] | None:
    """Figures over the public answers of a run; None if its input was no frames or its clips can't be compared."""
    if run.kind != RunKind.RUN or not run.sampler or run.condition == "question-only":
        return None
    spans = telling_spans(run.pack)
    if not spans:
        return None
    path = "reading__response__"
    rows = (
        Score.objects.of_run(run)
        .order_by("pk")
        .values_list(f"{path}cell__item_id", f"{path}cell__item__media__clip_id", f"{path}frame_times", "value")
    )
    known = [
        (clip, has_telling_frame(times, spans[clip]), value)
        for item, clip, times, value in rows
        if times and clip in spans and not facts.is_hidden[int(facts.places(np.array([item]))[0])]
    ]
    return _figures(known) if known else None


def decidable_of_people(trial: Trial, condition: str, facts: PackFacts) -> dict[str, Any] | None:
    """The same over the counted answers of a study that shows stills of each clip; None for other studies."""
    if not find_protocol(trial.protocol).player.shows_frames:
        return None
    spans, count = telling_spans(trial.pack), stills_wanted(trial.settings)
    columns = ("media__clip_id", "media__clip__frames", "media__clip__fps", "expected")
    items = trial.pack.items.filter(open_to(PUBLIC, Fact.ANSWER), slots__trial=trial).distinct()
    clips = {pk: row for pk, *row in with_expected(items, to=PUBLIC).values_list("pk", *columns)}
    known = []
    for judgment in judgments(trial, condition):
        clip, frames, fps, expected = clips.get(judgment.item_id, (None, 0, 0.0, None))
        if clip in spans and frames and fps and facts.is_askable[int(facts.places(np.array([judgment.item_id]))[0])]:
            times = [place / fps for place in evenly_spaced(count, range(frames))]
            known.append((clip, has_telling_frame(times, spans[clip]), exact_match(judgment.answer, expected)))
    return {**_figures(known), "frames": count} if known else None


def _figures(known: list[tuple[int, bool, float]]) -> dict[str, Any]:
    decided = [row for row in known if row[1]]
    untold = [row for row in known if not row[1]]
    parts = {"all": _accuracy(known), "told": _accuracy(decided), "untold": _accuracy(untold)}
    return rounded({"n": len(known), "share": len(decided) / len(known), **parts})


def _accuracy(rows: list[tuple[int, bool, float]]) -> dict[str, Any] | None:
    if not rows:
        return None
    figure = share_of([value for _clip, _decided, value in rows], [clip for clip, _decided, _value in rows])
    return {"n": figure.n, "score": figure.score, "low": figure.interval.low, "high": figure.interval.high}


STILLS = "frames"  # the condition of people who see stills
COUNTS = (4, 8, 16, 32, 64)  # frames


class SeenFrames(NamedTuple):
    """The row of an answerer with frames as input, its prompting, and its figures."""

    row: BoardRow
    prompting: str
    sampler: str
    frames: int
    figures: dict[str, Any]


def decidable_rows(view: View) -> list[SeenFrames]:
    """Runs and studies of the level with frames as input, by name, prompting and number of frames."""
    return sorted(_rows(view), key=lambda row: (row.row.name, row.prompting, row.frames, row.row.key))


def _rows(view: View) -> Iterator[SeenFrames]:
    for one, row in rows_holding(view, DECIDABLE, view.level.strategies, (view.condition, STILLS)):
        figures = one.overall[DECIDABLE]
        count = figures.get("frames") or frames_in(one.run.sampler if one.run else "")
        prompting = str(view.benchmark.strategy(one.strategy).title)
        yield SeenFrames(row, prompting, one.run.sampler if one.run else f"uniform-{count}", count, figures)


def frames_in(sampler: str) -> int:
    """The number of frames that this sampler takes."""
    name, _dash, count = sampler.partition("-")
    return int(count) if name == "uniform" else 1


def ceilings(view: View) -> list[tuple[int, float]]:
    """Number of evenly spaced frames -> the share of the pack's clips whose twins differ in them."""
    spans = telling_spans(view.pack) if view.pack else {}
    if view.pack is None or not spans:
        return []
    clips = view.pack.clips.filter(pk__in=spans).values_list("pk", "frames", "fps")
    known = [(spans[pk], total, fps) for pk, total, fps in clips if total and fps]
    return [
        (count, sum(has_telling_frame(_times(count, total, fps), at) for at, total, fps in known) / len(known))
        for count in COUNTS
        if known
    ]


def _times(count: int, total: int, fps: float) -> list[float]:
    return [place / fps for place in wanted_frames(f"uniform-{count}", range(total))]


def same_eyes_section(view: View) -> ReportSection:
    """A line for each run: the decidable share, and accuracy on all, decidable and other clips."""
    found, ceiling = decidable_rows(view), ceilings(view)
    answerers: dict[str, list[tuple[int, float]]] = {}
    for one in found:
        answerers.setdefault(f"{one.row.name}, {one.prompting}", []).append((one.frames, one.figures["all"]["score"]))
    lines = [ReportLine(one.row, (one.prompting, one.sampler), _line(one.figures)) for one in found]
    return ReportSection(
        badge="same-eyes",
        title="Visible in the sampled frames",
        heads=(
            *("Prompting", "Frames"),
            *("n", "Visible in the sampled frames, %", "Accuracy, %"),
            *("Decidable only, %", "low", "high", "Not decidable, %"),
        ),
        lines=lines,
        answer=against_chance(scored(lines, (3, 4, 5)), 50),
        note=(
            "A clip can be decided if one of the frames that were sent shows it and its twin differently, by both"
            " trajectories. On clips that can't be decided, any accuracy above chance is a guess or a leak."
        ),
        empty="No run was shown frames of clips whose twins can be compared.",
        charts=(frames_chart(answerers, ceiling),) if ceiling else (),
    )


def _line(figures: dict[str, Any]) -> tuple[Value, ...]:
    by_moment, untold = figures["told"] or {}, figures["untold"] or {}
    shares = (figures["share"], figures["all"]["score"], *(by_moment.get(name) for name in ("score", "low", "high")))
    return (figures["n"], *per_cent(*shares, untold.get("score")))


Shares = Sequence[tuple[int, float]]  # number of frames, share from 0 to 1


def frames_chart(models: Mapping[str, Shares], ceiling: Shares) -> Chart:
    """A line for each of the best answerers, and one for the ceiling; frames are on a scale of powers of two."""
    best = sorted(models.items(), key=lambda one: -max((share for _frames, share in one[1]), default=0.0))
    curves = [("Decidable", ceiling), *best[: MOST - 1]]  # as many as there are looks
    rows = tuple((name, frames, round(100 * share, 1)) for name, shares in curves for frames, share in shares)
    most = max([64, *(frames for _name, shares in curves for frames, _share in shares)])
    title = "Accuracy by number of frames"
    return Chart(
        title=title,
        form=FREE,
        x=Axis(
            "Frames sent", 0, log2(most), tuple((float(power), str(2**power)) for power in range(9) if 2**power <= most)
        ),
        y=Axis("In per cent", 0, 100, PER_CENT, guess=50),
        traces=tuple(
            Trace(name, _points(shares), is_hollow=not place) for place, (name, shares) in enumerate(curves) if shares
        ),
        table=Table(title, ("Model or group", "Frames", "%"), rows),
        note="Decidable: the share of clips that differ from their twin in one of so many evenly spaced frames.",
        has_lines=True,
    )


def _points(shares: Shares) -> tuple[Point, ...]:
    return tuple(Point(log2(frames), 100 * share, f"{frames}: {100 * share:.1f} %") for frames, share in sorted(shares))


ANALYSIS = BoardAnalysis(
    name="same-eyes",
    title="Visible in the sampled frames",
    lede="Could the answer be seen in the frames that were sent? Nobody can be right about what was not shown.",
    view=partial(view_with, wanted=lambda one: one.by_moment),
    section=same_eyes_section,
    key=DECIDABLE,
    of_run=add_to_run,
    of_people=add_to_people,
    link=BoardLink(
        "Confidence",
        "Visible in the sampled frames",
        lambda view: has_strategy(view, lambda one: one.by_moment),
        ("pack",),
    ),
)
