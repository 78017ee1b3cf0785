"""Work in progress for each benchmark: packs being generated, models in training, figures being computed."""

from dataclasses import dataclass

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import Origin, Pack, Production, ProductionState
from evaluation.models import Run
from evaluation.runs.training_progress import OngoingTraining, ongoing
from leaderboard.board.cache import has_rows, recent_version
from leaderboard.models import Standing

ENDED = (ProductionState.DONE, ProductionState.FAILED)


@dataclass(frozen=True)
class WorkInProgress:
    """The open productions and the running trainings of one benchmark, and whether its figures are being computed."""

    productions: tuple[Production, ...] = ()
    trainings: tuple[OngoingTraining, ...] = ()
    computes_figures: bool = False

    def __bool__(self) -> bool:
        return bool(self.productions or self.trainings or self.computes_figures)


def work_in_progress(version: str = "") -> dict[str, WorkInProgress]:
    """Slug -> the benchmark's work in progress, without trainings on packs of releases.

    Figures are looked for only where the version of the boards, of all or of the caller's, has no row.
    """
    productions = list(Production.objects.exclude(state__in=ENDED).order_by("pk"))
    trainings = [one for one in ongoing() if not (one.stopped or one.is_silent) and _is_listed_training(one)]
    computed = set() if has_rows(version or recent_version("")) else without_figures()
    return {
        slug: WorkInProgress(
            tuple(one for one in productions if one.benchmark == slug),
            tuple(one for one in trainings if one.order.get("benchmark") == slug),
            slug in computed,
        )
        for slug in BENCHMARKS
    }


def without_figures() -> set[str]:
    """The benchmarks that have finished runs and no row at all, as after an upgrade that computes every row anew."""
    computed = Standing.objects.order_by().values("pack__benchmark")
    waiting = Run.objects.on_the_board().exclude(pack__benchmark__in=computed).order_by()
    return set(waiting.values_list("pack__benchmark", flat=True).distinct())


def _is_listed_training(training: OngoingTraining) -> bool:
    if training.is_public:
        return True
    order = training.order
    packs = Pack.objects.filter(benchmark=order.get("benchmark", ""), name=order.get("pack", ""))
    return packs.filter(origin=Origin.GENERATED).exists()
