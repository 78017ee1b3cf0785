"""Formats the numbers of a run."""

import json
from typing import Any


def share(value: float | None) -> str:
    """0.4961 as 49.6; a dash for a missing value."""
    return "–" if value is None else f"{100 * value:.1f}"


def points(value: float) -> str:
    """A difference of shares, 0.0125 as +1.3, with a true minus sign."""
    return f"{100 * value:+.1f}".replace("-", "−")


def chance_of_as_much(p: object) -> str:
    """A p-value with three decimals, "< 0.001" if smaller; a dash if there is none."""
    if not isinstance(p, float):
        return "–"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def duration(seconds: float | None) -> str:
    """Seconds as readable text."""
    if seconds is None:
        return "–"
    if seconds < 100:
        return f"{round(seconds)} second{'' if round(seconds) == 1 else 's'}"
    minutes = round(seconds / 60)
    return f"{minutes} minute{'' if minutes == 1 else 's'}" if minutes < 100 else f"{minutes / 60:.1f} hours"


def pretty(value: Any) -> str:
    """A value of the card: text unchanged, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
