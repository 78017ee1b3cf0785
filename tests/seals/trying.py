"""Tries attacks on targets, each on the site as it was built."""

from collections.abc import Collection, Iterator, Mapping

from django.core.cache import caches
from django.db import transaction

from tests.seals.attacker import Attacker
from tests.seals.site import Built, answers_of_seats
from tests.seals.verdict import Result, judged
from tests.seals.ways.registry import OF_SEATS, Way, name_of


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
