"""Page of trainings: those that run now, with their progress, and the loss of each model beside its other seeds."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from evaluation.models import Model
from extensions.training.pages.training_chart import LossCurve, curve_charts, loss_chart
from extensions.training.progress.learning_curves import curves_of
from extensions.training.progress.ongoing import OngoingTraining, TrainingPart, ongoing
from leaderboard.charts.chart import Chart
from leaderboard.charts.rendering.drawing import Drawing, page_drawing_of

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
    return sorted(_figures(grouped, titles), key=lambda one: not one.is_running)


def _figures(grouped: dict[Key, list[LossCurve]], titles: dict[str, str]) -> Iterator[TrainingFigure]:
    for (base, setting), found in sorted(grouped.items()):
        curves = sorted(found, key=lambda one: (len(one.name), one.name))  # by seed, running or not
        title = titles.get(base, base) + (f", {setting} setting" if setting else "")
        chart = loss_chart(f"{title}: loss by step", curves)
        mark = "-".join(filter(None, ("training", base, setting)))
        yield _figure(chart, mark, is_running=any(one.is_running for one in curves))


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
