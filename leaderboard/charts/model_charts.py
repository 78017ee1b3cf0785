"""Charts of one model: its figures beside people's, and all models of a level by size or by cost."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import ceil, floor, log10

from leaderboard.board.overviews.level_results import LevelResults, Result
from leaderboard.charts.chart import ACROSS, FREE, PER_CENT, Axis, Chart, Point, Trace, point_of
from leaderboard.exports.table import Table, Value, cell_in_per_cent, in_per_cent

SIZES = ((1e6, "1M"), (1e7, "10M"), (1e8, "100M"), (1e9, "1B"), (1e10, "10B"), (1e11, "100B"), (1e12, "1T"))
NUMBER = re.compile(r"(\d+(?:\.\d+)?)\s*([KMBT])?\b", re.IGNORECASE)
UNITS = {"": 1.0, "K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
WITH_UNIT = re.compile(r"(?<![\w.])\d+(?:\.\d+)? ?[KMBT]\b")  # in a name: "LLaVA-7B", but not "GPT-4"
LEAST = 3  # the least number of models with a size or a cost for a chart


def parameters_in(text: str) -> float | None:
    """The largest number of parameters in a card's text ("7B", "0.5 B of 3 B trained"); None if there is none."""
    found = [float(number) * UNITS[unit.upper()] for number, unit in NUMBER.findall(text)]
    return max(found, default=None)


def size_in(name: str) -> str:
    """The number of parameters that a model's name states, "" if it states none."""
    found = WITH_UNIT.search(name)
    return found[0] if found else ""


def profile_of_model(name: str, levels: Sequence[LevelResults]) -> Chart:
    """People and the model on each level, with intervals where they were measured here."""
    places = [(place, one) for place, one in enumerate(levels)]
    people = [(place, found) for place, one in places if (found := one.people or one.people_reported)]
    own = [(place, found) for place, one in places for found in (*one.models[:1], *one.reported[:1], *one.by_test[:1])]
    measured = [(place, one) for place, one in own if one.row.kind.is_ours]
    reported = [(place, one) for place, one in own if not one.row.kind.is_ours]
    titles = tuple((place, level_title(one)) for place, one in places)
    rows: list[tuple[Value, ...]] = [
        (title, one.name, _value(one), in_per_cent(one.cell.low), in_per_cent(one.cell.high))
        for place, title in titles
        for at, one in (*people, *own)
        if at == place
    ]
    traces = (
        Trace("People", _points(people), of_people=True),
        Trace(name, _points(measured)),
        Trace(f"{name}, reported", _points(reported), is_hollow=True),
    )
    return Chart(
        title=f"{name} against people",
        form=ACROSS,
        x=Axis("In per cent", 0, 100, PER_CENT),
        y=Axis("", -0.5, len(levels) - 0.5, titles),
        traces=tuple(trace for trace in traces if trace.points),
        table=Table(f"{name} against people", ("Level", "Who", "%", "low", "high"), tuple(rows)),
        note="Lines are 95 % intervals; hollow marks are reported in papers.",
    )


def level_title(one: LevelResults) -> str:
    return ", ".join(filter(None, (one.benchmark.title, one.view.level.title, one.split_title)))


def _points(found: Iterable[tuple[int, Result]]) -> tuple[Point, ...]:
    return tuple(point_of(one.cell, place) for place, one in found)


def _value(one: Result) -> Value:
    return one.figure if one.cell.score is None else cell_in_per_cent(one.cell)


def size_chart(name: str, link: str, level: LevelResults) -> Chart | None:
    """Parameters on a log scale against the score of every model of the level whose size is known."""
    every = [(size, one) for one in (*level.models, *level.reported) if (size := parameters_in(one.row.parameters))]
    title = f"Size against score: {level_title(level)}"
    return _scatter(title, "Parameters", name, link, every, level, SIZES)


def cost_chart(name: str, link: str, level: LevelResults, costs: Mapping[str, float]) -> Chart | None:
    """Cost of a question on a log scale against the score; `costs` by the key of the row."""
    every = [(cost, model) for model in level.models if (cost := costs.get(model.row.key))]
    ticks = tuple((10.0**power, f"{10.0**power:g}") for power in range(-7, 4))
    title = f"Cost against score: {level_title(level)}"
    return _scatter(title, "Cost of a question, in the units of the card's prices", name, link, every, level, ticks)


def _scatter(
    title: str,
    across: str,
    name: str,
    link: str,
    every: Sequence[tuple[float, Result]],
    level: LevelResults,
    ticks: Sequence[tuple[float, str]],
) -> Chart | None:
    """One model's points and the others', on a log scale; None with too few models to compare."""
    if len({one.name for _x, one in every}) < LEAST or not any(one.row.model_link == link for _x, one in every):
        return None
    own = [one for one in every if one[1].row.model_link == link]
    others = [one for one in every if one[1].row.model_link != link]
    measured, reported = ([one for one in others if one[1].row.kind.is_ours == ours] for ours in (True, False))
    traces = (
        Trace(name, _on_log_scale(own)),
        Trace("Other models", _on_log_scale(measured)),
        Trace("Other models, reported", _on_log_scale(reported), is_hollow=True),
    )
    rows = tuple((", ".join(filter(None, (one.name, one.strategy))), value, _value(one)) for value, one in every)
    guess = None if level.chance is None else 100 * level.chance
    return Chart(
        title=title,
        form=FREE,
        x=_log_axis(across, [value for value, _one in every], ticks),
        y=Axis("In per cent", 0, 100, PER_CENT, guess),
        traces=tuple(trace for trace in traces if trace.points),
        table=Table(title, ("Model", across, "%"), rows),
        note="A log scale; hollow marks are reported in papers.",
    )


def _on_log_scale(found: Iterable[tuple[float, Result]]) -> tuple[Point, ...]:
    points = (point_of(one.cell, log10(value), one.name, is_upright=True) for value, one in found)
    return tuple(replace(point, low=None, high=None) for point in points)


def _log_axis(title: str, values: Sequence[float], ticks: Sequence[tuple[float, str]]) -> Axis:
    """A log axis from the power of ten below the values to the one above."""
    low, high = floor(log10(min(values)) - 0.01), ceil(log10(max(values)) + 0.01)
    return Axis(title, low, high, tuple((log10(at), text) for at, text in ticks if low <= log10(at) <= high))
