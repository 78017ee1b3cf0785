"""Page of trainings: those that run now, and the loss by step of each model beside its other seeds, as charts."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, log10
from statistics import fmean

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from evaluation.models import Model
from extensions.training.progress import Curve, OngoingTraining, TrainingPart, curves_of, ongoing
from leaderboard.charts.chart import FREE, MOST, PER_CENT, Axis, Chart, Point, Trace
from leaderboard.charts.rendering.drawing import page_drawing_of
from leaderboard.charts.rendering.shapes import Drawing
from leaderboard.exports.table import Table

MOST_POINTS = 60  # points of a curve, each the mean of a stretch
STEPS = (1, 2, 2.5, 5, 10)  # of ticks, times a power of ten
TICKS = 5  # at most, without 0


@dataclass(frozen=True)
class LossCurve:
    """The loss by step of one training under its model's name; `total` is the maximum number of steps."""

    name: str
    losses: Sequence[tuple[int, float]]
    total: int
    is_running: bool = False


def loss_chart(title: str, curves: Sequence[LossCurve]) -> Chart:
    """The curves as lines on one pair of axes; running ones are hollow at their end."""
    displayed = curves[:MOST]
    plotted = [(one, thinned(one.losses)) for one in displayed]
    return Chart(
        title=title,
        form=FREE,
        x=_steps_axis(max(one.total for one in displayed)),
        y=_axis("Loss", max(loss for _one, points in plotted for _step, loss in points)),
        traces=tuple(
            Trace(
                one.name,
                tuple(Point(step, loss, _step_label(step, loss)) for step, loss in points),
                is_hollow=one.is_running,
            )
            for one, points in plotted
        ),
        table=_table(title, plotted),
        note=f"The first {MOST} of {len(curves)} are drawn." if len(curves) > MOST else "",
        has_lines=True,
        has_points=False,
    )


def curve_charts(name: str, curve: Curve) -> tuple[Chart, ...]:
    """A model's loss by step, with the numbers as its table, and its checks during the training if it made any."""
    heads = ("Step", "Loss", *([measured_in(curve)] if curve.checks else []))
    rows = tuple(
        (f"{step:,}", f"{loss:.3f}", *([_share(check)] if curve.checks else [])) for step, loss, check in curve.rows
    )
    title = "Loss over the steps of training"
    losses = replace(loss_chart(title, [LossCurve(name, curve.loss, curve.steps)]), table=Table(title, heads, rows))
    return (losses, _checks_chart(name, curve)) if curve.checks else (losses,)


def measured_in(curve: Curve) -> str:
    """What the checks measured: "Accuracy on easy-validation"."""
    return curve.measured[:1].upper() + curve.measured[1:]


def _checks_chart(name: str, curve: Curve) -> Chart:
    points = tuple(Point(step, 100 * share, _step_label(step, share)) for step, share in curve.checks)
    return Chart(
        title=measured_in(curve),
        form=FREE,
        x=_steps_axis(curve.steps),
        y=Axis(f"{measured_in(curve)}, %", 0, 100, PER_CENT),
        traces=(Trace(name, points),),
        table=Table(curve.measured, (), ()),
        has_lines=True,
    )


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"


