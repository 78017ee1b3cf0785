"""Models behind any server that speaks OpenAI's chat completions: vLLM, SGLang, Ollama, hosted ones.

Several conversations are under way at once, replies come in the order of the requests. What waiting can mend is asked
again; what is left is one sentence: about this question where the server answers others, else about the model.
"""

import asyncio
import json
import logging
import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from evaluation.adapters.base import Reply, Request
from evaluation.adapters.dialogue import Dialogue
from evaluation.adapters.loop_thread import LoopThread
from evaluation.adapters.server_messages import how_shown, messages
from evaluation.adapters.server_options import ServerOptions, server_options
from evaluation.adapters.server_replies import LARGEST_BODY, Later, Malformed, Said, Unanswerable, said_by
from evaluation.adapters.throttle import START, Throttle, backoff
from evaluation.errors import ModelBusy, ModelMisused

MILLION = 1_000_000
SEEDS = 2**31  # servers keep a seed in 32 bits

logging.getLogger("httpx").setLevel(logging.WARNING)  # else a line for each request


@dataclass
class Usage:
    """What one call of `answer` used."""

    requests: int = 0
    again: int = 0  # attempts beyond the first
    tokens_in: int = 0
    tokens_out: int = 0
    untold: int = 0  # replies whose tokens the server does not tell

    def add(self, said: Said) -> None:
        self.tokens_in += said.tokens_in or 0
        self.tokens_out += said.tokens_out or 0
        self.untold += said.tokens_in is None or said.tokens_out is None


@dataclass
class Call:
    """What the conversations of one call of `answer` share."""

    client: httpx.AsyncClient
    throttle: Throttle
    usage: Usage = field(default_factory=Usage)


