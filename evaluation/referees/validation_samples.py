"""Samples that validate a referee: answers known to be right, and answers known to be irrelevant.

Section 10 of the fact sheet. For SGAE and PPE each item gets one positive answer (the gold label reworded; the true
caption) and one random one (another item's label or caption). For MGAE it gets sets of three, two of each kind: {s, e,
r} must be accepted and {e, r, r'} rejected. Here s is the reworded gold label, e a wrong prediction, and r and r' are
unrelated ones. The paper leaves the rest open. In this implementation e is another item's label from the same data set,
r and r' are further labels, from another data set if there is one, and the order within a set is drawn.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from evaluation.referees.rubrics import ACCURACY, DIVERSITY, Rubric

POSITIVE, RANDOM = "positive", "random"
SETS = 2  # of each kind, per item
SHARE = 0.15
FEWEST = {"sgae": 2, "ppe": 2, "mgae": 4}  # items of a data set; with fewer there is no other label to draw from
Reword = Callable[[Sequence[str]], list[str]]


@dataclass(frozen=True)
class ReferenceItem:
    """An item with its known right answer."""

    draw_key: str
    dataset: str
    rubric: Rubric
    gold: str


@dataclass(frozen=True)
class Sample:
    """An answer for the referee to judge. `place` is the right answer's position in a set, counted from 1; 0 = none."""

    draw_key: str
    dataset: str
    kind: str
    text: str
    seed: int = 0
    place: int = 0


def family(rubric: Rubric) -> str:
    """The rubric's evaluator (one of three), derived from its dimensions."""
    names = {each.name: each.highest for each in rubric.dimensions}
    if DIVERSITY.name in names:
        return "ppe"
    return "sgae" if names.get(ACCURACY.name) == ACCURACY.highest else "mgae"


def gold_of(rubric: Rubric, facts: Mapping[str, str]) -> str:
    """The known right answer: the rule and next picture, or the true label."""
    if family(rubric) == "sgae":
        return " ".join(filter(None, (facts.get("pattern", ""), facts.get("pred", ""))))
    return facts.get("truth", "")


def random_samples(known: Sequence[ReferenceItem], *, share: float, seed: int) -> dict[str, list[ReferenceItem]]:
    """A random share of each data set; data sets with too few items are left out."""
    found = {}
    for dataset in sorted({each.dataset for each in known}):
        own = _by_id(each for each in known if each.dataset == dataset)
        fewest = FEWEST[family(own[0].rubric)]
        if len({each.gold for each in own}) >= fewest:
            count = min(len(own), max(math.ceil(share * len(own)), fewest))
            found[dataset] = _by_id(_chance(seed, dataset).sample(own, count))
    return found


def samples_of(
    chosen: Mapping[str, Sequence[ReferenceItem]], known: Sequence[ReferenceItem], *, seed: int, reword: Reword
) -> Iterator[Sample]:
    """All samples of the chosen items; wrong labels are drawn from all known items."""
    every = [each for items in chosen.values() for each in items]
    golds = [each.gold for each in every if family(each.rubric) != "ppe"]
    other_words = dict(zip(golds, reword(golds), strict=True)) if golds else {}
    for each in every:
        chance = _chance(seed, each.draw_key)
        if family(each.rubric) == "mgae":
            yield from _sets(each, other_words[each.gold], known, chance)
        else:
            yield Sample(each.draw_key, each.dataset, POSITIVE, other_words.get(each.gold, each.gold))
            yield Sample(each.draw_key, each.dataset, RANDOM, chance.choice(_others(each, known)))


def _by_id(known: Iterable[ReferenceItem]) -> list[ReferenceItem]:
    return sorted(known, key=lambda each: each.draw_key)


def _chance(seed: int, of: str) -> Random:
    """A generator seeded by seed and name, which gives the same draws on every machine."""
    return Random(f"{seed}:{of}")  # noqa: S311


def _sets(each: ReferenceItem, right: str, known: Sequence[ReferenceItem], chance: Random) -> Iterator[Sample]:
    wrong = _others(each, known)
    elsewhere = sorted({one.gold for one in known if one.dataset != each.dataset and one.gold != each.gold})
    for number in range(SETS):
        first = chance.choice(wrong)
        beside = elsewhere if len(elsewhere) >= SETS else [gold for gold in wrong if gold != first]
        unrelated = chance.sample(beside, 2)
        for kind, answers in ((POSITIVE, [right, first, unrelated[0]]), (RANDOM, [first, *unrelated])):
            chance.shuffle(answers)
            text = "\n".join(f"{place}. {answer}" for place, answer in enumerate(answers, start=1))
            place = answers.index(right) + 1 if kind == POSITIVE else 0
            yield Sample(each.draw_key, each.dataset, kind, text, number, place)


def _others(each: ReferenceItem, known: Sequence[ReferenceItem]) -> list[str]:
    """Different gold labels of other items in the same data set."""
    return sorted({one.gold for one in known if one.dataset == each.dataset and one.gold != each.gold})


def reworded_by_rule(texts: Sequence[str]) -> list[str]:
    """The label in a sentence of its own: the fallback without a paraphrasing model."""
    return [f"What I make of it is this: {text[:1].lower()}{text[1:]}" for text in texts]