def thinned(losses: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
    """At most SHOWN points: the last step of each stretch and the mean of its losses."""
    width = ceil(len(losses) / MOST_POINTS) or 1
    parts = (losses[first : first + width] for first in range(0, len(losses), width))
    return [(part[-1][0], fmean(loss for _, loss in part)) for part in parts]


def _step_label(step: float, loss: float) -> str:
    return f"step {step:,}: {loss:.3f}"


def _steps_axis(total: int) -> Axis:
    return _axis("Step", total, is_whole=True)


def _axis(title: str, high: float, *, is_whole: bool = False) -> Axis:
    """An axis from 0 to the first tick at or above the highest value; ticks of steps are whole numbers."""
    step = _step(high or 1.0, is_whole=is_whole)
    count = max(1, ceil(round(high / step, 6)))
    return Axis(title, 0, count * step, tuple((place * step, f"{place * step:,.10g}") for place in range(count + 1)))


def _step(high: float, *, is_whole: bool) -> float:
    """The smallest round step with which TICKS ticks reach the highest value."""
    power = 10.0 ** floor(log10(high / TICKS))
    steps = (step * power for step in STEPS if not is_whole or (step * power).is_integer())
    return next(step for step in steps if step * TICKS >= high * (1 - 1e-9))


def _table(title: str, plotted: Sequence[tuple[LossCurve, list[tuple[int, float]]]]) -> Table:
    rows = tuple(
        (one.name, f"{points[-1][0]:,} of {one.total:,}", f"{points[0][1]:.3f}", f"{points[-1][1]:.3f}")
        for one, points in plotted
    )
    return Table(title, ("Training", "Steps", "Loss at first", "Loss at last"), rows)


Key = tuple[str, str]  # slug with seed 0, and setting of the part ('' if there is only one)


@dataclass(frozen=True)
class TrainingFigure:
    """One chart of the page, its drawing, and whether one of its trainings runs."""

    badge: str  # of the drawing's ids
    chart: Chart
    drawing: Drawing
    is_running: bool


def trainings(request: HttpRequest) -> HttpResponse:
    """Everybody sees finished trainings and those on clips made for them, staff those on packs as well."""
    running = [one for one in ongoing() if one.is_public or request.user.is_staff]
    context = {
        "section": "models",
        "running": running,
        "figures": figures(running),
        "is_live": any(not (one.stopped or one.is_silent) for one in running),
        "to_staff": request.user.is_staff,
    }
    return render(request, "training/trainings.html", context)


def figures(running: Iterable[OngoingTraining]) -> list[TrainingFigure]:
    """A chart for each model and setting with all its seeds; those with a running training first."""
    grouped: dict[Key, list[LossCurve]] = defaultdict(list)
    titles: dict[str, str] = {}
    for one in running:
        for part in one.parts:
            if part.losses:
                key = base_of(one.slug, one.order.get("seed")), setting_of(part)
                grouped[key].append(LossCurve(one.slug, part.losses, part.total, is_running=True))
    for model in Model.objects.filter(made_here=True).order_by("slug"):
        base, seed = base_of(model.slug, model.card.get("seed")), model.card.get("seed")
        titles.setdefault(base, model.name.removesuffix(f", seed {seed}"))
        for curve in curves_of(model):
            grouped[base, curve.title].append(LossCurve(model.name, curve.loss, curve.steps))
    return sorted(_figures(grouped, titles), key=lambda figure: not figure.is_running)


def _figures(grouped: dict[Key, list[LossCurve]], titles: dict[str, str]) -> Iterator[TrainingFigure]:
    for (base, setting), found in sorted(grouped.items()):
        curves = sorted(found, key=lambda one: (len(one.name), one.name))  # by seed, running or not
        title = titles.get(base, base) + (f", {setting} setting" if setting else "")
        chart = loss_chart(f"{title}: loss by step", curves)
        mark = "-".join(filter(None, ("training", base, setting)))
        yield _figure(chart, mark, is_running=any(curve.is_running for curve in curves))


def figures_of_model(model: Model) -> list[tuple[str, list[TrainingFigure]]]:
    """The charts of each training of the model under the setting that it trained, "" if there is one."""
    return [
        (curve.title, [_figure(chart, f"curve-{number}-{place}") for place, chart in enumerate(charts)])
        for number, curve in enumerate(curves_of(model))
        for charts in [curve_charts(model.name, curve)]
    ]


def _figure(chart: Chart, mark: str, *, is_running: bool = False) -> TrainingFigure:
    return TrainingFigure(mark, chart, page_drawing_of(chart), is_running)


def base_of(slug: str, seed: object) -> str:
    """The slug of the same model with seed 0."""
    return slug.removesuffix(f"-seed-{seed}")


def setting_of(part: TrainingPart) -> str:
    """The setting that the part trains, as cards name it: 'easy' of 'Training, easy setting'."""
    return part.title.removeprefix("Training").removeprefix(", ").removesuffix(" setting")
