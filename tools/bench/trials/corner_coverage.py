"""Coverage and error where intervals are hardest: few clips, few people, unequal clips, near 100 %, equal rows.

Part of `python -m tools.bench.trials.interval_coverage`, which prints its tables. Every figure comes from the one door
that pages use, `measures.estimate`; the simple interval takes clips as independent and people as fixed.
"""

from collections.abc import Iterator

import numpy as np
from scipy.special import expit

from measures.estimate import (
    PairedScores,
    ScoredItems,
    Voter,
    consistency,
    difference,
    estimate,
    fresh_gap,
    rows_below,
    share_of,
)
from measures.figures import Interval
from tools.bench.trials.dependence_coverage import (
    SPREAD,
    Array,
    DependentWorld,
    Held,
    Panel,
    held_by,
    level_of,
    majority_of,
    panel_of_parts,
    swings,
)

ROWS = (3, 10, 40, 100)
BOARD_ITEMS, BOARDS = 256, 200
Rng = np.random.Generator


def unequal_clips(clips: int, truth: float, correlation: float) -> DependentWorld:
    """Clips with 1 to 32 questions whose answers are correlated."""
    sizes, rest = np.geomspace(1, 32, clips).round(), 1 / correlation - 1

    def draw(rng: Rng) -> tuple[Interval, Interval]:
        totals = rng.binomial(sizes.astype(int), rng.beta(truth * rest, (1 - truth) * rest, clips)).astype(float)
        found = estimate(totals, sizes)
        single = np.repeat([1.0, 0.0], [int(totals.sum()), int(sizes.sum() - totals.sum())])
        assert found is not None
        return found.interval, share_of(single, np.arange(len(single))).interval

    return DependentWorld(f"{clips} clips of 1 to 32 questions, correlation {correlation}", truth, draw)


def kappa_of_clips(clips: int, each: int) -> DependentWorld:
    """Two models that err on different clips: a true kappa of 0."""
    labels, count = np.repeat(np.arange(clips), each).tolist(), clips * each

    def draw(rng: Rng) -> tuple[Interval, Interval]:
        chances = (expit(0.8 + 1.5 * rng.normal(size=clips))[labels] for _ in range(2))
        first, second = ((rng.random(count) < chance).astype(float).tolist() for chance in chances)
        rows = list(zip(labels, first, second, strict=True))
        clustered = consistency([PairedScores((clip, clip), *scores) for clip, *scores in rows])
        alone = consistency([PairedScores((at, at), *scores) for at, (_, *scores) in enumerate(rows)])
        anything = Interval(-1.0, 1.0)
        return clustered.interval or anything, alone.interval or anything

    return DependentWorld(f"kappa on {clips} clips of {each}", 0.0, draw)


def fresh_clips(tests: int, clips: int, right: float) -> DependentWorld:
    """An honest model on 12 public clips a test and few fresh ones; there is no simple interval."""

    def scored(rng: Rng, each: int) -> ScoredItems:
        part = np.repeat(np.arange(tests), each)
        shares = right + np.linspace(-0.2, 0.2, tests)[part] + rng.normal(0, 0.2, len(part))
        return ScoredItems((rng.random(len(part)) < shares).astype(float), part.astype(str), np.arange(len(part)))

    def draw(rng: Rng) -> tuple[Interval, Interval]:
        found = fresh_gap(scored(rng, 12), scored(rng, clips))
        assert found is not None
        return found.interval, found.interval

    return DependentWorld(f"gap to {clips} fresh clips of {tests} tests, {100 * right:.0f} % right", 0.0, draw)


def panels_of(people: int, each: int, votes: int, truth: float) -> DependentWorld:
    """Two panels of equal people on the same items."""
    level = level_of(truth, SPREAD * np.sqrt(2))
    panel = panel_of_parts(people, each, votes)

    def draw(rng: Rng) -> tuple[Interval, Interval]:
        ease = rng.normal(0, SPREAD, panel.items)
        sides = [_voted(panel, level, votes, ease, side, rng) for side in "ab"]
        rows = enumerate(zip(*sides, strict=True))
        pairs = [PairedScores((at, at), one[0], two[0], one[1], two[1]) for at, (one, two) in rows]
        fixed = [PairedScores(pair.labels, pair.first, pair.second) for pair in pairs]
        return difference(pairs).interval, difference(fixed).interval

    design = f"two panels of {people} people × {each}, {votes} votes an item, one person right on {100 * truth:.0f} %"
    return DependentWorld(design, 0.0, draw)


def _voted(
    panel: Panel, level: float, votes: int, ease: Array, name: str, rng: Rng
) -> list[tuple[float, tuple[Voter, ...]]]:
    """The score and the voters of each item; everybody finds the same items hard."""
    skill = rng.normal(0, SPREAD, panel.people)[panel.person]
    sampled = (rng.random(len(skill)) < expit(level + skill + ease[panel.item])).astype(float)
    scores = majority_of(np.bincount(panel.item, sampled), votes)
    gains = swings(np.bincount(panel.item, sampled), sampled, panel, votes)
    rows = zip(panel.person, sampled, gains, strict=True)
    voters = [Voter(f"{name}{person}", float(right), float(gain)) for person, right, gain in rows]
    own = [np.flatnonzero(panel.item == item) for item in range(panel.items)]
    return [(float(scores[item]), tuple(voters[at] for at in own[item])) for item in range(panel.items)]


def separated(rows: int, boards: int, seed: int) -> float:
    """The share of boards of so many equal models on which any two are separated; items are of 64 clips."""
    rng, wrong, clips = np.random.default_rng(seed), 0, np.repeat(np.arange(BOARD_ITEMS // 4), 4)
    sizes = np.ones((rows, BOARD_ITEMS))
    for _ in range(boards):
        hard = rng.normal(size=BOARD_ITEMS // 4)[clips] + 0.7 * rng.normal(size=(rows, BOARD_ITEMS // 4))[:, clips]
        wrong += bool(rows_below((rng.random(sizes.shape) < expit(hard)).astype(float), sizes, clips).any())
    return wrong / boards


def worlds() -> Iterator[DependentWorld]:
    yield from of_models()
    yield from of_two_panels()


def of_models() -> Iterator[DependentWorld]:
    yield from (unequal_clips(clips, truth, 0.3) for clips in (8, 32) for truth in (0.5, 0.7, 0.9))
    yield from (kappa_of_clips(*design) for design in ((12, 8), (16, 4), (24, 8)))
    yield from (fresh_clips(*design, right) for design in ((4, 3), (16, 2), (16, 3)) for right in (0.5, 0.9))


def of_two_panels() -> Iterator[DependentWorld]:
    yield from (panels_of(5, *design, truth) for design in ((24, 3), (36, 5), (64, 5)) for truth in (0.6, 0.8))


def measured(draws: int) -> Iterator[tuple[str, str, list[Held]]]:
    """Yield the heading, the name of what is measured, and the rows of each table about corners.

    They are drawn more often than other designs: a corner that is a point off is not to hide behind chance.
    """
    yield "Corners", "truth", [held_by(world, 8 * draws, seed) for seed, world in enumerate(of_models())]
    yield (
        "Two small panels",
        "difference",
        [held_by(world, 2 * draws, seed) for seed, world in enumerate(of_two_panels())],
    )


def ranks_table() -> str:
    """Boards of equal models with a false separation, in Markdown; the target is 6 %."""
    lines = ["| equal models | boards with a false separation |", "|---|---|"]
    return "\n".join([*lines, *(f"| {rows} | {100 * separated(rows, BOARDS, rows):.1f} % |" for rows in ROWS)])
