"""Charts of one model: its figures beside people's, and all models of a level by size or by cost."""

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor, log10

from django.utils.translation import gettext as _

from leaderboard.board.level_results import LevelResults, Result
from leaderboard.board.row_matches import parameters_in
from leaderboard.charts.chart import ACROSS, FREE, PER_CENT, Axis, Chart, Point, Trace
from leaderboard.exports.table import Table, Value

SIZES = ((1e6, "1M"), (1e7, "10M"), (1e8, "100M"), (1e9, "1B"), (1e10, "10B"), (1e11, "100B"), (1e12, "1T"))
LEAST = 3  # the least number of models with a size or a cost for a chart


def profile_of_model(name: str, levels: Sequence[LevelResults]) -> Chart:
    """People and the model on each level, with intervals where they were measured here."""
    places = [(place, one) for place, one in enumerate(levels)]
    people = [(place, found) for place, one in places if (found := one.people or one.people_reported)]
    own = [(place, found) for place, one in places for found in (*one.models[:1], *one.reported[:1], *one.by_test[:1])]
    measured = [(place, one) for place, one in own if one.row.kind != "published"]
    reported = [(place, one) for place, one in own if one.row.kind == "published"]
    titles = tuple((place, level_title(one)) for place, one in places)
    rows: list[tuple[Value, ...]] = [
        (title, one.name, one.share * 100, one.low and 100 * one.low, one.high and 100 * one.high)
        for place, title in titles
        for at, one in (*people, *own)
        if at == place
    ]
    traces = (
        Trace(_("People"), _points(people), of_people=True),
        Trace(name, _points(measured)),
        Trace(_("%(name)s, reported") % {"name": name}, _points(reported), is_hollow=True),
    )
    return Chart(
        title=_("%(name)s against people") % {"name": name},
        form=ACROSS,
        x=Axis(_("In per cent"), 0, 100, PER_CENT),
        y=Axis("", -0.5, len(levels) - 0.5, titles),
        traces=tuple(trace for trace in traces if trace.points),
        table=Table(
            _("%(name)s against people") % {"name": name}, (_("Level"), _("Who"), "%", _("low"), _("high")), tuple(rows)
        ),
        note=_("Lines are 95 % intervals; hollow marks are reported in papers."),
    )


def level_title(one: LevelResults) -> str:
    return ", ".join(filter(None, (one.benchmark.title, one.view.level.title, one.split_title)))


def _points(found: Iterable[tuple[int, Result]]) -> tuple[Point, ...]:
    return tuple(
        Point(100 * one.share, place, f"{one.figure} %", _per_cent(one.low), _per_cent(one.high))
        for place, one in found
    )


def _per_cent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def size_chart(name: str, link: str, level: LevelResults) -> Chart | None:
    """Parameters on a log scale against the score of every model of the level whose size is known."""
    every = [(size, one) for one in (*level.models, *level.reported) if (size := parameters_in(one.row.parameters))]
    title = _("Size against score: %(level)s") % {"level": level_title(level)}
    return _scatter(title, _("Parameters"), name, link, every, level, SIZES)


def cost_chart(name: str, link: str, level: LevelResults, costs: Mapping[str, float]) -> Chart | None:
    """Cost of a question on a log scale against the score; `costs` by the key of the row."""
    every = [(cost, one) for one in level.models if (cost := costs.get(one.row.key))]
    ticks = tuple((10.0**power, f"{10.0**power:g}") for power in range(-7, 4))
    title = _("Cost against score: %(level)s") % {"level": level_title(level)}
    return _scatter(title, _("Cost of a question, in the units of the card's prices"), name, link, every, level, ticks)


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
    measured = [one for one in others if one[1].row.kind != "published"]
    reported = [one for one in others if one[1].row.kind == "published"]
    traces = (
        Trace(name, _on_log_scale(own)),
        Trace(_("Other models"), _on_log_scale(measured)),
        Trace(_("Other models, reported"), _on_log_scale(reported), is_hollow=True),
    )
    rows = tuple((", ".join(filter(None, (one.name, one.strategy))), value, 100 * one.share) for value, one in every)
    guess = None if level.chance is None else 100 * level.chance
    return Chart(
        title=title,
        form=FREE,
        x=_log_axis(across, [value for value, _one in every], ticks),
        y=Axis(_("In per cent"), 0, 100, PER_CENT, guess),
        traces=tuple(trace for trace in traces if trace.points),
        table=Table(title, (_("Model"), across, "%"), rows),
        note=_("A log scale; hollow marks are reported in papers."),
    )


def _on_log_scale(found: Iterable[tuple[float, Result]]) -> tuple[Point, ...]:
    return tuple(Point(log10(value), 100 * one.share, f"{one.name} {one.figure} %") for value, one in found)


def _log_axis(title: str, values: Sequence[float], ticks: Sequence[tuple[float, str]]) -> Axis:
    """A log axis from the power of ten below the values to the one above."""
    low, high = floor(log10(min(values)) - 0.01), ceil(log10(max(values)) + 0.01)
    return Axis(title, low, high, tuple((log10(at), text) for at, text in ticks if low <= log10(at) <= high))
