"""A level's results on one axis from 0 to 100: people, models evaluated here, reported models and baselines in lanes.

Places across are per cent of the width, so that texts and marks keep their size on a phone; heights are pixels.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from leaderboard.board.board_row import BoardCell
from leaderboard.board.cell_display import score_text, spread
from leaderboard.board.overviews.level_results import LevelResults, PeopleGap, Result
from leaderboard.charts.chart import PER_CENT, point_of
from leaderboard.charts.rendering.drawing import Drawing, Label, Line, PointShape
from leaderboard.charts.rendering.looks import MARKS, PEOPLE

WHISKERS = 6  # models with a line of their own and an interval; further ones are packed dots
LINE, PACKED, NAME, LANE = 9, 8, 18, 14  # heights: a model's line, a packed row, a label, room around a lane
NEAR = 2.2  # per cent of the width: closer dots are moved apart
WIDE_GAP = 20.0  # points: a gap this wide has room for the word
LETTER = 7  # width of a letter
PHONE = 310  # pixels that the axis has on a phone: labels are cut to fit there
STROKE = 5  # half the height of a baseline's stroke


@dataclass
class Lanes:
    """The shapes drawn so far and the height that they take."""

    height: float = 4.0
    lines: list[Line] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    points: list[PointShape] = field(default_factory=list)

    def draw(self, cell: BoardCell, y: float, of: str, title: str, *, is_hollow: bool, is_thin: bool = False) -> None:
        """The interval and the mark of a figure of people or of a model; a rounded figure is a bar without a mark."""
        found = point_of(cell, y)
        if found.low is not None and found.high is not None:
            look = f"spread {of} thin" if is_thin else f"spread {of}"
            self.lines.append(Line(_at(max(0.0, found.low)), y, _at(min(100.0, found.high)), y, look))
        if found.range:
            low, high = map(_at, found.range)
            self.lines.append(Line(low, y, high, y, f"range {of}", title))
            return
        outline, look = MARKS[PEOPLE if of == "human" else "circle"], f"point {of}{' hollow' if is_hollow else ''}"
        self.points.append(PointShape(_at(found.x), y, outline, look, title))


def strip_of(results: LevelResults) -> Drawing:
    """The drawing of one level; x runs from 0 to 100."""
    lanes = Lanes()
    _people(lanes, results)
    _models(lanes, results)
    _reported(lanes, results)
    bottom, chance = lanes.height, results.chance
    grid = [Line(place, 4, place, bottom, "grid") for place, _text in PER_CENT]
    if chance is not None:
        grid.append(Line(_x(chance), 0, _x(chance), bottom, "guess"))
    ticks = list(ticks_of(chance, bottom + 14))
    lines, labels = (*grid, *lanes.lines), (*ticks, *lanes.labels)
    return Drawing("", "", 100, bottom + NAME, lines=lines, labels=labels, points=tuple(lanes.points))


def _x(share: float) -> float:
    return _at(100 * share)


def _at(value: float) -> float:
    return round(value, 2)


def ticks_of(chance: float | None, y: float) -> Iterator[Label]:
    """The axis numbers; numbers close to chance are left out to make room for its label."""
    at = None if chance is None else _x(chance)
    for place, text in PER_CENT:
        anchor = {0: "start", 100: "end"}.get(place, "middle")
        if at is None or abs(place - at) > 12:
            yield Label(place, y, f"{text} %" if place == 100 else text, anchor, "tick")
    if at is not None:
        yield Label(at, y, f"chance {at:.3g}", "middle", "tick")


def _people(lanes: Lanes, results: LevelResults) -> None:
    """People's lane: measured here filled, reported hollow, and the gap to the best model."""
    found = [one for one in (results.people_reported, results.people) if one]
    if not found:
        return
    y = 16.0
    if (gap := results.gap) and gap.stands and not (gap.people.cell.range or gap.model.cell.range):
        _gap(lanes, gap, y)
    for one in found:
        _draw(lanes, results, one, y, "human")
    first = found[-1]
    lanes.labels.append(_name(first, y + NAME + 1, "People", "human"))
    lanes.height = y + NAME + LANE


def _draw(lanes: Lanes, results: LevelResults, one: Result, y: float, of: str = "model", **how: bool) -> None:
    lanes.draw(one.cell, y, of, _title(results, one), is_hollow=one.row.kind.is_hollow, **how)


def _gap(lanes: Lanes, gap: PeopleGap, y: float) -> None:
    """A thin line from the best model to people with the gap in points."""
    points, people, model = abs(100 * gap.value), gap.people.share, gap.model.share
    lanes.lines += [Line(_x(model), y, _x(people), y, "gap"), Line(_x(model), y - 5, _x(model), y + 5, "gap")]
    text = f"{points:.1f} points" if points >= WIDE_GAP else f"{points:.1f}"
    if points >= 8:
        lanes.labels.append(Label(round(50 * (people + model), 2), y - 5, text, "middle", "human"))


