"""Learns a rule from items with known answers: one feature that predicts the answer, and its threshold."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from tests.seals.attacker import Target

Features = Mapping[str, Mapping[str, object]]  # item -> name of a feature -> its value
NEARLY_ALL = 0.9  # share of the known items that a rule must fit
FEWEST = 12  # a feature needs so many known items
WORD = re.compile(r"[^\s\"'<>=,;:(){}\[\]]+")


@dataclass(frozen=True)
class Rule:
    """A feature whose value decides the answer; `fits` is the share of known items that it gets right."""

    feature: str
    value: object  # a threshold if it is a float, else the value that means `above`
    above: str
    below: str
    fits: float

    def guess(self, features: Mapping[str, object]) -> str | None:
        given = features.get(self.feature, False if isinstance(self.value, bool) else None)
        if given is None:
            return None
        if isinstance(self.value, float) and isinstance(given, int | float):
            return self.above if given > self.value else self.below
        return self.above if given == self.value else self.below


def guesses(target: Target, features: Features) -> dict[str, str] | None:
    """The answers by the rule that fits the known items best; None if no rule fits nearly all of them."""
    rules = [rule for known in (target.told, target.public) if (rule := rule_of(target, features, known))]
    for rule in sorted(rules, key=lambda rule: -rule.fits):
        found = {name: guess for name in target.ids if (guess := rule.guess(features.get(name, {})))}
        if len(set(found.values())) > 1:
            return found
    return None


def rule_of(target: Target, features: Features, known: Mapping[str, str]) -> Rule | None:
    """The rule that fits these known items best; None if it doesn't fit nearly all of them."""
    names = {name for item in known for name in features.get(item, {})}
    rules = (rule for name in sorted(names) for rule in _rules(target, name, features, known))
    best = max(rules, key=lambda rule: rule.fits, default=None)
    return best if best and best.fits >= NEARLY_ALL else None


def _rules(target: Target, name: str, features: Features, known: Mapping[str, str]):
    pairs = [(features[item][name], answer) for item, answer in known.items() if name in features.get(item, {})]
    if len(pairs) < FEWEST or len({str(value) for value, _ in pairs}) < 2:
        return
    are_numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value, _ in pairs)
    values = {value for value, _ in pairs}
    if are_numbers:
        ordered = sorted(float(value) for value in values)  # type: ignore[arg-type]
        cuts: list[object] = [(low + high) / 2 for low, high in pairwise(ordered)]
    else:
        cuts = sorted(values, key=str)
    for cut in cuts:
        for above, below in (target.options, target.options[::-1]):
            fits = sum(Rule(name, cut, above, below, 0).guess({name: value}) == answer for value, answer in pairs)
            yield Rule(name, cut, above, below, fits / len(pairs))


def with_absent(found: Mapping[str, set[str]], items: list[str]) -> dict[str, dict[str, object]]:
    """Words as boolean features: whether an item has each word that more than 5 % and less than 95 % of items have."""
    counts: dict[str, int] = {}
    for words in found.values():
        for word in words:
            counts[word] = counts.get(word, 0) + 1
    telling = {word for word, n in counts.items() if 0.05 * len(items) < n < 0.95 * len(items)}
    return {item: {word: word in found.get(item, set()) for word in telling} for item in items}
