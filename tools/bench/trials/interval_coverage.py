"""`python -m tools.bench.trials.interval_coverage`: coverage of the intervals of scores, in simulated studies.

Prints the tables that docs/how-we-checked.md sums up, and which rows are off the target; exit 1 if the interval of one
person's answers in a study like GRASP's is. The seeds are fixed, so the tables are always the same. With `people`,
`dependence`, `groups` or `corners` it prints one part: figures of groups of questions that people answer, and what is
hardest (few clips, few people, unequal clips, near 100 %, equal rows), are here. Every figure comes from the one door
that pages use, `measures.estimate`.
"""

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    django.setup()

import numpy as np
from scipy.special import expit

from measures.estimate import (
    PairedScores,
    ScoredItems,
    VotedItem,
    consistency,
    difference,
    estimate,
    figure_of_votes,
    fresh_gap,
    rows_below,
    share_of,
)
from measures.figures import Interval
from tools.bench.trials import dependence_coverage
from tools.bench.trials.dependence_coverage import (
    SPREAD,
    TARGET,
    VOTES,
    Array,
    DependentWorld,
    Held,
    Panel,
    exceptions,
    held_by,
    level_of,
    majority_of,
    panel_of,
    panel_of_parts,
    scores_of,
    swings,
    table,
    voted,
)

KINDS = {2: "pairs", 4: "quads"}
GROUPED = (
    (12, 100, 2),
    (12, 64, 4),
    (8, 48, 2),
    (8, 96, 4),
    (6, 32, 2),
    (6, 96, 2),
    (24, 32, 2),
    (40, 21, 2),
)  # people, judgments of each, group's size
TRUTHS = (0.7, 0.9)  # of one person
FOR_TRUTH = 2_000  # studies whose mean is the true group score


def parts_of(sampled: Array, panel: Panel, size: int) -> tuple[Array, Array]:
    """Each group's score by majorities, and of each answer the gain of its group's score if it is right."""
    scores = majority_of(right := np.bincount(panel.item, sampled), VOTES).reshape(-1, size)
    others = np.array([np.delete(scores, place, axis=1).prod(axis=1) for place in range(size)]).T.ravel()
    return scores.prod(axis=1), swings(right, sampled, panel, VOTES) * others[panel.item]


@cache
def true_score(people: int, each: int, size: int, truth: float) -> float:
    """The mean group score of many studies."""
    rng = np.random.default_rng(9)
    panel, level = panel_of(people, each, VOTES, rng), level_of(truth, SPREAD * np.sqrt(2))
    studies = (parts_of(scores_of(panel, level, SPREAD, rng), panel, size)[0].mean() for _ in range(FOR_TRUTH))
    return float(np.mean([*studies]))


def groups_of(sampled: Array, panel: Panel, size: int) -> list[VotedItem]:
    return voted(panel, sampled, *parts_of(sampled, panel, size), size)


def groups_and_a_model(people: int, each: int, size: int, truth: float) -> DependentWorld:
    """A model as good by groups as people's majorities; the simple interval takes people as fixed."""
    equal, level = true_score(people, each, size, truth), level_of(truth, SPREAD * np.sqrt(2))
    panel = panel_of(people, each, VOTES, np.random.default_rng(people))

    def draw(rng: np.random.Generator) -> tuple[Interval, Interval]:
        groups = groups_of(scores_of(panel, level, SPREAD, rng), panel, size)
        model = (rng.random(len(groups)) < equal).astype(float).tolist()
        pairs = [PairedScores(of.labels, of.score, right, of.voters) for of, right in zip(groups, model, strict=True)]
        return difference(pairs).interval, difference([replace(pair, voters=()) for pair in pairs]).interval

    return DependentWorld(_design(people, each, size, truth), 0.0, draw)


def groups_alone(people: int, each: int, size: int, truth: float) -> DependentWorld:
    """The group score of people's majorities; the simple interval takes people as fixed."""
    level, panel = level_of(truth, SPREAD * np.sqrt(2)), panel_of(people, each, VOTES, np.random.default_rng(people))

    def draw(rng: np.random.Generator) -> tuple[Interval, Interval]:
        groups = groups_of(scores_of(panel, level, SPREAD, rng), panel, size)
        scores = [group.score for group in groups]
        return figure_of_votes(groups).interval, share_of(scores, np.arange(len(scores))).interval

    return DependentWorld(_design(people, each, size, truth), true_score(people, each, size, truth), draw)


def _design(people: int, each: int, size: int, truth: float) -> str:
    return f"{people} people × {each}, {KINDS[size]}, one person right on {100 * truth:.0f} %"


def measured_groups(draws: int) -> Iterator[tuple[str, str, list[Held]]]:
    """Yield the heading, the name of what is measured, and the rows of each table about groups of questions."""
    designs = [(*panel, truth) for truth in TRUTHS for panel in GROUPED]
    for of, name in ((groups_and_a_model, "difference"), (groups_alone, "group score")):
        yield "Groups of questions", name, [held_by(of(*design), draws, seed) for seed, design in enumerate(designs)]


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
        both = zip(*sides, strict=True)
        pairs = [PairedScores(one.labels, one.score, two.score, one.voters, two.voters) for one, two in both]
        fixed = [PairedScores(pair.labels, pair.first, pair.second) for pair in pairs]
        return difference(pairs).interval, difference(fixed).interval

    design = f"two panels of {people} people × {each}, {votes} votes an item, one person right on {100 * truth:.0f} %"
    return DependentWorld(design, 0.0, draw)


def _voted(panel: Panel, level: float, votes: int, ease: Array, name: str, rng: Rng) -> list[VotedItem]:
    """The score and the voters of each item; everybody finds the same items hard."""
    skill = rng.normal(0, SPREAD, panel.people)[panel.person]
    sampled = (rng.random(len(skill)) < expit(level + skill + ease[panel.item])).astype(float)
    scores = majority_of(right := np.bincount(panel.item, sampled), votes)
    return voted(panel, sampled, scores, swings(right, sampled, panel, votes), name=name)


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


def measured_corners(draws: int) -> Iterator[tuple[str, str, list[Held]]]:
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


DRAWS = 1_000
PARTS = {
    "people": dependence_coverage.measured_panels,
    "dependence": dependence_coverage.measured,
    "groups": measured_groups,
    "corners": measured_corners,
}


def main(wanted: str) -> int:
    began, off = time.monotonic(), list[Held]()
    for name, part in PARTS.items():
        for heading, what, rows in part(DRAWS) if wanted in ("", name) else ():
            _say(heading, f"{table(rows, what)}\n\n{exceptions(rows)}")
            off += [one for one in rows if one.world.must_hold and not TARGET[0] <= one.share <= TARGET[1]]
    if wanted in ("", "corners"):
        _say("Ranks of equal models", ranks_table())
    print(f"{len(off)} rows off target, {time.monotonic() - began:.0f} s", file=sys.stderr)
    for one in off:
        print(f"{one.world.design}, at {100 * one.world.truth:.0f} %", file=sys.stderr)
    return 1 if off else 0


def _say(heading: str, text: str) -> None:
    print(f"## {heading}\n\n{text}\n", flush=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:] or [""]))
