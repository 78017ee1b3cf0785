"""Numbers in place of words: log-probabilities of the options, or the log-odds of the first against the second."""

import json
import math
from collections.abc import Sequence

from evaluation.parsing.likelihood import log_probs_in, written
from evaluation.parsing.surprise import surprises_in, surprises_written
from evaluation.submissions.files.rows import MARGIN, SURPRISE, AnswerRow
from measures.margins import NotLogProbabilities
from measures.moments import NOTHING_WRONG
from measures.surprise import NotSurprises


def numbers_of(row: AnswerRow, options: Sequence[str], seconds: float) -> str:
    """The row's numbers as the text of a reply; raises NotLogProbabilities or NotSurprises with the reason.

    `seconds` is the length of the item's clip, outside of which no window lies.
    """
    if row.kind != SURPRISE:
        return log_probs_of(row, options)
    surprises, times = surprises_in(row.text)
    if times and times[-1] > seconds:
        raise NotSurprises(f"time {len(times)}, {times[-1]:g} s, lies outside the clip, which lasts {seconds:.2f} s")
    return surprises_written(surprises, times)


def log_probs_of(row: AnswerRow, options: Sequence[str]) -> str:
    """The row's numbers as the text of a reply; raises NotLogProbabilities with the reason."""
    if row.kind != MARGIN:
        return written(log_probs_in(row.text, options))
    if len(options) != 2:
        raise NotLogProbabilities(f"a `margin` is for two options, and this item has {len(options)}: give `log_probs`")
    return written(dict(zip(options, _of_margin(json.loads(row.text)), strict=True)))


def _of_margin(margin: object) -> tuple[float, float]:
    if isinstance(margin, bool) or not isinstance(margin, int | float) or not math.isfinite(margin):
        raise NotLogProbabilities(f"`margin` is {str(margin)[:40]!r}, not a finite number")
    return -_softplus(-margin), -_softplus(margin)


def _softplus(value: float) -> float:
    """log(1 + exp(value)) without overflow."""
    return max(value, 0.0) + math.log1p(math.exp(-abs(value)))


def why_no_moment(text: str, moment: str | None, seconds: float) -> str:
    """What is wrong with this moment of a clip of so many seconds; '' if nothing is."""
    if moment is None and not text.isdecimal():  # of more figures than a moment has
        return f"{text[:40]!r} is neither a number of seconds nor `{NOTHING_WRONG}`"
    if moment != NOTHING_WRONG and float(moment or text) > seconds:
        return f"{(moment or text)[:40]} s lies outside the clip, which lasts {seconds:.2f} s"
    return ""
