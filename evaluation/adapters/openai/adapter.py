"""Queries models behind any server with OpenAI's chat completions: vLLM, SGLang, Ollama, hosted ones.

Several conversations run at once; replies come in the order of the requests. Temporary failures are retried. A lasting
failure is an error of this question if the server answers other questions, else of the model.
"""

import asyncio
import json
import logging
import ssl
import threading
import time
from collections.abc import Coroutine, Iterable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import httpx

from benchmarks.errors import StoreAway
from benchmarks.leasing import LeaseHeartbeat
from benchmarks.policy import LIMITS
from evaluation.adapters.base import Reply, Request, options_as
from evaluation.adapters.dialogue import Dialogue
from evaluation.adapters.hosts import host_and_port, proxy_to, public_host, transport_to
from evaluation.adapters.openai.dialects import fields_for, merged, option_in
from evaluation.adapters.openai.limits import START, Gate, SpendingLimit, Throttle, backoff
from evaluation.adapters.openai.messages import media_form, messages, times_of_videos, without_media
from evaluation.adapters.openai.options import ServerOptions
from evaluation.adapters.openai.responses import (
    LARGEST_BODY,
    Broken,
    Later,
    Malformed,
    ServerReply,
    Unanswerable,
    log_probs_of,
    reply_from,
)
from evaluation.errors import ModelMisused, ModelOverloaded
from evaluation.replies import Ending, SpokenReply

LISTED = 20  # the most likely first tokens with log-probabilities; servers give no more than this
SEEDS = 2**31  # servers keep a seed in 32 bits
LOOK = 0.2  # seconds between two looks at a lease that is out of reach

logging.getLogger("httpx").setLevel(logging.WARNING)  # otherwise it logs a line for each request


@dataclass
class Usage:
    """Requests and tokens used by one call of `answer`."""

    requests: int = 0
    again: int = 0  # attempts beyond the first
    tokens_in: int = 0
    tokens_out: int = 0
    untold: int = 0  # replies without token counts

    def add(self, reply: ServerReply) -> None:
        self.tokens_in += reply.tokens_in or 0
        self.tokens_out += reply.tokens_out or 0
        self.untold += reply.tokens_in is None or reply.tokens_out is None


@dataclass
class Call:
    """State shared by the conversations of one call of `answer`."""

    client: httpx.AsyncClient
    throttle: Throttle
    gate: Gate | None = None
    usage: Usage = field(default_factory=Usage)


