"""Whole studies by simulated people in seconds, as plain arrays: no database and no site.

A rating is the step nearest to the latent quality plus what varies: prompts, a generator's luck on a prompt, takes,
people, people's tastes for a generator, and noise.

    clips = draw_clips(rng, {"good": MadeClips(0.1), "bad": MadeClips(0.6)}.values(), prompts=30)
    raters = draw_raters(rng, 60, generators=2)
    ratings = simulate_ratings(rng, clips, raters, [PHYSICAL, ADHERENCE], k=3)
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from extensions.generated.made.latent import (
    PHYSICAL,
    Floats,
    Integers,
    LatentWeights,
    MadeClips,
    chance_to_notice,
    kind_number,
    quality,
    step_of,
)

RandomNumbers = np.random.Generator
TIE = 0.35  # steps by which one of two clips must be better
VOTERS = 2  # of a pair
BAD = 2.0  # latent quality up to which a clip is bad


@dataclass(frozen=True)
class Effects:
    """Standard deviations of what varies, in steps of the scale; all are independent and normal."""

    prompt: float = 0.3
    prompt_generator: float = 0.25  # of a generator on a prompt
    take: float = 0.2
    rater: float = 0.4
    taste: float = 0.15  # of a rater for a generator
    noise: float = 0.5


@dataclass(frozen=True)
class SimulatedClips:
    """Arrays with one entry a clip: every generator made each prompt's takes."""

    generator: Integers
    prompt: Integers
    take: Integers
    kind: Integers  # place in KINDS
    severity: Integers  # 0 = nothing breaks
    look: Floats
    follows: Floats
    offset: Floats  # what the prompt, the generator on it and the take add to the latent quality

    @property
    def table(self) -> Integers:
        """Numbers of the clips by (prompt and take, generator)."""
        order = np.lexsort((self.generator, self.take, self.prompt))
        return order.reshape(-1, int(self.generator.max()) + 1)


@dataclass(frozen=True)
class SimulatedRaters:
    leniency: Floats
    taste: Floats  # rater, generator


@dataclass(frozen=True)
class SimulatedRatings:
    """One entry a rating; `value` is nan for "can't tell"."""

    rater: Integers
    clip: Integers
    dimension: Integers
    value: Floats


@dataclass(frozen=True)
class SimulatedVotes:
    """One entry a vote on two clips of one prompt; `answer` is a, b, equal or bad, and `first` is on the left."""

    rater: Integers
    first: Integers
    second: Integers
    answer: NDArray[np.str_]


def draw_clips(
    rng: RandomNumbers, generators: Collection[MadeClips], *, prompts: int, takes: int = 1, effects: Effects = Effects()
) -> SimulatedClips:
    """New prompts, and every generator's clips of each; each is broken with the generator's chance."""
    shape = (len(generators), prompts, takes)
    generator, prompt, take = (numbers.ravel() for numbers in np.indices(shape))
    kinds = np.concatenate([rng.choice([kind_number(kind) for kind in made.kinds], shape[1:]) for made in generators])
    severities = np.concatenate([rng.choice(made.severities, shape[1:]) for made in generators])
    share, look, follows = (
        np.array([getattr(made, name) for made in generators], dtype=float)[generator]
        for name in ("share", "look", "follows")
    )
    offset = (
        rng.normal(0, effects.prompt, prompts)[prompt]
        + rng.normal(0, effects.prompt_generator, shape[:2])[generator, prompt]
        + rng.normal(0, effects.take, generator.size)
    )
    severity = np.where(rng.random(generator.size) < share, severities.ravel(), 0)
    return SimulatedClips(generator, prompt, take, kinds.ravel(), severity, look, follows, offset)


def draw_raters(rng: RandomNumbers, count: int, *, generators: int, effects: Effects = Effects()) -> SimulatedRaters:
    return SimulatedRaters(rng.normal(0, effects.rater, count), rng.normal(0, effects.taste, (count, generators)))


def latin_views(clips: SimulatedClips, raters: int, k: int) -> tuple[Integers, Integers]:
    """Raters and clips: k raters a clip, nobody sees one prompt from two generators, generators equally often each.

    Raters take turns; with each turn the generators shift by one.
    """
    table = clips.table
    columns, generators = table.shape
    if k * generators * (int(clips.take.max()) + 1) > raters:
        raise ValueError(f"{raters} raters are too few: one prompt needs {k} for each of its clips")
    number = np.arange(columns * k * generators)
    block = number // generators
    turn = block * generators // raters
    generator = (number + turn * (1 - raters)) % generators
    return number % raters, table[block // k, generator]


def notice(rng: RandomNumbers, kind: Integers, severity: Integers) -> Integers:
    """The severity that each rater notices, one a clip of the arrays; 0 = no break."""
    seen = rng.random(severity.shape) < chance_to_notice(kind, severity)
    return np.where(seen, np.maximum(severity, 1), 0)


def simulate_ratings(
    rng: RandomNumbers,
    clips: SimulatedClips,
    raters: SimulatedRaters,
    dimensions: Sequence[LatentWeights],
    *,
    k: int = 3,
    cant_tell: float = 0.0,
    effects: Effects = Effects(),
) -> SimulatedRatings:
    """Ratings of a Latin plan: every view of a clip rates all dimensions."""
    rater, clip = latin_views(clips, len(raters.leniency), k)
    severity = notice(rng, clips.kind[clip], clips.severity[clip])
    felt = _felt(clips, raters, rater, clip)
    values = np.empty((len(dimensions), rater.size))
    for row, weights in zip(values, dimensions, strict=True):
        seems = quality(weights, severity, clips.look[clip], clips.follows[clip])
        row[:] = step_of(seems + felt + rng.normal(0, effects.noise, rater.size))
    values[rng.random(values.shape) < cant_tell] = np.nan
    number = np.repeat(np.arange(len(dimensions)), rater.size)
    return SimulatedRatings(np.tile(rater, len(dimensions)), np.tile(clip, len(dimensions)), number, values.ravel())


def simulate_votes(
    rng: RandomNumbers, clips: SimulatedClips, raters: SimulatedRaters, *, effects: Effects = Effects()
) -> SimulatedVotes:
    """Votes of two raters on each two generators' clips of each prompt and take; both orders are equally frequent."""
    table = clips.table
    lower, higher = np.triu_indices(table.shape[1], 1)
    pairs = np.repeat(np.stack([table[:, lower].ravel(), table[:, higher].ravel()]), VOTERS, axis=1)
    is_turned = np.arange(pairs.shape[1]) % 2 == 1
    first, second = np.where(is_turned, pairs[1], pairs[0]), np.where(is_turned, pairs[0], pairs[1])
    rater = rng.permutation(first.size) % len(raters.leniency)
    left, right = (
        quality(PHYSICAL, notice(rng, clips.kind[clip], clips.severity[clip]), clips.look[clip], clips.follows[clip])
        + _felt(clips, raters, rater, clip)
        for clip in (first, second)
    )
    better = left - right + rng.normal(0, effects.noise, first.size)
    are_bad = np.maximum(left, right) <= BAD
    answer = np.select([are_bad, np.abs(better) < TIE, better > 0], ["bad", "equal", "a"], "b")
    return SimulatedVotes(rater, first, second, answer)


def _felt(clips: SimulatedClips, raters: SimulatedRaters, rater: Integers, clip: Integers) -> Floats:
    """What the clip and the rater add to the latent quality."""
    return np.asarray(clips.offset[clip] + raters.leniency[rater] + raters.taste[rater, clips.generator[clip]])