class OpenAIModel:
    """A model of such a server; `options` are those of ServerOptions. Nothing is sent before the first question."""

    answers_alone = True  # no reply hangs on the others of its batch

    def __init__(self, **options: Any) -> None:
        self.options: ServerOptions = server_options(options)
        self._key = self.options.key()
        self._limit, self._heard = START, 0
        self.description: dict[str, Any] = {
            "device": f"server {httpx.URL(self.options.base_url).host}",
            "model": self.options.model,
            "shown": how_shown(self.options),
        }

    @staticmethod
    def check_options(options: Mapping[str, Any]) -> None:
        """Raises ModelMisused; the key need not be here yet."""
        server_options(options)

    def answer(self, requests: Sequence[Request]) -> Iterator[Reply]:
        """In order; a caller who stops listening stops all that is under way."""
        with LoopThread() as loop:
            call = loop.start(self._begun()).result()
            try:
                going = [loop.start(self._carried_on(call, Dialogue(request))) for request in requests]
                for one in going:
                    yield one.result()
            finally:
                loop.stop_all()
                self._note(call)
                loop.start(call.client.aclose()).result()

    async def _begun(self) -> Call:
        headers = {"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        # No timeout of httpx's own: those are between two bytes, ours is on the whole (see _attempt).
        limits = httpx.Limits(max_connections=self.options.concurrency)
        client = httpx.AsyncClient(headers=headers, timeout=None, limits=limits)  # noqa: S113  # each call has its own # nosec B113
        return Call(client, Throttle(self.options.concurrency, self._limit))

    async def _carried_on(self, call: Call, dialogue: Dialogue) -> Reply:
        while dialogue.is_open:
            try:
                said = await self._asked(call, dialogue)
            except Unanswerable as error:
                dialogue.error = self._without_key(str(error))
            except ModelMisused as error:
                raise ModelMisused(self._without_key(str(error))) from None
            except ModelBusy as error:
                raise ModelBusy(self._without_key(str(error))) from None
            else:
                dialogue.hear(said.text, ended=said.ended)
        return dialogue.reply()

    async def _asked(self, call: Call, dialogue: Dialogue) -> Said:
        """One reply, asked for as often as makes sense."""
        heard_before, until, attempt = self._heard, 0.0, 0
        fault: Later | Malformed
        while True:
            attempt += 1
            async with call.throttle.slot() as sent_at:
                until = until or sent_at + self.options.deadline
                call.usage.requests += 1
                call.usage.again += attempt > 1
                try:
                    said = await self._attempt(call, dialogue, until - sent_at)
                except Malformed as error:
                    fault, wait = error, backoff(attempt)
                except Later as error:
                    fault, wait = error, max(error.seconds or 0.0, backoff(attempt))
                    call.throttle.was_too_much(
                        sent_at, (error.seconds or 0.0) if self._may(attempt, wait, until) else 0
                    )
                else:
                    self._heard += 1
                    call.throttle.went_well()
                    call.usage.add(said)
                    self._note_server(said)
                    return said
            if not self._may(attempt, wait, until):
                raise self._given_up(fault, attempt, others_heard=self._heard > heard_before)
            await asyncio.sleep(wait)

    def _may(self, attempt: int, wait: float, until: float) -> bool:
        """Whether another attempt after this wait is within bounds."""
        return attempt < self.options.attempts and time.monotonic() + wait < until

    async def _attempt(self, call: Call, dialogue: Dialogue, left: float) -> Said:
        """One exchange. The limit is on the whole of it: a server that sends a byte now and then is late as well."""
        seconds = min(self.options.timeout, max(left, 0.001))
        body = await asyncio.to_thread(self._body, dialogue)
        try:
            async with (
                asyncio.timeout(seconds),
                call.client.stream(
                    "POST", self.options.address, content=body, headers={"Content-Type": "application/json"}
                ) as response,
            ):
                got = await _read(response)
        except TimeoutError:
            raise Later(f"the server gave no reply within {seconds:.3g} s") from None
        except httpx.ConnectError as error:
            if isinstance(_root(error), ssl.SSLCertVerificationError):
                raise ModelMisused(f"the server's certificate is not valid: {_words(error)}") from None
            raise Later(f"the server can't be reached: {_words(error)}") from None
        except httpx.DecodingError as error:
            raise Malformed(f"the server's answer can't be unpacked: {_words(error)}") from None
        except httpx.HTTPError as error:
            raise Later(f"the server broke off: {_words(error)}") from None
        return said_by(response.status_code, response.headers, got)

    def _given_up(self, fault: Later | Malformed, attempts: int, *, others_heard: bool) -> Exception:
        words = f"{fault} ({attempts} attempt{'s' * (attempts > 1)})"
        if isinstance(fault, Malformed):
            return Unanswerable(words) if self._heard else ModelMisused(words)
        if fault.seconds:
            words += f"; it asks to wait {fault.seconds:.0f} s"
        return Unanswerable(words) if others_heard and not fault.is_limit else ModelBusy(words)

    def _body(self, dialogue: Dialogue) -> bytes:
        options, request = self.options, dialogue.request
        fields = {
            "model": options.model,
            "messages": messages(dialogue, options),
            "temperature": request.temperature,
            "seed": request.seed % SEEDS,
            options.length_field: request.max_new_tokens,
            "stream": False,
        } | dict(options.extra)
        return json.dumps({name: value for name, value in fields.items() if value is not None}).encode()

    def _without_key(self, words: str) -> str:
        """Some servers repeat the key in their complaint about it."""
        return words.replace(self._key, "…") if self._key else words

    def _note(self, call: Call) -> None:
        """`usage` is of this call alone: a caller adds calls up."""
        self._limit = call.throttle.limit
        used, options = call.usage, self.options
        usage: dict[str, Any] = {name: value for name, value in vars(used).items() if name != "untold" or value}
        if options.price_in is not None or options.price_out is not None:
            spent = used.tokens_in * (options.price_in or 0.0) + used.tokens_out * (options.price_out or 0.0)
            usage["cost"] = round(spent / MILLION, 6)
        self.description |= {"usage": usage, "concurrency": int(self._limit)}

    def _note_server(self, said: Said) -> None:
        """Hosted models change without notice: what the server calls itself is kept."""
        for name, value in (("answered by", said.model), ("fingerprints", said.fingerprint)):
            known = self.description.setdefault(name, [])
            if value and value not in known and len(known) < 20:
                known.append(value[:120])


async def _read(response: httpx.Response) -> bytes:
    got = bytearray()
    async for chunk in response.aiter_bytes():
        got += chunk
        if len(got) > LARGEST_BODY:
            raise Malformed(f"the server's answer is larger than {LARGEST_BODY // 2**20} MB")
    return bytes(got)


def _words(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:160]


def _root(error: BaseException) -> BaseException:
    while cause := error.__cause__ or error.__context__:
        error = cause
    return error
