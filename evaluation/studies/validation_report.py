"""Reports a referee's validation as in the paper's Tables 4 to 6, with checks of order and length."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import fmean
from typing import Any

from evaluation.models import REFERENCES, ModelResponse, Run, Score
from evaluation.referees.rubric_selection import rubric_of
from evaluation.referees.rubrics import ACCURACY, Rubric
from evaluation.referees.validation_samples import POSITIVE, RANDOM, family
from measures.estimate import PairedScores, difference, excludes, rank_correlation
from measures.figures import Interval

KINDS = {POSITIVE: REFERENCES[0], RANDOM: REFERENCES[1]}
Points = dict[str, float]  # dimension -> share of its highest score


@dataclass(frozen=True)
class ScoredSample:
    """One sample with the referee's points; no points if the referee's reply could not be parsed."""

    kind: str
    item: str
    rubric: Rubric
    dataset: str
    text: str
    place: int
    points: Points


@dataclass(frozen=True)
class Errors:
    """Table 6: positive sets rejected, random sets accepted, the numbers of items and of scored sets; accuracy 0 to
    1.

    Accuracy is 1 - errors / sets, which equals the paper's 1 - errors / (4 · items) if every set was scored.
    """

    positive: int
    negative: int
    items: int
    sets: int

    @property
    def accuracy(self) -> float | None:
        return 1 - (self.positive + self.negative) / self.sets if self.sets else None


@dataclass(frozen=True)
class DatasetReport:
    """One data set: means by kind and dimension, numbers of scored samples, and the errors (only MGAE)."""

    dataset: str
    rubric: Rubric
    items: int
    means: dict[str, Points]
    scored: dict[str, int]
    unscored: int
    errors: Errors | None = None
    pairs: tuple[tuple[float, float], ...] = ()  # by item: mean points of its positive and of its random samples

    @property
    def separation(self) -> "Separation | None":
        return separation_of([self])

    def average(self, kind: str) -> float | None:
        """The plain mean over the dimensions."""
        return fmean(self.means[kind].values()) if self.means.get(kind) else None


@dataclass(frozen=True)
class Separation:
    """How well a referee separates positive from random answers: the mean difference, -1 to 1, and its interval."""

    difference: float
    interval: Interval
    items: int

    @property
    def discriminates(self) -> bool:
        """Whether right answers certainly get more points than irrelevant ones."""
        return self.difference > 0 and excludes(self.interval.low, self.interval.high, 0.0)


def separation_of(parts: Iterable["DatasetReport"]) -> Separation | None:
    """The separation over all items of these data sets that have both kinds scored; None if there are none."""
    points = [pair for part in parts for pair in part.pairs]
    if not points:
        return None
    found = difference([PairedScores((item, item), *pair) for item, pair in enumerate(points)])
    return Separation(found.value, found.interval, found.n)


@dataclass(frozen=True)
class Validation:
    """The validation of one referee on one pack's samples."""

    referee: str
    revision: str
    pack: str
    how: dict[str, Any]
    at: datetime | None
    parts: tuple[DatasetReport, ...]
    places: dict[int, tuple[int, int]] = field(default_factory=dict)  # of the right answer -> (accepted, total)
    # Rank correlation of word count and points over random samples, and their number.
    length: tuple[float | None, int] = (None, 0)


def validations(benchmark: str, *, referee: str = "") -> list[Validation]:
    """Validations by referees that judged both runs of a pack's samples: the latest per referee and pack, sorted by
    both.

    Patterns made here and external data sets are separate packs: a referee is validated on both. `referee` limits the
    list to one referee.
    """
    stages = Run.objects.validating().filter(judged__pack__benchmark=benchmark)
    if referee:
        stages = stages.filter(model__slug=referee)
    pairs: dict[tuple[str, int, str], list[Run]] = {}
    for stage in stages.select_related("judged__model", "judged__pack", "model").order_by("pk"):
        how = str(sorted(stage.judged.card["validation"].items()))  # type: ignore[union-attr]
        key = stage.model.slug, stage.judged.pack_id, how  # type: ignore[union-attr]
        pairs[key] = [*pairs.pop(key, []), stage]  # moves the pair behind those judged earlier
    latest = {(slug, pack): pair for (slug, pack, _), pair in pairs.items()}
    return [validation_of(slug, pair) for (slug, _), pair in sorted(latest.items())]


