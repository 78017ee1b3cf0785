"""Could it be told from what was shown? The share of a run's responses that saw a telling frame, and accuracy on those.

Stored with the standings of runs that were shown frames of Level-2 clips whose twins can be compared.
"""

from typing import Any

import numpy as np

from benchmarks.packs.telling_frames import has_telling_frame, telling_spans
from evaluation.models import Run, RunKind, Score
from leaderboard.standings.item_arrays import PackFacts
from measures.intervals import clustered

DECIDABLE = "decidable"  # of a stored overall cell
DIGITS = 6


def decidable_of(run: Run, facts: PackFacts) -> dict[str, Any] | None:
    """Figures over the public answers of a run; None if it was shown no frames or its clips can't be compared."""
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


def _figures(known: list[tuple[int, bool, float]]) -> dict[str, Any]:
    told = [row for row in known if row[1]]
    untold = [row for row in known if not row[1]]
    return {
        "n": len(known),
        "share": round(len(told) / len(known), DIGITS),
        "all": _accuracy(known),
        "told": _accuracy(told),
        "untold": _accuracy(untold),
    }


def _accuracy(rows: list[tuple[int, bool, float]]) -> dict[str, Any] | None:
    if not rows:
        return None
    values = [value for _clip, _told, value in rows]
    ends = clustered(values, np.array([clip for clip, _told, _value in rows]))
    return {
        "n": len(rows),
        "score": round(sum(values) / len(rows), DIGITS),
        "low": round(ends.low, DIGITS),
        "high": round(ends.high, DIGITS),
    }
