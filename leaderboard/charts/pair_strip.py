"""People and one model on an axis from 0 to 100, each in a lane; made like a level's strip."""

from leaderboard.board.assemble import BoardCell
from leaderboard.board.cell_display import percent
from leaderboard.board.level_results import share_of
from leaderboard.charts.chart import PER_CENT
from leaderboard.charts.drawing import Drawing, Label, Line, PointShape
from leaderboard.charts.level_strip import ticks_of
from leaderboard.charts.looks import MARKS

PEOPLE, MODEL, BOTTOM, TICKS = 12, 32, 44, 16  # heights of the lanes, the axis and the room of its numbers


def pair_strip(
    people: BoardCell | None,
    model: BoardCell | None,
    chance: float | None,
    *,
    are_people_reported: bool = False,
    is_model_reported: bool = False,
) -> Drawing:
    """The drawing of one figure of people and one of a model; x runs from 0 to 100."""
    lines = [Line(place, 4, place, BOTTOM, "grid") for place, _text in PER_CENT]
    if chance is not None:
        lines.append(Line(100 * chance, 0, 100 * chance, BOTTOM, "guess"))
    marks: list[PointShape] = []
    labels = list(ticks_of(chance, BOTTOM + TICKS - 2))
    lanes = (
        (people, PEOPLE, "human", "diamond", are_people_reported),
        (model, MODEL, "model", "circle", is_model_reported),
    )
    for cell, y, look, mark, is_hollow in lanes:
        share = share_of(cell) if cell else None
        if cell is None or share is None:
            continue
        x, text = round(100 * share, 2), cell.published_text or percent(share)
        if cell.low is not None and cell.high is not None:
            lines.append(Line(100 * max(0.0, cell.low), y, 100 * min(1.0, cell.high), y, f"spread {look}"))
        marks.append(PointShape(x, y, MARKS[mark], f"point {look}{' hollow' if is_hollow else ''}", text))
        labels.append(_label(cell, x, y + 4, text, "human" if look == "human" else ""))
    return Drawing("", "", 100, BOTTOM + TICKS + 2, lines=tuple(lines), labels=tuple(labels), points=tuple(marks))


def _label(cell: BoardCell, x: float, y: float, text: str, look: str) -> Label:
    """The figure beside its interval, on the side with more room."""
    low, high = (x if end is None else 100 * end for end in (cell.low, cell.high))
    return Label(low - 3, y, text, "end", look) if low > 100 - high else Label(high + 3, y, text, "start", look)
