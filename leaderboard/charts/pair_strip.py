"""People and one model on an axis from 0 to 100, each in a lane; made like a level's strip."""

from leaderboard.board.assemble import BoardCell
from leaderboard.board.cell_display import score_text
from leaderboard.charts.chart import PER_CENT
from leaderboard.charts.level_strip import Lanes, ticks_of
from leaderboard.charts.rendering.drawing import Drawing, Label, Line

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
    lanes = Lanes(lines=[Line(place, 4, place, BOTTOM, "grid") for place, _text in PER_CENT])
    if chance is not None:
        lanes.lines.append(Line(100 * chance, 0, 100 * chance, BOTTOM, "guess"))
    lanes.labels += ticks_of(chance, BOTTOM + TICKS - 2)
    both = ((people, PEOPLE, "human", are_people_reported), (model, MODEL, "model", is_model_reported))
    for cell, y, of, is_hollow in both:
        if cell is None or cell.share is None:
            continue
        x, text = round(100 * cell.share, 2), cell.published_text or score_text(cell)
        lanes.draw(cell, y, of, text, is_hollow=is_hollow)
        lanes.labels.append(_label(cell, x, y + 4, text, "human" if of == "human" else ""))
    height = BOTTOM + TICKS + 2
    return Drawing("", "", 100, height, (), tuple(lanes.lines), tuple(lanes.labels), tuple(lanes.points))


def _label(cell: BoardCell, x: float, y: float, text: str, look: str) -> Label:
    """The figure beside its interval, on the side with more room."""
    low, high = (x if end is None else 100 * end for end in (cell.low, cell.high))
    return Label(low - 3, y, text, "end", look) if low > 100 - high else Label(high + 3, y, text, "start", look)
