"""The one drawing of scores with intervals: people and models on an axis from 0 to 100, as an SVG without a viewBox.

Places across are per cent of the width, so that texts and marks keep their size at any width. Tables repeat the
numbers: screen readers pass the drawing by.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

GRID = (0, 25, 50, 75, 100)
RADIUS = 5.5  # px, of a circle; half the width of a diamond
PX_A_LETTER, NARROWEST = 7.4, 310  # of a label's text; the axis on a phone
ROOM = 13  # px between a mark and its label
LONGEST = 24  # letters of a label


@dataclass(frozen=True)
class StripPoint:
    """One figure in per cent: a diamond of people or a circle of a model.

    `look`: "" measured here, "hollow" reported or uploaded, "sim" simulated people, "base" a baseline, "f1" to "f3"
    models told apart by colour. A rounded
    figure (`is_range`) is a bar from `low` to `high` without a mark.
    """

    at: float
    low: float | None = None
    high: float | None = None
    is_people: bool = False
    look: str = ""
    label: str = ""
    is_range: bool = False

    @property
    def whisker(self) -> str:
        """The CSS class of its interval."""
        if self.look[:1] == "f":  # a model told apart by its colour
            return f"w{self.look[1:]}"
        return "ws" if self.look in ("sim", "base") else "wp" if self.is_people else "wm"


def strip(
    marks: Sequence[StripPoint],
    chance: float | None = None,
    *,
    joins: bool = False,
    has_grid: bool = True,
    is_apart: bool = False,
    look: str = "",
) -> SafeString:
    """Draw the figures of one row; `joins` leads a line from the first to the last, where the gap stands.

    Marks lie on one line if no two intervals would cover each other, otherwise on lines of their own, always if
    `is_apart`.
    """
    lanes, grid = _lines_apart(len(marks)) if is_apart else _lanes(marks), GRID if has_grid else ()
    parts = [format_html_join("", '<line class="grid" x1="{0}%" x2="{0}%" y1="0" y2="100%"/>', ((at,) for at in grid))]
    if chance is not None:
        parts.append(format_html('<line class="ch" x1="{0}%" x2="{0}%" y1="0" y2="100%"/>', round(chance, 2)))
    if joins and len(marks) > 1:
        parts.append(_line("gap", marks[0].at, marks[-1].at, 50))
    for mark, lane in zip(marks, lanes, strict=True):
        if mark.low is not None and mark.high is not None:
            whisker = f"{mark.whisker}{' range' if mark.is_range else ''}"
            parts.append(_line(whisker, max(0.0, mark.low), min(100.0, mark.high), lane))
    for mark, lane in zip(marks, lanes, strict=True):
        parts += _shapes(mark, lane, [other.at for other in marks if other is not mark])
    classes, body = f"strip {look}".strip(), mark_safe("".join(parts))  # noqa: S308  # escaped above # nosec B308, B703
    return format_html('<svg class="{}" aria-hidden="true">{}</svg>', classes, body)


def _lines_apart(count: int) -> list[float]:
    """Heights of so many lines that fill the strip."""
    return [round(100 * (place + 0.5) / count, 1) for place in range(count)]


def _lanes(marks: Sequence[StripPoint]) -> list[float]:
    """Heights of the marks in per cent of the strip's."""
    if sum(mark.low is not None for mark in marks) < 2:
        return [50.0] * len(marks)
    return [round(100 * (place + 0.5) / len(marks) * 0.72 + 14, 1) for place in range(len(marks))]


def _line(look: str, start: float, end: float, lane: float) -> SafeString:
    first, last = round(start, 2), round(end, 2)
    return format_html('<line class="{0}" x1="{1}%" x2="{2}%" y1="{3}%" y2="{3}%"/>', look, first, last, lane)


def _shapes(mark: StripPoint, lane: float, others: Sequence[float]) -> Iterator[SafeString]:
    at = round(mark.at, 2)
    if mark.label:
        is_after = label_is_after(mark, others)
        side, gap, text = ("after", ROOM, mark.label) if is_after else ("", -ROOM, mark.label)
        text = text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
        label = '<svg x="{}%" y="{}%" overflow="visible"><text class="lab {}" x="{}" dy=".34em">{}</text></svg>'
        yield format_html(label, at, lane, side, gap, text)
    if mark.is_range:
        return
    if mark.is_people:
        path = f"M0-{RADIUS}L{RADIUS} 0 0 {RADIUS}-{RADIUS} 0Z"
        diamond = '<svg x="{}%" y="{}%" overflow="visible"><path class="p {}" d="{}"/></svg>'
        yield format_html(diamond, at, lane, mark.look, path)
    else:
        yield format_html('<circle class="m {}" cx="{}%" cy="{}%" r="{}"/>', mark.look, at, lane, RADIUS)


def label_is_after(mark: StripPoint, others: Sequence[float]) -> bool:
    """Whether its label stands at its right: where the axis has room on a phone, and no other mark lies under it."""
    width = 100 * (min(len(mark.label), LONGEST) * PX_A_LETTER + ROOM) / NARROWEST
    has_room = mark.at - width >= 0, mark.at + width <= 100
    is_free = (
        not any(mark.at - width <= other < mark.at for other in others),
        not any(mark.at < other <= mark.at + width for other in others),
    )
    before, after = (2 * room + free for room, free in zip(has_room, is_free, strict=True))
    return after > before