def validation_of(slug: str, stages: Sequence[Run]) -> Validation:
    """The validation from these refereeings of one or both runs of a pack's samples."""
    judged = [each for stage in stages for each in judged_in(stage, slug)]
    parts = [
        part_of(dataset, [each for each in judged if each.dataset == dataset])
        for dataset in sorted({each.dataset for each in judged})
    ]
    last = stages[-1]
    return Validation(
        slug,
        last.revision,
        last.pack.name,
        last.judged.card["validation"],  # type: ignore[union-attr]
        last.finished_at,
        tuple(parts),
        by_place(judged),
        by_length(judged),
    )


def judged_in(stage: Run, referee: str) -> list[ScoredSample]:
    """Every sample of the judged run with the referee's points."""
    run = stage.judged
    assert run is not None
    kind = next(name for name, model in KINDS.items() if model == run.model.slug)
    points: dict[int, Points] = defaultdict(dict)
    scores = Score.objects.filter(reading__response__cell__run=run, referee=referee)
    for pk, dimension, value in scores.values_list("reading__response", "dimension", "value"):
        points[pk][dimension] = value
    responses = ModelResponse.objects.filter(cell__run=run).select_related("cell__item__pack")
    found = []
    for response in responses.prefetch_related("cell__item__facets").order_by("pk"):
        item = response.cell.item
        rubric = rubric_of(item, "")
        dataset = next(name for name in item.facet_values("test") if name in rubric.datasets)
        place = response.turns[0].get("place", 0) if response.turns else 0
        found.append(
            ScoredSample(kind, item.draw_key, rubric, dataset, response.raw, place, points.get(response.pk, {}))
        )
    return found


def part_of(dataset: str, judged: Sequence[ScoredSample]) -> DatasetReport:
    """The report of one data set: means over its scored samples."""
    rubric, scored = judged[0].rubric, [each for each in judged if each.points]
    of_kind = {kind: [each.points for each in scored if each.kind == kind] for kind in KINDS}
    means = {
        kind: {dimension.name: fmean(points[dimension.name] for points in found) for dimension in rubric.dimensions}
        if found
        else {}
        for kind, found in of_kind.items()
    }
    items = len({each.item for each in judged})
    errors = errors_in(scored, items) if family(rubric) == "mgae" else None
    return DatasetReport(
        dataset,
        rubric,
        items,
        means,
        {kind: len(found) for kind, found in of_kind.items()},
        len(judged) - len(scored),
        errors,
        pairs_in(scored),
    )


def pairs_in(scored: Sequence[ScoredSample]) -> tuple[tuple[float, float], ...]:
    """Mean points of positive and of random samples, for each item that has both, in order of its first sample."""
    points: dict[str, dict[str, list[float]]] = {}
    for each in scored:
        points.setdefault(each.item, defaultdict(list))[each.kind].append(fmean(each.points.values()))
    return tuple(
        (fmean(of_kind[POSITIVE]), fmean(of_kind[RANDOM])) for of_kind in points.values() if {*KINDS} <= {*of_kind}
    )


def errors_in(scored: Sequence[ScoredSample], items: int) -> Errors:
    accepted = [(each.kind, each.points[ACCURACY.name] == 1) for each in scored]
    return Errors(accepted.count((POSITIVE, False)), accepted.count((RANDOM, True)), items, len(scored))


def by_place(judged: Sequence[ScoredSample]) -> dict[int, tuple[int, int]]:
    """Check of order: the number of accepted positive sets, by the position of the right answer."""
    found: dict[int, list[bool]] = defaultdict(list)
    for each in judged:
        if each.place and each.points:
            found[each.place].append(each.points[ACCURACY.name] == 1)
    return {place: (sum(accepted), len(accepted)) for place, accepted in sorted(found.items())}


def by_length(judged: Sequence[ScoredSample]) -> tuple[float | None, int]:
    """Check of length: no random sample is right, so points that grow with the word count reward mere length."""
    beside = [each for each in judged if each.kind == RANDOM and each.points]
    words = [float(len(each.text.split())) for each in beside]
    return rank_correlation(words, [fmean(each.points.values()) for each in beside]), len(beside)
