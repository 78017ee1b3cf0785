"""The times at which a generated clip violates physics, and at which a viewer can first know."""

from collections.abc import Mapping
from typing import Any

from measures.scores.moment_answers import Window


def window_of(facts: Mapping[str, Any]) -> Window | None:
    """The time window in a clip's facts; None for a clip without a violation or without known times."""
    violating, knowable = facts.get("first_violation"), facts.get("first_knowable")
    if not violating or not knowable:
        return None
    return Window(float(violating["seconds"]), float(knowable["seconds"]))
