"""Coverage of intervals and size of tests where answers depend on each other: clusters, dyads, and people with models.

Part of `python -m tools.bench.trials.interval_coverage`, which prints its tables. An answer is right with
logit = level + the effects of its clip, objects, person and item; all effects are normal and drawn anew each time.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit

from measures.comparing.error_consistency import error_consistency_interval, gains
from measures.comparing.paired import PeopleParts, discordance
from measures.estimate import figure_of_answers, figure_of_votes
from measures.figures import Interval
from measures.shares.crossed import projected
from measures.shares.intervals import clustered
from measures.shares.majorities import VotedItem, Voter

Array = NDArray[np.float64]
Places = NDArray[np.int64]
Draw = Callable[[np.random.Generator], tuple[Interval, Interval]]  # the interval shown, and one that is too simple
TARGET = (0.93, 0.97)
OBJECTS, PAIRS = 152, 582  # of PACS' test set; two questions a pair
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)
PANELS = ((120, 16), (24, 64), (12, 160))  # people and judgments of each; the first is GRASP's study
ONE_TEST = (120, 1)  # one of its 16 tests: everybody judges one of 40 clips
SPREAD = 1.0  # logits, of people and of items
VOTES = 3


@dataclass(frozen=True)
class DependentWorld:
    """A design and its true score or difference, 0 to 1, which the intervals of many draws should hold."""

    design: str
    truth: float
    draw: Draw
    must_hold: bool = False  # else a miss is printed, but no failure


@dataclass(frozen=True)
class Held:
    """How often each of the two intervals held the truth, and the mean width of the first."""

    world: DependentWorld
    share: float
    simple: float
    width: float


@cache
def level_of(mean: float, spread: float) -> float:
    """The logit whose mean probability, with normal effects of this standard deviation, is `mean`."""
    return brentq(lambda at: float(WEIGHTS @ expit(at + spread * NODES) / WEIGHTS.sum()) - mean, -20, 20)


def held_by(world: DependentWorld, draws: int, seed: int) -> Held:
    rng = np.random.default_rng(seed)
    found = [world.draw(rng) for _ in range(draws)]
    share, simple = (sum(pair[way].low <= world.truth <= pair[way].high for pair in found) / draws for way in (0, 1))
    return Held(world, share, simple, sum(one.high - one.low for one, _ in found) / draws)


def clusters_of(count: int, size: int, truth: float, correlation: float) -> DependentWorld:
    """Clusters of one size with beta-distributed probabilities; the simple interval takes answers as independent."""
    labels, rest = np.repeat(np.arange(count), size), 1 / correlation - 1

    def draw(rng: np.random.Generator) -> tuple[Interval, Interval]:
        chances = rng.beta(truth * rest, (1 - truth) * rest, count)[labels]
        values = (rng.random(len(labels)) < chances).astype(float)
        return clustered(values, labels), clustered(values, np.arange(len(labels)))

    return DependentWorld(f"{count} clips of {size}, correlation {correlation}", truth, draw)


def pacs_graph() -> Places:
    """Pairs of objects, a row for each question: as many as in PACS' test set, and like these in one component."""
    rng = np.random.default_rng(0)
    tree = [(one, rng.integers(one)) for one in range(1, OBJECTS)]
    more = [rng.choice(OBJECTS, 2, replace=False) for _ in range(PAIRS - len(tree))]
    return np.repeat(np.array([*tree, *more]), 2, axis=0)


def right_on(labels: Places, truth: float, spread: float, rng: np.random.Generator) -> Array:
    """Answers whose logit has an effect of each of both objects, and one of the pair with half the variance."""
    objects, pairs = rng.normal(size=OBJECTS), np.repeat(rng.normal(size=PAIRS), 2)
    effects = objects[labels].sum(axis=1) / np.sqrt(2) + pairs / np.sqrt(2)
    chances = expit(level_of(truth, spread * np.sqrt(1.5)) + spread * effects)
    return (rng.random(len(labels)) < chances).astype(float)


def dyads_of(truth: float, spread: float) -> DependentWorld:
    """One model on PACS' graph; the simple interval clusters only by the first object."""
    labels = pacs_graph()

    def draw(rng: np.random.Generator) -> tuple[Interval, Interval]:
        values = right_on(labels, truth, spread, rng)
        return clustered(values, labels), clustered(values, labels[:, 0])

    return DependentWorld(f"PACS' objects, spread {spread}", truth, draw)


def equal_on_dyads(truth: float, spread: float) -> DependentWorld:
    """Two equally good models on PACS' graph, on different objects."""
    labels = pacs_graph()

    def draw(rng: np.random.Generator) -> tuple[Interval, Interval]:
        values = right_on(labels, truth, spread, rng) - right_on(labels, truth, spread, rng)
        return discordance(values, labels).interval(), discordance(values, labels[:, 0]).interval()

    return DependentWorld(f"two models of {100 * truth:.0f} %, PACS' objects, spread {spread}", 0.0, draw)