def _models(lanes: Lanes, results: LevelResults) -> None:
    """Models of this site: the best with intervals, each on its line, the others as packed dots."""
    models = results.models
    if not models:
        return
    for model in models[:WHISKERS]:
        y = lanes.height + LINE
        _draw(lanes, results, model, y)
        lanes.height = y
    _packed(lanes, results, models[WHISKERS:])
    _best(lanes, models[0], models[0].name)


def _reported(lanes: Lanes, results: LevelResults) -> None:
    """Reported models hollow and packed, baselines as short strokes in the same lane."""
    rows = [*results.reported, *results.by_test]
    if not rows and not results.baselines:
        return
    middle = _packed(lanes, results, rows)
    for baseline in results.baselines:
        if baseline.cell.range:
            _draw(lanes, results, baseline, middle)
        else:
            x = _x(baseline.share)
            lanes.lines.append(Line(x, middle - STROKE, x, middle + STROKE, "base"))
    lanes.height = max(lanes.height, middle + STROKE)
    if rows:
        best = rows[0]
        _best(lanes, best, f"{best.test_title}, {best.name}" if best.test else best.name)
    lanes.height += 0 if rows else LANE - 4


def _packed(lanes: Lanes, results: LevelResults, lane: Sequence[Result]) -> float:
    """Dots beside each other, moved up and down where they would overlap; returns the lane's middle."""
    places = _stacked([_x(one.share) for one in lane])
    rise = PACKED * -min(places, default=0)
    middle = lanes.height + LANE + rise
    for one, place in zip(lane, places, strict=True):
        _draw(lanes, results, one, middle + PACKED * place, is_thin=True)
    lanes.height = middle + PACKED * max(places, default=0)
    return middle


def _stacked(across: Sequence[float]) -> list[int]:
    """A row for each place, 0 in the middle, then 1, -1, 2, …, so that none is nearer than NEAR in its row."""
    rows: dict[int, list[float]] = {}
    found = []
    for x in across:
        row = next(row for row in _outwards() if all(abs(x - other) >= NEAR for other in rows.get(row, ())))
        rows.setdefault(row, []).append(x)
        found.append(row)
    return found


def _outwards() -> Iterator[int]:
    yield 0
    step = 1
    while True:
        yield from (step, -step)
        step += 1


def _best(lanes: Lanes, one: Result, name: str) -> None:
    lanes.labels.append(_name(one, lanes.height + NAME, name, ""))
    lanes.height += NAME + LANE - 4


def _name(one: Result, y: float, name: str, look: str) -> Label:
    """A label with name and figure; it ends at its mark in the right half of the axis and begins there in the left."""
    anchor, whole = "end" if one.share > 0.5 else "start", f"{name} {one.figure}"
    room = PHONE * max(one.share, 1 - one.share) - LETTER * (len(one.figure) + 1)
    longest = int(room / LETTER)
    name = name if len(name) <= longest else name[: longest - 1].rstrip(" ,") + "…"
    return Label(_x(one.share), y, f"{name} {one.figure}", anchor, look, whole=whole)


def _title(results: LevelResults, one: Result) -> str:
    leader = None if one.test else results.leaders.of(one.row)
    words = f"{leader.words}: " if leader else ""
    ends = spread(one.cell.low, one.cell.high)
    test = f", {one.test_title}" if one.test else ""
    source = "" if one.row.kind.is_ours else f", {one.source}"
    return f"{words}{one.name}{test}: {one.figure}{ends and f' ({ends})'}{source}"


PEOPLE_AT, MODEL_AT, BOTTOM, TICKS = 12, 32, 44, 16  # heights of the lanes, the axis and the room of its numbers


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
    both = ((people, PEOPLE_AT, "human", are_people_reported), (model, MODEL_AT, "model", is_model_reported))
    for cell, y, of, is_hollow in both:
        if cell is None or cell.share is None:
            continue
        x, text = round(100 * cell.share, 2), cell.published_text or score_text(cell)
        lanes.draw(cell, y, of, text, is_hollow=is_hollow)
        lanes.labels.append(_beside(cell, x, y + 4, text, "human" if of == "human" else ""))
    height = BOTTOM + TICKS + 2
    return Drawing("", "", 100, height, (), tuple(lanes.lines), tuple(lanes.labels), tuple(lanes.points))


def _beside(cell: BoardCell, x: float, y: float, text: str, look: str) -> Label:
    """The figure beside its interval, on the side with more room."""
    low, high = (x if end is None else 100 * end for end in (cell.low, cell.high))
    return Label(low - 3, y, text, "end", look) if low > 100 - high else Label(high + 3, y, text, "start", look)
