"""Baselines that look at neither clip nor question."""

import random
from collections.abc import Iterable, Iterator
from typing import Any

from evaluation.adapters.base import REPLY, Reply, Request, at_once


def _say(request: Request, text: str) -> Reply:
    return Reply(text, turns=(text,) * request.turns.count(REPLY))


class AlwaysYes:
    """Always says yes."""

    description: dict[str, Any] = {"device": "none", "what": "says yes"}

    def answer(self, requests: Iterable[Request]) -> Iterator[Reply]:
        return at_once(_say(request, "yes") for request in requests)


class AlwaysNo:
    """Always says no."""

    description: dict[str, Any] = {"device": "none", "what": "says no"}

    def answer(self, requests: Iterable[Request]) -> Iterator[Reply]:
        return at_once(_say(request, "no") for request in requests)


class RandomAnswer:
    """Picks one of the possible answers by the request's seed, so that the same request gets the same answer."""

    description: dict[str, Any] = {"device": "none", "what": "draws an answer"}

    def answer(self, requests: Iterable[Request]) -> Iterator[Reply]:
        return at_once(_say(request, _random_option(request)) for request in requests)


def _random_option(request: Request) -> str:
    return random.Random(request.seed).choice(request.options or ("yes", "no"))  # noqa: S311