def pairs_of(n: int, first: float, second: float) -> DependentWorld:
    """Two models on independent clips; the simple interval is that of t."""

    def draw(rng: np.random.Generator) -> tuple[Interval, Interval]:
        values = (rng.random(n) < first).astype(float) - (rng.random(n) < second)
        half = 1.96 * values.std(ddof=1) / np.sqrt(n)
        return discordance(values, np.arange(n)).interval(), Interval(values.mean() - half, values.mean() + half)

    return DependentWorld(f"{100 * first:.0f} against {100 * second:.0f} % on {n} clips", first - second, draw)


def kappa_of(first: NDArray, second: NDArray, labels: NDArray, people: PeopleParts | None = None) -> Interval:
    found = error_consistency_interval((first > 0.5).tolist(), (second > 0.5).tolist(), labels, people)
    return found or Interval(-1.0, 1.0)


def errors_of(n: int, right: float, kappa: float) -> DependentWorld:
    """Two equally accurate models whose errors have this kappa; the simple interval is kappa's t."""
    alike = 1 - 2 * right * (1 - right) * (1 - kappa)
    apart = (1 - alike) / 2
    shares = np.array([right - apart, apart, apart, 1 - right - apart])

    def draw(rng: np.random.Generator) -> tuple[Interval, Interval]:
        cells = rng.choice(4, n, p=shares)
        first, second = (cells < 2).astype(float), (cells % 2 == 0).astype(float)
        return kappa_of(first, second, np.arange(n)), delta_interval(np.bincount(cells, minlength=4) / n, n)

    return DependentWorld(f"{n} clips, both right on {100 * right:.0f} %", kappa, draw)


def delta_interval(shares: Array, n: int) -> Interval:
    """Kappa ± 1.96 standard errors by the delta method from the four shares; a point if they have no spread."""
    both, only_first, only_second, neither = shares
    p, q = both + only_first, both + only_second
    expected = p * q + (1 - p) * (1 - q)
    if expected >= 1:
        return Interval(-1.0, 1.0)
    kappa, alike = (both + neither - expected) / (1 - expected), np.array([1, 0, 0, 1])
    marginals = (2 * q - 1) * np.array([1, 1, 0, 0]) + (2 * p - 1) * np.array([1, 0, 1, 0])
    values = (alike - (1 - kappa) * marginals) / (1 - expected)
    half = 1.96 * np.sqrt(max(0.0, shares @ values**2 - (shares @ values) ** 2) / n)
    return Interval(kappa - half, kappa + half)


def unlike_on_dyads(truth: float, spread: float) -> DependentWorld:
    """Two models on PACS' graph that find different objects hard; the simple interval knows only the first object."""
    labels = pacs_graph()

    def draw(rng: np.random.Generator) -> tuple[Interval, Interval]:
        first, second = (right_on(labels, truth, spread, rng) for _ in range(2))
        return kappa_of(first, second, labels), kappa_of(first, second, labels[:, 0])

    return DependentWorld(f"two models of {100 * truth:.0f} %, PACS' objects, spread {spread}", 0.0, draw)


@dataclass(frozen=True)
class Panel:
    """So many people of so many judgments, and the item and person of each judgment."""

    people: int
    items: int
    item: Places
    person: Places


def panel_of(people: int, each: int, votes: int, rng: np.random.Generator) -> Panel:
    """A random panel in which nobody judges an item twice, like GRASP's sheets."""
    items = people * each // votes
    places = rng.permutation(np.repeat(np.arange(people), each)).reshape(votes, items)
    while len(twice := np.flatnonzero((np.diff(np.sort(places, axis=0), axis=0) == 0).any(axis=0))):
        for item in twice:
            vote, other = rng.integers(votes), rng.integers(items)
            places[vote, [item, other]] = places[vote, [other, item]]
    return Panel(people, items, np.tile(np.arange(items), votes), places.ravel())


def panel_of_parts(people: int, each: int, votes: int) -> Panel:
    """A panel in which the same people judge each part of the items, like Giraffe's parts and Tapped's sheets."""
    items = people * each // votes
    return Panel(people, items, np.tile(np.arange(items), votes), np.repeat(np.arange(people), each))


def swings(right: NDArray, scores: Array, panel: Panel, votes: int) -> Array:
    """The gain of the item's majority if an answer is right instead of wrong."""
    others = right[panel.item] - scores
    return majority_of(others + 1, votes) - majority_of(others, votes)


