"""Tests whether guesses are better than chance: an exact binomial test per attack, with Holm's correction over all."""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from scipy.stats import binomtest

from measures.estimate import family
from tests.seals.attacker import AT_FULL_SIZE

# For all attacks together. Names and salts of the site are drawn anew each time, so that about one in a thousand sites
# without a leak fails the test.
ALPHA = 0.001
ITEMS = 64 if AT_FULL_SIZE else 24  # per attack
FEWER = 16  # for a costly attack in `make test`; all right: p = 1.5e-5


@dataclass(frozen=True)
class Result:
    """The result of one attack on one target."""

    way: str
    target: str
    guessed: int  # number of items with a guess; the others are decided by a coin
    right: int
    items: int
    p: float

    def __str__(self) -> str:
        found = f"{self.right} of {self.items} right ({self.guessed} guessed), p = {self.p:.2g}"
        return f"{self.way} on {self.target}: {found}"


def judged(way: str, target: str, guesses: Mapping[str, str] | None, truth: Mapping[str, str]) -> Result:
    """The number of right guesses and its p-value; an item without a guess is decided by a coin."""
    guesses = {name: guess for name, guess in (guesses or {}).items() if name in truth}
    options = sorted(set(truth.values()))
    coin = random.Random(f"{way}/{target}")
    right = sum(guesses.get(name, coin.choice(options)) == answer for name, answer in sorted(truth.items()))
    p = binomtest(right, len(truth), 1 / len(options), alternative="greater").pvalue if guesses else 1.0
    return Result(way, target, len(guesses), right, len(truth), float(p))


def better_than_chance(results: Iterable[Result]) -> list[Result]:
    """The results that are significant after Holm's correction over all of them."""
    found = list(results)
    adjusted = family([result.p for result in found])
    return [result for result, p in zip(found, adjusted, strict=True) if p is not None and p <= ALPHA]
