"""Scores of groups of questions that are answered together: both of a pair, all of a quad, a chain of steps."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from math import prod
from operator import mul

RULES: Mapping[str, str] = {
    "all": "1 if every question of the group is right, else 0",
    "square": "the square of the share of right answers (Video-MME-v2, relevance)",
    "chain": "the share of questions before the first wrong one, in their order (Video-MME-v2, logic)",
}


def group_score(rule: str, scores: Sequence[float]) -> float:
    """The score of one group from its questions' scores in order; a share counts as a probability of being right."""
    if rule == "all":
        return prod(scores)
    if rule == "square":
        return (sum(scores) / len(scores)) ** 2
    return sum(accumulate(scores, mul)) / len(scores)


def question_gains(rule: str, scores: Sequence[float]) -> list[float]:
    """For each question the gain of the group's score if it is right instead of wrong, as the others are."""
    return [
        group_score(rule, [*scores[:place], 1.0, *scores[place + 1 :]])
        - group_score(rule, [*scores[:place], 0.0, *scores[place + 1 :]])
        for place in range(len(scores))
    ]


def guessed(rule: str, chances: Sequence[float]) -> float:
    """The expected group score of independent guesses at each question, computed exactly."""
    if rule != "square":
        return group_score(rule, chances)  # expectations of products of independent guesses
    right = sum(chances)
    spread = sum(chance * (1 - chance) for chance in chances)
    return (right**2 + spread) / len(chances) ** 2


def group_scores(
    answers: Iterable[tuple[str, int, int, float]], rules: Mapping[str, str], sizes: Mapping[str, int]
) -> dict[str, list[float]]:
    """Group -> a score for each seed with an answer to every question, from (group, place, seed, score) rows."""
    found: dict[tuple[str, int], dict[int, float]] = defaultdict(dict)
    for group, place, seed, score in answers:
        found[group, seed][place] = score
    scores: dict[str, list[float]] = defaultdict(list)
    for (group, _), places in sorted(found.items()):
        if len(places) == sizes.get(group):
            scores[group].append(group_score(rules[group], [places[place] for place in sorted(places)]))
    return dict(scores)
