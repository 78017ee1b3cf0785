"""Answers without a model: baselines that look at neither clip nor question, and scripted replies for tests."""

import itertools
import json
import random
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from evaluation.adapters.base import REPLY, Reply, Request, Turn, at_once
from evaluation.errors import ModelMisused, ModelOverloaded


class AlwaysYes:
    """Says yes."""

    description: dict[str, Any] = {"device": "none", "what": "says yes"}

    def answer(self, requests: Iterable[Request]) -> Iterator[Reply]:
        return at_once(_repeated(self.word(request), request) for request in requests)

    def word(self, request: Request) -> str:
        return "yes"


class AlwaysNo(AlwaysYes):
    description = {"device": "none", "what": "says no"}

    def word(self, request: Request) -> str:
        return "no"


class RandomAnswer(AlwaysYes):
    """Picks one of the possible answers by the request's seed, so that the same request gets the same answer."""

    description = {"device": "none", "what": "draws an answer"}

    def word(self, request: Request) -> str:
        return random.Random(request.seed).choice(request.options or ("yes", "no"))  # noqa: S311


def _repeated(text: str, request: Request) -> Reply:
    return Reply(text, turns=(text,) * request.turns.count(REPLY))


class ScriptedModel:
    """Replies with the text for an item in `replies` (or the JSON file at `path`), else with `default`.

    The default "random" draws by the request's seed. Each answer takes `seconds`, and answers come in groups of
    `batch`. `busy` and `misused` raise at the first question; an item in `errors` gets that error.
    """

    def __init__(
        self,
        *,
        replies: Mapping[str, str] | None = None,
        path: str = "",
        default: str = "yes",
        seconds: float = 0.0,
        batch: int = 1,
        errors: Mapping[str, str] | None = None,
        busy: str = "",
        misused: str = "",
    ) -> None:
        self.replies = dict(replies or {}) | (json.loads(Path(path).read_text(encoding="utf-8")) if path else {})
        self.default, self.seconds, self.errors = default, seconds, dict(errors or {})
        self.batch, self.busy, self.misused = batch, busy, misused
        self.description: dict[str, Any] = {"device": "none", "what": "a script"}

    def answer(self, requests: Iterable[Request]) -> Iterator[Reply]:
        if self.busy:
            raise ModelOverloaded(self.busy)
        if self.misused:
            raise ModelMisused(self.misused)
        waiting = iter(requests)
        while batch := list(itertools.islice(waiting, self.batch)):
            time.sleep(self.seconds * len(batch))
            yield from at_once([self._reply(request) for request in batch])

    def _reply(self, request: Request) -> Reply:
        if request.key in self.errors:
            return Reply("", error=self.errors[request.key])
        if request.key not in self.replies and self.default == "random":
            return next(RandomAnswer().answer([request]))
        texts = [str(turn.text) for turn in request.turns if isinstance(turn, Turn)]
        text = (
            self.replies.get(request.key, self.default)
            .replace("{last}", texts[-1])
            .replace("{frames}", str(_frames(request)))
        )
        return Reply(text, turns=("I see.",) * (request.turns.count(REPLY) - 1) + (text,))


def _frames(request: Request) -> int:
    return sum(len(turn.frames or ()) for turn in request.turns if isinstance(turn, Turn))
