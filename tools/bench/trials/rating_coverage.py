"""`python -m tools.bench.trials.rating_coverage [worlds]`: coverage of the figures of generators, in simulated rounds.

Each world has new people, prompts and takes. Five or eight generators with different faults show whether 95 % intervals
of means, shares of good clips, joint shares, failing clips and strengths hold the truth, which a round with very many
prompts and people gives; as many equal ones show how often any two are told apart. A rating is the step nearest to the
latent quality plus what varies, in plain arrays: no database and no site. Prints the table of
docs/how-we-checked.md; exit 1 if a row is off target. The seeds are fixed.
"""

import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from extensions.generated.made.latent import (
    ADHERENCE,
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
from measures.estimate import CrossedRows, Ratings, Votes, mean_rows, reaching_rows, strengths_of
from measures.figures import Interval

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


WORLDS, EQUAL = 400, 5  # with different generators, and how many times as many with equal ones
HELD, APART = (0.93, 0.97), 0.06
BROKEN = 2  # the dimension after plausibility and adherence
MANY = 40_000  # prompts, and people, of the round that gives the truth
USUAL = Effects()
STRONG = Effects(prompt=0.5, prompt_generator=0.5, rater=0.5, taste=0.8, noise=0.6)
SHARES = {"a": 1.0, "b": 0.0}  # of a vote; 0.5 for others


@dataclass(frozen=True)
class RatedDesign:
    """The size of a round: k people rate each clip, and two vote on each pair."""

    name: str
    people: int
    prompts: int
    generators: int
    takes: int = 1
    k: int = 3
    effects: Effects = USUAL

    @property
    def made(self) -> list[MadeClips]:
        return [MadeClips(share) for share in np.linspace(0.1, 0.7, self.generators)]

    @property
    def equal(self) -> list[MadeClips]:
        return [MadeClips(0.3)] * self.generators


DESIGNS = (
    RatedDesign("20 people × 24 prompts × 5", 20, 24, 5),
    RatedDesign("the same, strong tastes", 20, 24, 5, effects=STRONG),
    RatedDesign("24 people × 24 prompts × 8, strong tastes", 24, 24, 8, effects=STRONG),
    RatedDesign("60 people × 48 prompts × 8", 60, 48, 8),
    RatedDesign("the same, strong tastes", 60, 48, 8, effects=STRONG),
    RatedDesign("48 people × 24 prompts × 8, two takes", 48, 24, 8, takes=2),
)


def round_of(rng: np.random.Generator, design: RatedDesign, made: Sequence[MadeClips]) -> tuple[Ratings, Votes]:
    """Ratings of both dimensions and of breaks, and votes."""
    effects, count = design.effects, len(made)
    clips = draw_clips(rng, made, prompts=design.prompts, takes=design.takes, effects=effects)
    raters = draw_raters(rng, design.people, generators=count, effects=effects)
    rated = simulate_ratings(rng, clips, raters, [PHYSICAL, ADHERENCE], k=design.k, effects=effects)
    rater, clip = latin_views(clips, design.people, design.k)
    breaks = (notice(rng, clips.kind[clip], clips.severity[clip]) > 0).astype(float)
    every = np.concatenate([rated.clip, clip])
    ratings = Ratings(
        np.concatenate([rated.value, breaks]),
        clips.generator[every],
        clips.prompt[every],
        every,
        np.concatenate([rated.dimension, np.full(len(clip), BROKEN)]),
        np.concatenate([rated.rater, rater]),
    )
    voted = simulate_votes(rng, clips, raters, effects=effects)
    share = np.array([SHARES.get(answer, 0.5) for answer in voted.answer.tolist()])
    first, second = clips.generator[voted.first], clips.generator[voted.second]
    return ratings, Votes(first, second, share, voted.rater, clips.prompt[voted.first])


def figures(ratings: Ratings, votes: Votes, rows: int) -> dict[str, CrossedRows]:
    return {
        "mean": mean_rows(ratings, [(1.0, [0])], rows),
        "share ≥ 4": reaching_rows(ratings, {0: 4}, rows),
        "both ≥ 4": reaching_rows(ratings, {0: 4, 1: 4}, rows),
        "failing": reaching_rows(ratings, {BROKEN: 1}, rows),
        "strength": strengths_of(votes).ratings,
    }


def truths(design: RatedDesign, seed: int) -> dict[str, np.ndarray]:
    """Figure -> its value for each generator, from a round with many prompts and people."""
    large = replace(design, people=MANY, prompts=MANY // 8)
    found = figures(*round_of(np.random.default_rng([seed, 1]), large, design.made), design.generators)
    return {name: rows.values for name, rows in found.items()}


def interval_of(name: str, rows: CrossedRows, row: int) -> Interval | None:
    return rows.of_row(row) if name in ("mean", "strength") else rows.of_share(row)


def measured(design: RatedDesign, worlds: int, seed: int) -> tuple[dict[str, float], dict[str, float]]:
    """How often intervals held the truth, and how often equal generators were told apart, by figure."""
    known, rng = truths(design, seed), np.random.default_rng(seed)
    held: dict[str, list[bool]] = {name: [] for name in known}
    apart: dict[str, list[bool]] = {name: [] for name in known}
    for _ in range(worlds):
        for name, rows in figures(*round_of(rng, design, design.made), design.generators).items():
            ends = [interval_of(name, rows, row) for row in range(design.generators)]
            held[name] += [bool(each and each.holds(true)) for each, true in zip(ends, known[name], strict=True)]
    for _ in range(EQUAL * worlds):
        for name, rows in figures(*round_of(rng, design, design.equal), design.generators).items():
            apart[name].append(bool(rows.below.any()))
    return _shares(held), _shares(apart)


def _shares(found: Mapping[str, Sequence[bool]]) -> dict[str, float]:
    return {name: float(np.mean(each)) for name, each in found.items()}


def lines(results: Sequence[tuple[RatedDesign, dict[str, float], dict[str, float]]]) -> Iterator[str]:
    """The table: held / equal ones told apart, in per cent."""
    names = list(results[0][1])
    yield f"| round | {' | '.join(names)} |"
    yield "|---|" + "---|" * len(names)
    for design, held, apart in results:
        cells = (f"{100 * held[name]:.1f} / {100 * apart[name]:.1f}" for name in names)
        yield f"| {design.name} | {' | '.join(cells)} |"


def off_target(results: Sequence[tuple[RatedDesign, dict[str, float], dict[str, float]]]) -> Iterator[str]:
    for design, held, apart in results:
        for name in held:
            if not HELD[0] <= held[name] <= HELD[1] or apart[name] > APART:
                yield f"{design.name}, {name}: {100 * held[name]:.1f} / {100 * apart[name]:.1f}"


def main(worlds: int) -> int:
    began = time.monotonic()
    results = [(design, *measured(design, worlds, seed)) for seed, design in enumerate(DESIGNS)]
    print("\n".join(lines(results)))
    known = 196 * (APART * (1 - APART) / (EQUAL * worlds)) ** 0.5
    print(f"\nOf {EQUAL * worlds:,} rounds of equal rows each: a share of 6 % is known to ±{known:.1f}.")
    off = list(off_target(results))
    print("\n".join([*off, f"{len(off)} off target, {time.monotonic() - began:.0f} s"]), file=sys.stderr)
    return 1 if off else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else WORLDS))
