"""The temperature study of the Giraffe paper: it compares rankings of models at 0.2, 0.7, 1.0 and the default.

On each data set models are ranked by *Avg.*, the mean of a referee's dimensions; Kendall's tau compares the ranking
at one temperature with that at default settings (section 11 of the fact sheet). A single model has no ranking.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from django.db.models import Avg, F

from benchmarks.models import Pack
from evaluation.errors import RunMisused
from evaluation.models import Model, Run, RunState, Score
from evaluation.prompting.presets import KEY, preset_named, sampling_of
from evaluation.runs.lifecycle import start_run
from evaluation.runs.spec import SAMPLING
from measures.ranking import kendall_tau

TEMPERATURES = (0.2, 0.7, 1.0)
DEFAULT = "default"
Averages = Mapping[str, Mapping[str, float]]  # model -> temperature or "default" -> per cent or share
Way = tuple[str, str, str]  # strategy, condition, preset
FACET = "reading__response__cell__item__facets__"


@dataclass(frozen=True)
class Studied:
    """One data set: each model's average by temperature, and each temperature's tau against the default."""

    dataset: str
    averages: Averages
    taus: dict[str, float | None] = field(default_factory=dict)
    models: dict[str, int] = field(default_factory=dict)  # number of models behind each tau


def studied(dataset: str, averages: Averages) -> Studied:
    """The data set with its taus, each over the models that have both averages."""
    found = Studied(dataset, averages)
    for temperature in map(str, TEMPERATURES):
        both = [one for one in averages.values() if DEFAULT in one and temperature in one]
        found.models[temperature] = len(both)
        found.taus[temperature] = kendall_tau([one[DEFAULT] for one in both], [one[temperature] for one in both])
    return found


def default_temperature(sampling: Mapping[str, Any], benchmark: str) -> float:
    """The preset's temperature, else the default of runs."""
    name = sampling.get(KEY)
    return preset_named(name, benchmark).temperature if name else float(SAMPLING["temperature"])


def start_study(*, model: Model, pack: Pack, strategy: str, referee: Model, preset: str = "") -> dict[float, Run]:
    """The runs at each temperature and at the model's default; starts those that don't exist yet."""
    return {
        sampling["temperature"]: _standing(model, pack, strategy, referee, sampling)
        for sampling in samplings(preset, pack.benchmark)
    }


def samplings(preset: str, benchmark: str) -> list[dict[str, Any]]:
    """Sampling settings of the study's runs in ascending temperature: each temperature and the default."""
    own = sampling_of(preset, benchmark) if preset else {}
    wanted = sorted({*TEMPERATURES, default_temperature(own, benchmark)})
    return [SAMPLING | own | {"temperature": temperature} for temperature in wanted]


def _standing(model: Model, pack: Pack, strategy: str, referee: Model, sampling: dict[str, Any]) -> Run:
    same = (
        Run.objects.filter(
            model=model,
            revision=model.revision,
            pack=pack,
            strategy=strategy,
            referee=referee.slug,
            sampling=sampling,
            limit=None,
            only={},
            judged=None,
        )
        .exclude(state__in=(RunState.FAILED, RunState.CANCELLED))
        .first()
    )
    return same or start_run(model=model, pack=pack, strategy=strategy, sampling=sampling, referee=referee)


def study_of(pack: Pack, referee: str) -> list[Studied]:
    """The results of runs on the board by data set; of each model, the settings with the most temperatures."""
    runs = Run.objects.on_the_board().filter(pack=pack, referee=referee).select_related("model", "pack").order_by("pk")
    found: dict[str, dict[str, dict[Way, dict[str, float]]]] = defaultdict(lambda: defaultdict(dict))
    for run in runs:
        for dataset, average in averages_of(run).items():
            averages = found[dataset][_title(run)].setdefault(_way(run), {})
            for name in _names(run):
                averages.setdefault(name, average)
    return [
        studied(dataset, {title: max(ways.values(), key=len) for title, ways in by_title.items()})
        for dataset, by_title in sorted(found.items())
    ]


def averages_of(run: Run) -> dict[str, float]:
    """Data set -> mean over dimensions of the mean over items, 0 to 1."""
    rows = Score.objects.of_run(run).filter(**{f"{FACET}name": "test"})
    by_dimension = rows.order_by().values_list(f"{FACET}value", "dimension").annotate(Avg("value"))
    found = defaultdict(list)
    for dataset, _, mean in by_dimension:
        found[dataset].append(mean)
    return {dataset: fmean(means) for dataset, means in found.items()}


def _names(run: Run) -> list[str]:
    """The columns for the run's averages: its temperature, and `default` if that is the default one."""
    own = float(run.sampling.get("temperature", 0.0))
    names = [str(own)] if own in TEMPERATURES else []
    return [*names, DEFAULT] if own == default_temperature(run.sampling, run.pack.benchmark) else names


def _way(run: Run) -> Way:
    """The settings that must be equal for runs to belong to one study."""
    return run.strategy, run.condition, str(run.sampling.get(KEY, ""))


def _title(run: Run) -> str:
    return " ".join(filter(None, (run.model.name, run.revision)))


def referees_of(pack: Pack) -> Sequence[str]:
    """The referees that score runs on this pack; scores of different referees are never combined."""
    runs = Run.objects.on_the_board().filter(pack=pack).exclude(referee="")
    return list(runs.order_by(F("referee")).values_list("referee", flat=True).distinct())


def check_studied(strategy: str, dimensions: Sequence[str]) -> None:
    """Raise RunMisused if the strategy has no referee scores to compare."""
    if not dimensions:
        raise RunMisused(f"{strategy} is scored by rule: a study of temperatures compares a referee's averages")
