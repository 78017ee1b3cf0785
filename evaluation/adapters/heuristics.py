"""Answerers that look at nothing: what a board is compared with."""

import random
from collections.abc import Iterator, Sequence
from typing import Any

from evaluation.adapters.base import REPLY, Reply, Request


def _say(request: Request, text: str) -> Reply:
    return Reply(text, turns=(text,) * request.turns.count(REPLY))


class AlwaysYes:
    """Says yes, whatever was asked."""

    description: dict[str, Any] = {"device": "none", "what": "says yes"}

    def answer(self, requests: Sequence[Request]) -> Iterator[Reply]:
        for request in requests:
            yield _say(request, "yes")


class AlwaysNo:
    """Says no, whatever was asked."""

    description: dict[str, Any] = {"device": "none", "what": "says no"}

    def answer(self, requests: Sequence[Request]) -> Iterator[Reply]:
        for request in requests:
            yield _say(request, "no")


class RandomAnswer:
    """Draws one of the possible answers, by the request's seed alone: asked again, it says the same."""

    description: dict[str, Any] = {"device": "none", "what": "draws an answer"}

    def answer(self, requests: Sequence[Request]) -> Iterator[Reply]:
        for request in requests:
            options = request.options or ("yes", "no")
            yield _say(request, random.Random(request.seed).choice(options))  # noqa: S311
