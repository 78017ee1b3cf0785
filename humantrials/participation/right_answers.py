"""The right answer to a practice clip, which is shown once somebody has answered it."""

from benchmarks.models import Item
from benchmarks.packs.violation_times import window_of
from humantrials.protocols.protocol import Protocol, Text
from measures.moments import NOTHING_WRONG, Window


def right_answer(protocol: Protocol, item: Item) -> Text:
    """The words of the right answer; "" where there is none, or its moment is not known."""
    if not protocol.player.has_moments:
        return protocol.player.label(item.expected) if item.expected else ""
    if item.expected == "yes":
        return protocol.player.label(NOTHING_WRONG)
    window = _window(item)
    return protocol.player.label(f"{window.knowable:g}") if window else ""


def is_right(protocol: Protocol, item: Item, answer: str) -> bool:
    if not protocol.player.has_moments or item.expected == "yes":
        return answer == (NOTHING_WRONG if protocol.player.has_moments else item.expected)
    window = _window(item)
    return window is not None and answer != NOTHING_WRONG and window.holds(float(answer))


def _window(item: Item) -> Window | None:
    return window_of(item.clip.facts) if item.clip else None
