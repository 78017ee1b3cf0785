"""What trainings add to the pages of boards and models."""

from collections import defaultdict
from collections.abc import Mapping

from django.template.loader import render_to_string

from benchmarks.models import Origin, Pack
from evaluation.models import Model
from extensions.training.progress import OngoingTraining, names_of_ongoing, ongoing
from leaderboard.board.page_parts import PageParts


def in_progress() -> Mapping[str, list[str]]:
    """Benchmark -> a notice for each running training, without those on packs of releases."""
    found: dict[str, list[str]] = defaultdict(list)
    for one in ongoing():
        if not (one.stopped or one.is_silent) and _is_listed(one):
            notice = render_to_string("training/in_progress.html", {"training": one})
            found[one.order.get("benchmark", "")].append(notice)
    return found


def _is_listed(training: OngoingTraining) -> bool:
    if training.is_public:
        return True
    order = training.order
    packs = Pack.objects.filter(benchmark=order.get("benchmark", ""), name=order.get("pack", ""))
    return packs.filter(origin=Origin.GENERATED).exists()


def of_model(model: Model) -> str:
    """The curves of its training."""
    from extensions.training.pages.views import figures_of_model  # charts; commands that show none start without them

    figures = figures_of_model(model)
    return render_to_string("training/of_model.html", {"trainings": figures}) if figures else ""


def of_models() -> str:
    """A link to the page of trainings."""
    return render_to_string("training/of_models.html")


PARTS = PageParts(in_progress=in_progress, version=names_of_ongoing, of_model=of_model, of_models=of_models)
