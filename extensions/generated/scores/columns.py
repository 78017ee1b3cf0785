"""What a round's board can show: means, shares of clips, breaks, and totals by the formulas of papers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from extensions.generated.dimensions import PRESETS
from extensions.generated.models import PromptPack
from extensions.generated.scores.rated_rows import Scale

# Totals that papers print, as weighted sums of means: preset -> title, and what it is made of.
PHYGROUND_TOTAL = "Overall, by PhyGround’s formula"
TOTAL_OF_COUNTS = "Total, by WorldModelBench’s formula"


@dataclass(frozen=True)
class ScoreColumn:
    """A weighted sum of means, or with `limits` the share of clips that reach all of these steps."""

    name: str
    title: str
    about: str
    groups: tuple[tuple[float, tuple[int, ...]], ...] = ()
    limits: Mapping[int, int] = field(default_factory=dict)

    @property
    def is_share(self) -> bool:
        return bool(self.limits)

    @property
    def dimensions(self) -> tuple[int, ...]:
        return tuple(self.limits) or tuple(number for _, numbers in self.groups for number in numbers)

    @property
    def as_means(self) -> tuple[tuple[float, tuple[int, ...]], ...]:
        """What agreement and bias are about: the column's own means, or those of its dimensions."""
        return self.groups or ((1.0, self.dimensions),)


def bounds_of(column: ScoreColumn, scales: Sequence[Scale]) -> tuple[float, float]:
    """The lowest and the highest figure that a column can have; marks of breaks stand behind the scales."""
    if column.is_share:
        return 0.0, 1.0
    ends = [(min(steps), max(steps)) for scale in scales if (steps := scale.steps.values())] + [(0, 1), (1, 3)]
    low = sum(weight * min(ends[number][0] for number in numbers) for weight, numbers in column.groups)
    return low, sum(weight * max(ends[number][1] for number in numbers) for weight, numbers in column.groups)


def columns_of(pack: PromptPack, *, has_breaks: bool = False) -> tuple[ScoreColumn, ...]:
    """The first is shown by default; () for a pack without dimensions."""
    scales = tuple(map(Scale, pack.dimensions))
    general = [number for number, scale in enumerate(scales) if not scale.dimension.laws]
    laws = [number for number, scale in enumerate(scales) if scale.dimension.laws]
    columns = [*_totals(pack, general, laws), *(_mean(number, scales[number]) for number in general)]
    if laws:
        equal = tuple((1 / len(laws), (number,)) for number in laws)
        columns.append(ScoreColumn("laws", "All laws", "mean of the laws’ means, each with the same weight", equal))
        columns += _domains(pack, scales)
    columns += [*_joint(pack, scales), *(_top(number, scales[number]) for number in general)]
    columns += [_mean(number, scales[number]) for number in laws]
    return (*columns, *(_breaks(len(scales)) if has_breaks else ()))


def _mean(number: int, scale: Scale) -> ScoreColumn:
    low, *_, high = scale.steps.values()
    about = f"mean of ratings from {low} to {high}, prompts with equal weights"
    return ScoreColumn(scale.dimension.name, scale.dimension.title, about, ((1.0, (number,)),))


def _totals(pack: PromptPack, general: Sequence[int], laws: Sequence[int]) -> Iterator[ScoreColumn]:
    if pack.preset == "phyground" and general and laws:
        about = "half the mean of the general means, half the mean over all laws of all clips (arXiv 2605.10806)"
        groups = (*((0.5 / len(general), (number,)) for number in general), (0.5, tuple(laws)))
        yield ScoreColumn("overall", PHYGROUND_TOTAL, about, groups)
    if pack.preset == "worldmodelbench":
        about = "sum of the means: instruction 0 to 3, and seven shares of clips without a fault (arXiv 2502.20694)"
        yield ScoreColumn("overall", TOTAL_OF_COUNTS, about, tuple((1.0, (number,)) for number in general))


def _domains(pack: PromptPack, scales: Sequence[Scale]) -> Iterator[ScoreColumn]:
    preset = PRESETS.get(pack.preset)
    for name, laws in (preset.domains if preset else {}).items():
        numbers = tuple(number for number, scale in enumerate(scales) if scale.dimension.name in laws)
        yield ScoreColumn(name, f"{name} laws", "mean of ratings over all laws of all clips", ((1.0, numbers),))


def _joint(pack: PromptPack, scales: Sequence[Scale]) -> Iterator[ScoreColumn]:
    """The paper's, else of plausibility and fit, if both are asked."""
    numbers = {scale.dimension.name: number for number, scale in enumerate(scales)}
    preset = PRESETS.get(pack.preset)
    steps = dict(preset.joint) if preset else {}
    if not steps and {"PC", "SA"} <= numbers.keys():
        steps = {name: scales[numbers[name]].top for name in ("PC", "SA")}
    if steps.keys() <= numbers.keys() and steps:
        each = " and ".join(f"{scales[numbers[name]].dimension.title} {step}" for name, step in steps.items())
        about = f"share of clips whose mean ratings, rounded, reach {each}"
        yield ScoreColumn("joint", "Both", about, limits={numbers[name]: step for name, step in steps.items()})


def _top(number: int, scale: Scale) -> ScoreColumn:
    high, count = list(scale.steps.values())[-1], list(scale.steps.values())[-1] - scale.top + 1
    title, name = scale.dimension.title, f"{scale.dimension.name}-top"
    step = f"≥ {scale.top}" if count > 1 else f"= {high}"
    about = f"share of clips whose mean rating, rounded, is {step}: the top {count} of {len(scale.steps)} steps"
    return ScoreColumn(name, f"{title} {step}", about, limits={number: scale.top})


def _breaks(broken: int) -> Iterator[ScoreColumn]:
    about = "share of clips in which at least half of those who could tell mark a break"
    yield ScoreColumn("failing", "Failing clips", about, limits={broken: 1})
    yield ScoreColumn("marks", "Marks", "marks of a first break a clip and person", ((1.0, (broken,)),))
    about = "mean severity of marks, 1 to 3, over prompts with a mark"
    yield ScoreColumn("severity", "Severity", about, ((1.0, (broken + 1,)),))