def voted(panel: Panel, sampled: Array, scores: Array, gains: Array, size: int = 1, name: str = "") -> list[VotedItem]:
    """The items, or groups of so many, with their scores and voters, as boards have them."""
    answers = zip(panel.person, sampled, gains, strict=True)
    voters = [Voter(f"{name}{person}", float(right), float(gain)) for person, right, gain in answers]
    order = np.argsort(panel.item // size, kind="stable")
    own = np.split(order, np.cumsum(np.bincount(panel.item // size))[:-1])
    rows = enumerate(zip(scores, own, strict=True))
    return [VotedItem(float(score), tuple(voters[one] for one in answers), at) for at, (score, answers) in rows]


def majority_of(right: NDArray, votes: int) -> Array:
    return (2 * right > votes) + 0.5 * (2 * right == votes)


def chance_of_majority(level: float, votes: int, items: float = SPREAD) -> float:
    """The mean score of the majority of so many people, over people and items."""
    of_item = np.array([WEIGHTS @ expit(level + items * at + SPREAD * NODES) / WEIGHTS.sum() for at in NODES])
    alike = [of_item**2 * (3 - 2 * of_item), of_item][votes == 2]  # a tie of two counts half
    return float(WEIGHTS @ alike / WEIGHTS.sum())


def people_and_a_model(
    people: int, each: int, truth: float, votes: int = VOTES, *, in_parts: bool = False
) -> DependentWorld:
    """A model equally accurate as the majority of people; the simple interval takes people as fixed."""
    equal = chance_of_majority(level := level_of(truth, SPREAD * np.sqrt(2)), votes)
    rng = np.random.default_rng(people)
    panel = panel_of_parts(people, each, votes) if in_parts else panel_of(people, each, votes, rng)

    def draw(rng: np.random.Generator) -> tuple[Interval, Interval]:
        sampled = scores_of(panel, level, SPREAD, rng)
        scores = majority_of(right := np.bincount(panel.item, sampled), votes)
        shares = projected(sampled, swings(right, sampled, panel, votes))
        values, items = scores - (rng.random(panel.items) < equal), np.arange(panel.items)
        both = discordance(values, items, PeopleParts(shares, panel.person, panel.item, float(scores.mean())))
        return both.interval(), discordance(values, items).interval()

    design = f"{people} people × {each}, {votes} votes an item, one person right on {100 * truth:.0f} %"
    design += ", the same people on all items of a part" if in_parts else ""
    return DependentWorld(design, 0.0, draw)


def majorities_of(people: int, each: int, truth: float, votes: int = VOTES, items: float = SPREAD) -> DependentWorld:
    """The majority of people; the simple interval takes people as fixed."""
    level = level_of(truth, float(np.hypot(SPREAD, items)))
    panel = panel_of(people, each, votes, np.random.default_rng(people))

    def draw(rng: np.random.Generator) -> tuple[Interval, Interval]:
        sampled = scores_of(panel, level, items, rng)
        scores = majority_of(right := np.bincount(panel.item, sampled), votes)
        found = voted(panel, sampled, scores, swings(right, sampled, panel, votes))
        return figure_of_votes(found).interval, clustered(scores, np.arange(panel.items))

    design = f"{people} people × {each}, the majority of {votes}, spread of items {items}"
    return DependentWorld(design, chance_of_majority(level, votes, items), draw)


def single_answers_of(people: int, each: int, truth: float, items: float = SPREAD) -> DependentWorld:
    """One person of a panel; the simple interval takes people as fixed."""
    level = level_of(truth, float(np.hypot(SPREAD, items)))
    panel = panel_of(people, each, VOTES, np.random.default_rng(people))

    def draw(rng: np.random.Generator) -> tuple[Interval, Interval]:
        sampled = scores_of(panel, level, items, rng)
        return figure_of_answers(sampled.tolist(), panel.person, panel.item).interval, clustered(sampled, panel.item)

    design = f"{people} people × {each}, one person, spread of items {items}"
    return DependentWorld(design, truth, draw, must_hold=truth <= 0.9)


def scores_of(panel: Panel, level: float, items: float, rng: np.random.Generator) -> Array:
    skill, ease = rng.normal(0, SPREAD, panel.people)[panel.person], rng.normal(0, items, panel.items)[panel.item]
    return (rng.random(len(skill)) < expit(level + skill + ease)).astype(float)


def people_unlike_a_model(people: int, each: int, truth: float) -> DependentWorld:
    """A model whose errors are independent of people's; the simple interval takes people as fixed."""
    level, panel = level_of(truth, SPREAD * np.sqrt(2)), panel_of(people, each, VOTES, np.random.default_rng(people))
    items = np.arange(panel.items)

    def draw(rng: np.random.Generator) -> tuple[Interval, Interval]:
        sampled = scores_of(panel, level, SPREAD, rng)
        right = np.bincount(panel.item, sampled)
        scores, model = majority_of(right, VOTES), (rng.random(panel.items) < truth).astype(float)
        of_people, _ = gains((scores > 0.5).tolist(), (model > 0.5).tolist())
        parts = projected(sampled, swings(right, sampled, panel, VOTES)) * of_people[panel.item]
        shares = PeopleParts(parts, panel.person, panel.item)
        return kappa_of(scores, model, items, shares), kappa_of(scores, model, items)

    return DependentWorld(f"{people} people × {each} and a model, right on {100 * truth:.0f} %", 0.0, draw)


def of_scores() -> Iterator[DependentWorld]:
    yield from (clusters_of(5, 20, truth, 0.3) for truth in (0.5, 0.7, 0.9, 0.98))
    yield from (clusters_of(64, 3, truth, 0.3) for truth in (0.5, 0.9, 0.98))
    yield from (dyads_of(truth, spread) for truth in (0.5, 0.7, 0.9, 0.98) for spread in (0.5, 1.0, 2.0))


def of_panels() -> Iterator[DependentWorld]:
    yield from (single_answers_of(*panel, truth) for panel in PANELS for truth in (0.7, 0.9, 0.95))
    kinds = ((0.7, 1.0), (0.9, 0.5), (0.9, 1.0), (0.95, 1.0))
    yield from (majorities_of(*panel, truth, items=items) for panel in PANELS for truth, items in kinds)
    yield from (majorities_of(*panel, 0.7, votes=2) for panel in PANELS)
    yield from (single_answers_of(*PANELS[0], 0.8, items) for items in (0.5, 1.0, 2.0))
    yield from (single_answers_of(*ONE_TEST, truth) for truth in (0.6, 0.7, 0.8, 0.9, 0.95))
    yield from (majorities_of(*ONE_TEST, truth, items=items) for truth, items in kinds)


def of_differences() -> Iterator[DependentWorld]:
    yield from (pairs_of(40, *shares) for shares in ((0.7, 0.7), (0.9, 0.8), (1.0, 0.97)))
    yield from (equal_on_dyads(truth, spread) for truth in (0.5, 0.7, 0.9) for spread in (0.5, 1.0))
    yield from (people_and_a_model(*panel, truth) for panel in PANELS for truth in (0.7, 0.8, 0.9, 0.95))
    yield from (people_and_a_model(*panel, 0.7, votes=2) for panel in PANELS)
    yield from (people_and_a_model(*panel, truth, in_parts=True) for panel in PANELS[1:] for truth in (0.7, 0.95))


def of_kappas() -> Iterator[DependentWorld]:
    yield from (errors_of(40, *shares) for shares in ((0.7, 0.0), (0.7, 0.4), (0.7, 0.8), (0.9, 0.0), (0.9, 0.5)))
    yield from (errors_of(192, *shares) for shares in ((0.7, 0.4), (0.9, 0.5)))
    yield from (unlike_on_dyads(0.7, spread) for spread in (0.5, 1.0))
    yield from (people_unlike_a_model(*panel, 0.8) for panel in PANELS)


def table(found: Sequence[Held], what: str) -> str:
    lines = [f"| design | {what} | held | simple | width |", "|---|---|---|---|---|"]
    for one in found:
        shares = " | ".join(f"{100 * number:.1f} %" for number in (one.world.truth, one.share, one.simple, one.width))
        lines.append(f"| {one.world.design} | {shares} |")
    return "\n".join(lines)


def exceptions(every: Sequence[Held]) -> str:
    """The rows that are off the target, in words."""
    low, high = ([one for one in every if is_off(one.share)] for is_off in (TARGET[0].__gt__, TARGET[1].__lt__))
    names = (
        "; ".join(f"{one.world.design}, at {100 * one.world.truth:.1f} % ({100 * one.share:.1f} %)" for one in found)
        for found in (low, high)
    )
    below, above = (name or "none" for name in names)
    return f"Fewer than 93 %: {below}. More than 97 %: {above}."


def measured_panels(draws: int) -> Iterator[tuple[str, str, list[Held]]]:
    """Yield the heading, the name of what is measured, and the rows of the table about people alone."""
    yield "Panels of people", "score", _held(of_panels(), draws)


def measured(draws: int) -> Iterator[tuple[str, str, list[Held]]]:
    """Yield the heading, the name of what is measured, and the rows of each table about dependence."""
    yield "Clusters and objects in pairs", "score", _held(of_scores(), draws)
    yield "Differences", "difference", _held(of_differences(), draws)
    yield "Error consistency", "kappa × 100", _held(of_kappas(), draws)


def _held(worlds: Iterable[DependentWorld], draws: int) -> list[Held]:
    return [held_by(world, draws, seed) for seed, world in enumerate(worlds)]
