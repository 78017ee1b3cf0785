"""Same eyes: accuracy on the clips whose twins differ in the frames that were sent."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from benchmarks.packs.truth.telling_frames import has_telling_frame, telling_spans
from evaluation.inputs.frames import wanted_frames
from leaderboard.analyses.same_eyes.figures import DECIDABLE
from leaderboard.board.assemble import BoardRow
from leaderboard.board.query import View
from leaderboard.comparison.report_section import ReportLine, ReportSection
from leaderboard.comparison.rows_apart import rows_holding
from leaderboard.exports.table import Value

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
    return sorted(_rows(view), key=lambda one: (one.row.name, one.prompting, one.frames, one.row.key))


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


def same_eyes_section(found: Sequence[SeenFrames]) -> ReportSection:
    """A line for each run: the decidable share, and accuracy on all, decidable and other clips."""
    return ReportSection(
        badge="same-eyes",
        title="Same eyes",
        heads=(
            *("Prompting", "Frames"),
            *("n", "Decidable from what was shown, %", "Accuracy, %"),
            *("Decidable only, %", "low", "high", "Not decidable, %"),
        ),
        lines=[ReportLine(one.row, (one.prompting, one.sampler), _line(one.figures)) for one in found],
        note=(
            "A clip can be decided if one of the frames that were sent shows it and its twin differently, by both"
            " trajectories. On clips that can't be decided, any accuracy above chance is a guess or a leak."
        ),
        empty="No run was shown frames of clips whose twins can be compared.",
    )


def _line(figures: dict[str, Any]) -> tuple[Value, ...]:
    by_moment, untold = figures["told"] or {}, figures["untold"] or {}
    shares = (figures["share"], figures["all"]["score"], *(by_moment.get(name) for name in ("score", "low", "high")))
    return (figures["n"], *(None if one is None else round(100 * one, 1) for one in (*shares, untold.get("score"))))