class OpenAIModel:
    """A model behind a server, with the options of ServerOptions; nothing is sent before the first question."""

    answers_alone = True  # each reply is independent of the others of its batch

    def __init__(self, **options: Any) -> None:
        self.options = options_as(ServerOptions, options)
        self._key = self.options.key()
        self._limit, self._heard = START, 0
        self.allowance: SpendingLimit | None = None
        self.signs: LeaseHeartbeat | None = None
        self.description: dict[str, Any] = {
            "device": f"server {public_host(httpx.URL(self.options.base_url).host)}".strip(),
            "model": self.options.model,
            "shown": media_form(self.options),
            "thinking tokens": self.options.thinking_tokens,
            **self.options.facts(),
        }

    @staticmethod
    def check_options(options: Mapping[str, Any]) -> None:
        """Raise ModelMisused for wrong options; the key need not be set yet."""
        options_as(ServerOptions, options)

    def hold_to(self, allowance: SpendingLimit | None) -> None:
        """Limit spending from now on; what was learnt about the server's token counts is kept."""
        if allowance and self.allowance:
            allowance.rate, allowance.is_measured = self.allowance.rate, self.allowance.is_measured
        self.allowance = allowance

    def ask_under(self, signs: LeaseHeartbeat) -> None:
        """Send requests only while this lease is surely ours: meanwhile another worker may store their replies."""
        self.signs = signs

    def answer(self, requests: Iterable[Request]) -> Iterator[Reply]:
        """Yield replies in order; if the caller stops, all open requests are cancelled."""
        with LoopThread() as loop:
            call, going = loop.start(self._begun()).result(), list[Future[Reply]]()
            try:
                failure = self._ask(loop, call, requests, going)
                for one in going:
                    yield one.result()
                if failure:
                    raise failure
            finally:
                loop.stop_all()
                self._note(call)
                loop.start(call.client.aclose()).result()

    def _ask(
        self, loop: "LoopThread", call: Call, requests: Iterable[Request], going: list[Future[Reply]]
    ) -> Exception | None:
        """Send the requests; return why one could not be made, since replies to those before it are paid for."""
        try:
            for dialogue in map(Dialogue, requests):
                if not going or dialogue.request.shows_stills:  # record every prompt that shows single pictures
                    sent = without_media(messages(dialogue, self.options))
                    dialogue.prompt = json.dumps(sent, ensure_ascii=False)
                going.append(loop.start(self._admitted(call, dialogue)))
        except (StoreAway, OSError) as error:
            return error
        return None

    async def _begun(self) -> Call:
        headers = {"Accept-Encoding": "identity"} | self.options.authorization(self._key)
        # httpx's timeouts apply between two bytes; `_attempt` limits the whole exchange instead.
        limits = httpx.Limits(max_connections=self.options.concurrency)
        way = transport_to(self.options.base_url, limits)
        client = httpx.AsyncClient(headers=headers, timeout=None, transport=way)  # noqa: S113  # each call has its own # nosec B113
        gate = Gate(self.allowance) if self.allowance else None
        return Call(client, Throttle(self.options.concurrency, self._limit), gate)

    async def _admitted(self, call: Call, dialogue: Dialogue) -> Reply:
        """Hold the conversation as soon as the rest of the run's ceiling covers it."""
        if call.gate is None:
            return await self._carried_on(call, dialogue)
        longest = dialogue.request.max_new_tokens + self._room_for_thoughts(dialogue.request)
        async with call.gate.admitted(dialogue, longest):
            return await self._carried_on(call, dialogue)

    async def _carried_on(self, call: Call, dialogue: Dialogue) -> Reply:
        while dialogue.is_open:
            try:
                reply = await self._reply_after_attempts(call, dialogue)
            except Unanswerable as error:
                dialogue.error, dialogue.is_lasting = self._with_proxy(error), error.is_lasting
            except ModelMisused as error:
                raise ModelMisused(self._with_proxy(error)) from None
            except ModelOverloaded as error:
                raise ModelOverloaded(self._with_proxy(error)) from None
            else:
                dialogue.counts.append((reply.tokens_in, reply.tokens_out))
                if dialogue.weighs:
                    self._weigh(dialogue, reply)
                elif dialogue.chooses and reply.spoken.ending == Ending.ANSWERED:  # saying nothing is a result
                    self._choose(dialogue, reply.spoken)
                else:
                    dialogue.hear(reply.spoken)
        return dialogue.reply()

    def _weigh(self, dialogue: Dialogue, reply: ServerReply) -> None:
        try:
            found = log_probs_of(reply.first_tokens, dialogue.request.options)
        except Unanswerable as error:
            dialogue.error = self._without_key(str(error))
        else:
            dialogue.weigh(found, "the server's log-probabilities")
            self.description["likelihood"] = f"first token, of the {LISTED} likeliest"

    def _choose(self, dialogue: Dialogue, reply: SpokenReply) -> None:
        """Interpret the reply as one of the options; a server that ignores the options does not support constraints."""
        if option := option_in(reply.answer, dialogue.request, self.options.choice_as):
            dialogue.hear(replace(reply, text=option))
            return
        options = ", ".join(dialogue.request.options)
        begins = " ".join(reply.text.split())[:40]
        dialogue.error = (
            f"the server was told to answer one of {options} ({self.options.choice_as}) and said {begins!r}"
        )

    async def _reply_after_attempts(self, call: Call, dialogue: Dialogue) -> ServerReply:
        """One reply, after at most the allowed number of attempts; time spent in line for a slot does not count."""
        replies_before, spent, attempt = self._heard, 0.0, 0
        fault: Later | Malformed
        while True:
            attempt += 1
            async with call.throttle.slot(again=attempt > 1) as sent_at:
                await self._until_sure()
                call.usage.requests += 1
                call.usage.again += attempt > 1
                try:
                    reply = await self._attempt(call, dialogue)
                except (Malformed, Later) as error:
                    fault, wait = error, max(error.seconds or 0.0, backoff(attempt))
                    spent += time.monotonic() - sent_at + wait
                    if isinstance(error, Later):
                        call.throttle.was_too_much(sent_at, error.seconds or 0.0 if self._may(attempt, spent) else 0.0)
                else:
                    self._heard += 1
                    call.throttle.went_well()
                    call.usage.add(reply)
                    self._note_server(reply)
                    return reply
            if not self._may(attempt, spent):
                raise self._failure(fault, attempt, others_answered=self._heard > replies_before)
            await asyncio.sleep(wait)

    async def _until_sure(self) -> None:
        while self.signs and not self.signs.is_sure:
            self.signs.check()
            await asyncio.sleep(LOOK)

    def _may(self, attempt: int, spent: float) -> bool:
        """Whether the limits allow another attempt after these seconds of attempts and waits."""
        return attempt < self.options.attempts and spent < self.options.deadline

    async def _attempt(self, call: Call, dialogue: Dialogue) -> ServerReply:
        """One exchange with a limit on its total time, so that a server that sends single bytes times out, too."""
        seconds = min(self.options.timeout, self.options.deadline)
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
                raise ModelMisused(f"the server's certificate is not valid: {_error_text(error)}") from None
            raise Later(f"the server can't be reached: {_error_text(error)}") from None
        except httpx.DecodingError as error:
            raise Malformed(f"the server's answer can't be unpacked: {_error_text(error)}") from None
        except httpx.HTTPError as error:
            raise Later(f"the server broke off: {_error_text(error)}") from None
        return reply_from(response.status_code, response.headers, got)

    def _failure(self, fault: Later | Malformed, attempts: int, *, others_answered: bool) -> Exception:
        words = f"{fault} ({attempts} attempt{'s' * (attempts > 1)})"
        if isinstance(fault, Malformed):
            return Unanswerable(words, is_lasting=False) if self._heard else ModelMisused(words)
        if fault.seconds:
            words += f"; it asks to wait {fault.seconds:.0f} s"
        is_of_this_question = self._heard > 0 if isinstance(fault, Broken) else others_answered and not fault.is_limit
        return Unanswerable(words, is_lasting=False) if is_of_this_question else ModelOverloaded(words)

    def _body(self, dialogue: Dialogue) -> bytes:
        options, request = self.options, dialogue.request
        fields = (
            {
                "model": options.model,
                "messages": messages(dialogue, options),
                "temperature": request.temperature,
                "seed": request.seed % SEEDS,
                options.length_field: request.max_new_tokens + self._room_for_thoughts(request),
                "stream": False,
            }
            | ({"logprobs": True, "top_logprobs": LISTED, options.length_field: 1} if dialogue.weighs else {})
            | times_of_videos(dialogue, options)
            | fields_for(
                request, chooses=dialogue.chooses, choice_as=options.choice_as, thinking_as=options.thinking_as
            )
        )
        fields = merged(fields, options.extra)
        return json.dumps({name: value for name, value in fields.items() if value is not None}).encode()

    def _room_for_thoughts(self, request: Request) -> int:
        """The number of extra tokens for thoughts: the run's setting, or else the model's option."""
        if request.thinking is None or request.thinking is True:
            return self.options.thinking_tokens
        return int(request.thinking)

    def _with_proxy(self, error: Exception) -> str:
        """The error without the key, and with the proxy that the environment names."""
        proxy = proxy_to(httpx.URL(self.options.base_url))
        return self._without_key(f"{error} (by way of the proxy {host_and_port(proxy)})" if proxy else str(error))

    def _without_key(self, words: str) -> str:
        """The message without the key, which some servers repeat in their errors."""
        return words.replace(self._key, "…") if self._key else words

    def _note(self, call: Call) -> None:
        """Record limit and usage in the description; `usage` is of this call only, and the caller sums the calls."""
        self._limit = call.throttle.limit
        used, options = call.usage, self.options
        usage: dict[str, Any] = {name: value for name, value in vars(used).items() if name != "untold" or value}
        if options.price_in is not None or options.price_out is not None:
            prices = SpendingLimit(price_in=options.price_in or 0.0, price_out=options.price_out or 0.0)
            usage["cost"] = round(prices.cost_of(used.tokens_in, used.tokens_out), 6)
        self.description |= {"usage": usage, "concurrency": int(self._limit)}

    def _note_server(self, reply: ServerReply) -> None:
        """Record the names that the server reports, since hosted models change without notice."""
        for name, value in (("answered by", reply.model), ("fingerprints", reply.fingerprint)):
            known = self.description.setdefault(name, [])
            if value and value not in known and len(known) < 20:
                known.append(value[:120])


async def _read(response: httpx.Response) -> bytes:
    got = bytearray()
    async for chunk in response.aiter_bytes():
        got += chunk
        if len(got) > LARGEST_BODY:
            raise Malformed(f"the server's answer is larger than {LIMITS['server reply'].words}")
    return bytes(got)


def _error_text(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:160]


def _root(error: BaseException) -> BaseException:
    while cause := error.__cause__ or error.__context__:
        error = cause
    return error


T = TypeVar("T")


class LoopThread:
    """A thread that runs coroutines inside the `with` block, and cancels the rest at its end."""

    def __enter__(self) -> "LoopThread":
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="requests", daemon=True)
        self._thread.start()
        return self

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def stop_all(self) -> None:
        """Cancel all tasks and wait for their end."""
        self.start(_cancel_others()).result()

    def __exit__(self, *error: object) -> None:
        self.stop_all()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


async def _cancel_others() -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
