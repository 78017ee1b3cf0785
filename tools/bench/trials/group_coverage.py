"""Coverage of the figures of groups of questions that people answer: both of a pair right, all of a quad.

Part of `python -m tools.bench.trials.interval_coverage`, which prints its tables. People, items and
their answers are drawn as in `dependence_coverage`; a group's questions are judged by different people, as sheets are
dealt at random.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np

from measures.estimate import PairedScores, VotedItem, Voter, difference, figure_of_votes, share_of
from measures.figures import Interval
from tools.bench.trials.dependence_coverage import (
    SPREAD,
    VOTES,
    Array,
    DependentWorld,
    Held,
    Panel,
    held_by,
    level_of,
    majority_of,
    panel_of,
    scores_of,
    swings,
)

KINDS = {2: "pairs", 4: "quads"}
PANELS = (
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


def voted(sampled: Array, panel: Panel, size: int) -> list[VotedItem]:
    """The groups with their scores and voters, as boards have them."""
    scores, gains = parts_of(sampled, panel, size)
    rows = [Voter(f"{panel.person[at]}", float(sampled[at]), float(gains[at])) for at in range(len(sampled))]
    own = [np.flatnonzero(panel.item // size == group) for group in range(len(scores))]
    return [VotedItem(float(scores[at]), tuple(rows[one] for one in own[at]), at) for at in range(len(scores))]


def groups_and_a_model(people: int, each: int, size: int, truth: float) -> DependentWorld:
    """A model as good by groups as people's majorities; the simple interval takes people as fixed."""
    equal, level = true_score(people, each, size, truth), level_of(truth, SPREAD * np.sqrt(2))
    panel = panel_of(people, each, VOTES, np.random.default_rng(people))

    def draw(rng: np.random.Generator) -> tuple[Interval, Interval]:
        groups = voted(scores_of(panel, level, SPREAD, rng), panel, size)
        model = (rng.random(len(groups)) < equal).astype(float).tolist()
        pairs = [PairedScores(of.labels, of.score, right, of.voters) for of, right in zip(groups, model, strict=True)]
        return difference(pairs).interval, difference([replace(pair, voters=()) for pair in pairs]).interval

    return DependentWorld(_design(people, each, size, truth), 0.0, draw)


def groups_alone(people: int, each: int, size: int, truth: float) -> DependentWorld:
    """The group score of people's majorities; the simple interval takes people as fixed."""
    level, panel = level_of(truth, SPREAD * np.sqrt(2)), panel_of(people, each, VOTES, np.random.default_rng(people))

    def draw(rng: np.random.Generator) -> tuple[Interval, Interval]:
        groups = voted(scores_of(panel, level, SPREAD, rng), panel, size)
        scores = [group.score for group in groups]
        return figure_of_votes(groups).interval, share_of(scores, np.arange(len(scores))).interval

    return DependentWorld(_design(people, each, size, truth), true_score(people, each, size, truth), draw)


def _design(people: int, each: int, size: int, truth: float) -> str:
    return f"{people} people × {each}, {KINDS[size]}, one person right on {100 * truth:.0f} %"


def measured(draws: int) -> Iterator[tuple[str, str, list[Held]]]:
    """Yield the heading, the name of what is measured, and the rows of each table about groups of questions."""
    designs = [(*panel, truth) for truth in TRUTHS for panel in PANELS]
    for of, name in ((groups_and_a_model, "difference"), (groups_alone, "group score")):
        yield "Groups of questions", name, [held_by(of(*design), draws, seed) for seed, design in enumerate(designs)]
