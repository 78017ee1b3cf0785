"""Limits of a call: what a run may still spend, and how many requests may be in flight.

A conversation starts only if its longest reply is affordable. One more request may be in flight after each round that
goes well, half as many when the server is overloaded: additive increase, multiplicative decrease (Chiu and Jain 1989),
as in TCP. This finds the server's capacity and shares it fairly with other clients that use the same rule.
"""

import asyncio
import math
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from evaluation.adapters.base import REPLY, Request, Turn
from evaluation.adapters.dialogue import Dialogue
from evaluation.errors import CeilingReached

LETTERS_A_TOKEN = 3  # fewer than most texts have, so that prompts are overestimated rather than underestimated
TOKENS_A_PICTURE, TOKENS_A_SECOND, TOKENS_A_PROMPT = 1000, 50, 50  # used until the server has counted some
MILLION = 1_000_000


@dataclass
class SpendingLimit:
    """What is left of a run's ceiling, in tokens and in the currency of the model's prices (per million tokens).

    `rate` is the highest ratio so far of tokens counted by the server to tokens estimated here.
    """

    tokens: float = math.inf
    cost: float = math.inf
    price_in: float = 0.0
    price_out: float = 0.0
    rate: float = 1.0
    is_measured: bool = False

    def cost_of(self, tokens_in: float, tokens_out: float) -> float:
        return (tokens_in * self.price_in + tokens_out * self.price_out) / MILLION

    def note(self, need: "Need", tokens_in: int | None, tokens_out: int | None) -> None:
        """Deduct what a conversation used; an uncounted conversation is charged at its maximum."""
        if tokens_in is None or tokens_out is None:
            self.tokens -= need.tokens
            self.cost -= need.cost
            return
        self.tokens -= tokens_in + tokens_out
        self.cost -= self.cost_of(tokens_in, tokens_out)
        if need.estimated and tokens_in:
            measured = tokens_in / need.estimated
            self.rate, self.is_measured = max(self.rate, measured) if self.is_measured else measured, True


@dataclass(frozen=True)
class Need:
    """The most that one conversation may use."""

    estimated: float  # tokens of its prompts, before `rate`
    tokens: float
    cost: float


@dataclass
class Gate:
    """Admits conversations in order. The first one runs alone, so that the server's own counts are known early."""

    allowance: SpendingLimit
    held: list[Need] = field(default_factory=list)
    _line: asyncio.Lock = field(default_factory=asyncio.Lock)
    _freed: asyncio.Event = field(default_factory=asyncio.Event)

    @asynccontextmanager
    async def admitted(self, dialogue: Dialogue, most_out: int) -> AsyncIterator[None]:
        """Wait until the conversation is affordable; raises CeilingReached if it is not and no other is open."""
        async with self._line:
            while not self._fits(need := self.need_of(dialogue.request, most_out)):
                if not self.held:
                    raise CeilingReached(self._limits_text())
                self._freed.clear()
                await self._freed.wait()
            self.held.append(need)
        try:
            yield
        finally:
            self.held.remove(need)
            self.allowance.note(need, *dialogue.tokens)
            self._freed.set()

    def need_of(self, request: Request, most_out: int) -> Need:
        estimated = prompts_of(request, most_out)
        out = most_out * max(1, request.turns.count(REPLY))
        tokens_in = estimated * self.allowance.rate
        return Need(estimated, tokens_in + out, self.allowance.cost_of(tokens_in, out))

    def _fits(self, need: Need) -> bool:
        left = self.allowance
        tokens, cost = (sum(getattr(one, name) for one in (*self.held, need)) for name in ("tokens", "cost"))
        return tokens <= left.tokens and cost <= left.cost and (left.is_measured or not self.held)

    def _limits_text(self) -> str:
        left = self.allowance
        parts = [f"{max(0, left.tokens):,.0f} tokens"] if left.tokens < math.inf else []
        parts += [f"{max(0.0, left.cost):.4g}"] if left.cost < math.inf else []
        return f"the ceiling is reached: {' and '.join(parts)} left, and the next reply could pass it"


def prompts_of(request: Request, most_out: int) -> float:
    """Estimated tokens of all prompts of a conversation; each prompt repeats the earlier turns."""
    total, text_tokens = 0.0, len(request.system) / LETTERS_A_TOKEN + TOKENS_A_PROMPT
    for part in request.turns:
        if isinstance(part, Turn):
            text_tokens += len(part.text.encode()) / LETTERS_A_TOKEN
            text_tokens += TOKENS_A_PICTURE * len(part.frames) if part.frames else 0
            text_tokens += TOKENS_A_SECOND * part.audio.seconds if part.audio else 0
        else:
            total += text_tokens
            text_tokens += most_out
    return total or text_tokens


START = 4.0
FIRST_WAIT, LONGEST_WAIT = 0.5, 60.0  # seconds


class Throttle:
    """The limit within one event loop; the caller passes `limit` on to the next loop."""

    def __init__(self, most: int, limit: float = START) -> None:
        self.most, self.limit, self.in_flight = most, min(limit, float(most)), 0
        self._quiet_until = self._lowered_at = 0.0
        self._again = 0  # requests waiting to be sent again
        self._changed = asyncio.Event()

    @asynccontextmanager
    async def slot(self, *, again: bool = False) -> AsyncIterator[float]:
        """Wait until one more request may be sent, one sent `again` before all others; yields the time of sending."""
        self._again += again
        try:
            await self._turn(again)
            self.in_flight += 1
        finally:
            self._again -= again
            self._changed.set()
        try:
            yield time.monotonic()
        finally:
            self.in_flight -= 1
            self._changed.set()

    async def _turn(self, again: bool) -> None:
        while (quiet := self._quiet_until - time.monotonic()) > 0 or not self._is_free(again):
            if quiet > 0:
                await asyncio.sleep(quiet)
            else:
                self._changed.clear()
                await self._changed.wait()

    def _is_free(self, again: bool) -> bool:
        return self.in_flight < int(self.limit) and (again or not self._again)

    def went_well(self) -> None:
        self.limit = min(float(self.most), self.limit + 1 / self.limit)
        self._changed.set()

    def was_too_much(self, sent_at: float, quiet_seconds: float = 0.0) -> None:
        """Halve the limit once for all requests in flight together, and pause sending for `quiet_seconds`."""
        if sent_at >= self._lowered_at:
            self.limit, self._lowered_at = max(1.0, self.limit / 2), time.monotonic()
        self._quiet_until = max(self._quiet_until, time.monotonic() + quiet_seconds)


def backoff(attempt: int) -> float:
    """Seconds to wait before attempt 2, 3, …: random up to a doubling bound, so that clients don't retry together."""
    return random.uniform(0, min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1)))  # noqa: S311
