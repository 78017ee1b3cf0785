"""The share of a run's responses whose frames can decide the answer, and the accuracy on these.

Stored with the standings of runs on frames of Level-2 clips whose twins can be compared.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.disclosure import PUBLIC, Fact, open_to, with_expected
from benchmarks.encoding.frames import evenly_spaced
from benchmarks.packs.item_arrays import PackFacts
from benchmarks.packs.truth.telling_frames import has_telling_frame, telling_spans
from evaluation.models import Run, RunKind, Score
from humantrials.models import Trial
from humantrials.protocols import find_protocol
from humantrials.protocols.stills import stills_wanted
from humantrials.results.judgments import judgments
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
    for one in judgments(trial, condition):
        clip, frames, fps, expected = clips.get(one.item_id, (None, 0, 0.0, None))
        if clip in spans and frames and fps and facts.is_askable[int(facts.places(np.array([one.item_id]))[0])]:
            times = [place / fps for place in evenly_spaced(count, range(frames))]
            known.append((clip, has_telling_frame(times, spans[clip]), exact_match(one.answer, expected)))
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
