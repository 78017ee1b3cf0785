"""Work in progress for each benchmark: packs being generated or waiting for it, and models in training."""

from dataclasses import dataclass

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import Origin, Pack, Production, ProductionState
from evaluation.runs.training_progress import OngoingTraining, ongoing

ENDED = (ProductionState.DONE, ProductionState.FAILED)


@dataclass(frozen=True)
class WorkInProgress:
    """The open productions and the running trainings of one benchmark."""

    productions: tuple[Production, ...] = ()
    trainings: tuple[OngoingTraining, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.productions or self.trainings)


def work_in_progress() -> dict[str, WorkInProgress]:
    """Slug -> the benchmark's work in progress, without trainings on packs of releases."""
    productions = list(Production.objects.exclude(state__in=ENDED).order_by("pk"))
    trainings = [one for one in ongoing() if not (one.stopped or one.is_silent) and _is_listed_training(one)]
    return {
        slug: WorkInProgress(
            tuple(one for one in productions if one.benchmark == slug),
            tuple(one for one in trainings if one.order.get("benchmark") == slug),
        )
        for slug in BENCHMARKS
    }


def _is_listed_training(training: OngoingTraining) -> bool:
    if training.is_public:
        return True
    order = training.order
    packs = Pack.objects.filter(benchmark=order.get("benchmark", ""), name=order.get("pack", ""))
    return packs.filter(origin=Origin.GENERATED).exists()
