"""Log-probabilities of an item's options as an answer: checked, their likeliest option, and their margin.

A *margin* is the log-odds of an item's first option (yes) against its second: log p(yes) - log p(no). Above 0 the
answer is yes.
"""

import math
from collections.abc import Mapping, Sequence

SLACK = 1e-6  # a log-probability up to this far above 0 is a rounding error


class NotLogProbabilities(ValueError):
    """These numbers can't be log-probabilities of the options; the message says which and why."""


def checked_log_probs(answer: Mapping[str, object], options: Sequence[str]) -> dict[str, float]:
    """One log-probability per option, in their order; raises NotLogProbabilities."""
    names = {str(name).strip().casefold(): value for name, value in answer.items()}
    found = {}
    for option in options:
        value = names.pop(option.casefold(), None)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise NotLogProbabilities(f"no log-probability of {option!r}")
        found[option] = _log_probability(option, float(value))
    if names:
        raise NotLogProbabilities(f"{min(names)[:40]!r} is none of the options {', '.join(options)}")
    return found


def _log_probability(option: str, value: float) -> float:
    if not math.isfinite(value):
        raise NotLogProbabilities(f"the log-probability of {option!r} is {value}, not a finite number")
    if value > SLACK:
        raise NotLogProbabilities(f"the log-probability of {option!r} is {value:g}: at most 0")
    return min(value, 0.0)


def margin_of(log_probs: Mapping[str, float]) -> float | None:
    """Log-odds of the first option against the second; None unless there are exactly two."""
    values = list(log_probs.values())
    return values[0] - values[1] if len(values) == 2 else None


def most_likely(log_probs: Mapping[str, float]) -> str | None:
    """The option with the highest log-probability; None if several share it."""
    best = max(log_probs.values(), default=0.0)
    winners = [option for option, value in log_probs.items() if value == best]
    return winners[0] if len(winners) == 1 else None
