"""Tries attacks on the site as built, and tests whether guesses beat chance: an exact binomial test per attack, with
Holm's correction over all."""

import random
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.core.cache import caches
from django.db import transaction
from scipy.stats import binomtest

from measures.estimate import family
from tests.seals.attacker import AT_FULL_SIZE, Attacker
from tests.seals.site import Built, answers_of_seats
from tests.seals.ways import OF_SEATS, Way, name_of

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


def tried(attacker: Attacker, built: Built, ways: Mapping[Way, Collection[str]]) -> Iterator[Result]:
    """The result of each attack on each of its targets; its changes are rolled back before the next."""
    for way, targets in ways.items():
        for name in targets if way not in OF_SEATS else ("sealed",):
            yield _tried(attacker, built, way, name)


def _tried(attacker: Attacker, built: Built, way: Way, name: str) -> Result:
    for cache in caches.all():
        cache.clear()
    attacker.tokens.clear()
    with transaction.atomic():
        guesses = way(attacker, attacker.target(name))
        is_of_seats = way in OF_SEATS
        truth = answers_of_seats(attacker.tokens) if is_of_seats else built.truth[name]
        transaction.set_rollback(True)
    return judged(name_of(way), "seats" if is_of_seats else name, guesses, truth or built.truth[name])
