"""What a referee is validated with: answers known to be right, and answers known to be beside the point.

Section 10 of the fact sheet. SGAE and PPE get one positive answer an item (the gold label in other words; the true
caption) and one random one (the label or caption of another item). MGAE gets sets of three: {s, e, r} must be accepted
and {e, r, r'} rejected, where s is the gold label in other words, e a wrong prediction and r, r' unrelated ones; two of
each an item. What the paper leaves open is ours: e is the label of another item of the same data set, r and r' are
labels of yet others, of another data set where there is one; the order within a set is drawn.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from evaluation.refereeing.rubrics import ACCURACY, DIVERSITY, Rubric

POSITIVE, RANDOM = "positive", "random"
SETS = 2  # of each kind, an item
SHARE = 0.15
FEWEST = {"sgae": 2, "ppe": 2, "mgae": 4}  # items of a data set, or there is no other label to draw
Reword = Callable[[Sequence[str]], list[str]]


@dataclass(frozen=True)
class Known:
    """One item with what is known to be right about it."""

    public_id: str
    dataset: str
    rubric: Rubric
    gold: str


@dataclass(frozen=True)
class Sample:
    """One answer to be put to the referee. `place` says where in a set the right answer stands, from 1; 0 = nowhere."""

    public_id: str
    dataset: str
    kind: str
    text: str
    seed: int = 0
    place: int = 0


def family(rubric: Rubric) -> str:
    """Which of the three evaluators a rubric is a wording of: by what it scores."""
    names = {each.name: each.highest for each in rubric.dimensions}
    if DIVERSITY.name in names:
        return "ppe"
    return "sgae" if names.get(ACCURACY.name) == ACCURACY.highest else "mgae"


def gold_of(rubric: Rubric, facts: Mapping[str, str]) -> str:
    """The right answer as far as it is known: rule and next picture, or the true label."""
    if family(rubric) == "sgae":
        return " ".join(filter(None, (facts.get("pattern", ""), facts.get("pred", ""))))
    return facts.get("truth", "")


def drawn(known: Sequence[Known], *, share: float, seed: int) -> dict[str, list[Known]]:
    """So large a part of each data set, drawn; a data set with too few items is left out."""
    found = {}
    for dataset in sorted({each.dataset for each in known}):
        own = _by_id(each for each in known if each.dataset == dataset)
        fewest = FEWEST[family(own[0].rubric)]
        if len({each.gold for each in own}) >= fewest:
            count = min(len(own), max(math.ceil(share * len(own)), fewest))
            found[dataset] = _by_id(_chance(seed, dataset).sample(own, count))
    return found


def samples_of(chosen: Mapping[str, Sequence[Known]], known: Sequence[Known], *, seed: int, reword: Reword
               ) -> Iterator[Sample]:  # fmt: skip
    """Every sample of the chosen items; labels of others are drawn from all that is known."""
    every = [each for items in chosen.values() for each in items]
    said = [each.gold for each in every if family(each.rubric) != "ppe"]
    other_words = dict(zip(said, reword(said), strict=True)) if said else {}
    for each in every:
        chance = _chance(seed, each.public_id)
        if family(each.rubric) == "mgae":
            yield from _sets(each, other_words[each.gold], known, chance)
        else:
            yield Sample(each.public_id, each.dataset, POSITIVE, other_words.get(each.gold, each.gold))
            yield Sample(each.public_id, each.dataset, RANDOM, chance.choice(_others(each, known)))


def _by_id(known: Iterable[Known]) -> list[Known]:
    return sorted(known, key=lambda each: each.public_id)


def _chance(seed: int, of: str) -> Random:
    """The same draws for the same name under the same seed, on every machine."""
    return Random(f"{seed}:{of}")  # noqa: S311


def _sets(each: Known, right: str, known: Sequence[Known], chance: Random) -> Iterator[Sample]:
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
            yield Sample(each.public_id, each.dataset, kind, text, number, place)


def _others(each: Known, known: Sequence[Known]) -> list[str]:
    """Gold labels of other items of the data set that say something else."""
    return sorted({one.gold for one in known if one.dataset == each.dataset and one.gold != each.gold})


def reworded_by_rule(texts: Sequence[str]) -> list[str]:
    """Ours, where no model puts it in other words: the label in a sentence of its own."""
    return [f"What I make of it is this: {text[:1].lower()}{text[1:]}" for text in texts]
