"""Formats the numbers of a run."""

import json
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext


def share(value: float | None) -> str:
    """0.4961 as 49.6; a dash for a missing value."""
    return "–" if value is None else f"{100 * value:.1f}"


def points(value: float) -> str:
    """A difference of shares, 0.0125 as +1.3, with a true minus sign."""
    return f"{100 * value:+.1f}".replace("-", "−")


def duration(seconds: float | None) -> str:
    """Seconds as readable text."""
    if seconds is None:
        return "–"
    if seconds < 100:
        return ngettext("%d second", "%d seconds", round(seconds)) % round(seconds)
    minutes = round(seconds / 60)
    return ngettext("%d minute", "%d minutes", minutes) % minutes if minutes < 100 else _("%.1f hours") % (minutes / 60)


def pretty(value: Any) -> str:
    """A value of the card: text unchanged, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
