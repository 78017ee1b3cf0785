"""Runs models of the transformers library on this machine: vision-language models and plain language models.

They use their own chat template and processor, and our frames. Each reply depends only on its request: see `OwnChance`.
"""

import copy
import inspect
import itertools
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

import torch
from transformers import LogitsProcessor

from evaluation.adapters import THREADS, torchvision_shim
from evaluation.adapters.base import MOST_THINKING, REPLY, Reply, Request, Turn, at_once
from evaluation.adapters.conversation import Talk
from evaluation.adapters.transformers.inputs import Preparing, alike, inputs_of, placed, why_too_long
from evaluation.adapters.transformers.likelihood import (
    FIRST_TOKEN,
    PER_TOKEN,
    WHOLE,
    is_one_token,
    of_first_tokens,
    of_whole_strings,
    spellings_of,
    tell_apart_at_once,
    way_named,
)
from evaluation.adapters.transformers.loading import AUTO, LoadedModel, card_of, device_named, dtype_named, opened
from evaluation.adapters.transformers.sizing import Sizing, batch_that_fits, is_out_of_memory
from evaluation.adapters.weights import place_of, weights_hash
from evaluation.errors import ModelMisused, OutOfMemory
from evaluation.replies import OPENING, RawReply, has_marker, opens_thoughts, reply_of

NOT_COMPARABLE = "not bit-comparable"
THINKING = 2048  # tokens
LONGEST_MARKER = 16  # tokens at a prompt's end among which its template opens thoughts
CLOSED = "</think>"  # the end of a prompt whose template switches thoughts off


class TransformersModel:
    """A saved model folder or GGUF file, opened only from disk.

    "auto" chooses `batch_size`, `device` and `dtype`: the first call finds the batch size that fits into memory, and
    running out of memory lowers it permanently. `seconds` counts the time spent waiting for inputs and generating.
    `sizing` holds the options of `Sizing`.
    """

    @staticmethod
    def check_options(options: Mapping[str, Any]) -> None:
        """Raise ModelMisused for an unknown option or a folder without a model; opens nothing."""
        own = [name for name in inspect.signature(TransformersModel).parameters if name != "sizing"]
        names = [*own, *(each.name for each in fields(Sizing))]
        for name in options:
            if name not in names:
                raise ModelMisused(f"there is no option {name!r}; there are {', '.join(names)}")
        if "path" not in options:
            raise ModelMisused("option path is missing: a saved model's folder or GGUF file")
        Sizing(**{name: value for name, value in options.items() if name not in own})
        place_of(options["path"])

    def __init__(
        self,
        *,
        path: str,
        batch_size: int | str = "auto",
        device: str = "auto",
        dtype: str = "auto",
        threads: int = THREADS,
        template_options: Mapping[str, Any] | None = None,
        thinking_tokens: int | str = "auto",
        likelihood: str = FIRST_TOKEN,
        **sizing: Any,
    ) -> None:
        torchvision_shim.declared()
        place = place_of(path)
        self.batch_size = batch_size_named(batch_size)  # 0 until it is found
        self.device = device_named(device)
        self.dtype = dtype_named(dtype, self.device)
        torch.set_num_threads(threads)
        size = Sizing(**sizing)
        how = size.loading(self.dtype, self.device)
        self.opened = opened(place, how, template_options, size.processor_options)
        self.way = way_named(likelihood)
        self.thinking_tokens = thinking_room(thinking_tokens, self.opened)
        self.model = (self.opened.model if size.is_placed else self.opened.model.to(self.device)).eval()
        self.device = self.model.device  # that of the first layers, which take the inputs
        self.preparing = Preparing(self._inputs)
        self.speaker = copy.deepcopy(self.opened.tokenizer)  # the other belongs to the thread that prepares
        self.seconds = {"prepare": 0.0, "generate": 0.0}
        self.description = self._description(size, weights_hash(place))

    def _description(self, size: Sizing, weights: str) -> dict[str, Any]:
        """What the card says of how the model runs here."""
        return {
            "device": str(self.device),
            "dtype": str(self.dtype).removeprefix("torch."),
            "threads": torch.get_num_threads(),
            "batch": self.batch_size or "auto",
            "family": type(self.model).__name__,
            "shown": self.opened.media_form,
            **({"heard": self.opened.hears} if self.opened.hears else {}),
            "parameters": self.model.num_parameters(),
            "weights": weights,
            **size.facts(),
            "thinking tokens": self.thinking_tokens,
            **({"likelihood": self.way} if self.way != FIRST_TOKEN else {}),
            **card_of(self.opened),
        }

    def answer(self, requests: Iterable[Request]) -> Iterator[Reply]:
        """Yield replies in order; the same requests in the same order form the same batches.

        A batch is taken, and its inputs are begun, before the one ahead of it is answered.
        """
        if not self.batch_size:
            requests = self._with_batch_found(requests)
        talks, at_hand, is_first = map(self._begun, requests), list[Talk](), True
        with self.preparing:
            while True:
                for end in (self.batch_size, 2 * self.batch_size):
                    at_hand += itertools.islice(talks, max(0, end - len(at_hand)))
                    self.preparing.start(alike(talk for talk in at_hand[end - self.batch_size : end] if talk.is_open))
                batch, at_hand = at_hand[: self.batch_size], at_hand[self.batch_size :]
                if not batch:
                    return
                while still_open := [talk for talk in batch if talk.is_open]:
                    for group in alike(still_open):
                        self._carry_on(group)
                if is_first:
                    batch[0].prompt, is_first = self.opened.rendered(Talk.begun(batch[0].request)), False
                yield from at_once([talk.reply() for talk in batch])

    def _with_batch_found(self, requests: Iterable[Request]) -> Iterable[Request]:
        """Find how many conversations fit; a GPU tries the longest, so that it needs all of them for that."""
        if self.device.type == "cuda" and not (requests := list(requests)):
            return requests
        self._set_batch(batch_that_fits(self.device, lambda: self._reply_to([Talk.begun(longest_of(requests))])))
        return requests

    def _begun(self, request: Request) -> Talk:
        talk = Talk.begun(request)
        talk.error = why_too_long(talk, self.opened)
        talk.is_lasting = bool(talk.error)
        return talk

    def _carry_on(self, talks: list[Talk]) -> None:
        """Get one reply for each talk; a batch that does not fit into memory is halved, and the card says so."""
        if self._fits(talks):
            return
        if len(talks) == 1:
            raise OutOfMemory(f"a single question does not fit into the memory of {self.device}")
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
        self.description[NOT_COMPARABLE] = "a batch was split after running out of memory"
        middle = len(talks) // 2
        self._set_batch(min(self.batch_size, max(1, middle)))
        self._carry_on(talks[:middle])
        self._carry_on(talks[middle:])

    def _fits(self, talks: list[Talk]) -> bool:
        """Get a reply for all talks and return True; if memory runs out, leave the talks unchanged and return False."""
        chances = [talk.chance.get_state() for talk in talks]
        try:
            self._reply_to(talks)
        except RuntimeError as error:
            if not is_out_of_memory(error):
                raise
        else:
            return True
        for talk, chance in zip(talks, chances, strict=True):
            talk.chance.set_state(chance)
        return False

    def _set_batch(self, size: int) -> None:
        self.batch_size = self.description["batch"] = size

    def _reply_to(self, talks: list[Talk]) -> None:
        weighs = talks[0].weighs
        most = 1 if weighs else talks[0].request.max_new_tokens + self._room_for_thoughts(talks[0].request)
        began = time.monotonic()
        inputs = placed(self.preparing.take(talks), self.device, self.dtype)
        self.seconds["prepare"] += time.monotonic() - began
        if len(talks) > 1 and self.opened.is_moved_by_padding and not inputs["attention_mask"].all():
            self._one_by_one(talks)
            return
        room = self.model.config.get_text_config().max_position_embeddings - most
        if (length := inputs["input_ids"].shape[1]) > room:
            refuse_the_longest(talks, inputs["attention_mask"].sum(1).tolist(), room)
            return
        began = time.monotonic()
        read = inputs["attention_mask"].sum(1).tolist()
        if weighs:
            self._weigh(talks, inputs)
            self.seconds["generate"] += time.monotonic() - began
            return
        are_opened = [self._opens_thoughts(prompt) for prompt in inputs["input_ids"]]
        how = self._how_to_write(talks, most)
        start = 1 if self._writes_apart else length  # a decoder apart from its encoder begins with a token of its own
        how["logits_processor"][:0] = self._constraints(talks, start, are_opened)
        with torch.inference_mode():
            written = self.model.generate(**inputs, **how).cpu()
        self.seconds["generate"] += time.monotonic() - began
        for talk, is_opened, count, tokens in zip(talks, are_opened, read, written[:, start:], strict=True):
            talk.counts.append((count, self._until_end(tokens)))
            ended = "stop" if self._has_end(tokens) else "length"
            talk.hear(reply_of(raw_reply(tokens, self.speaker, finish=ended, is_opened=is_opened)))

    def _one_by_one(self, talks: list[Talk]) -> None:
        for talk in talks:
            self._reply_to([talk])

    @property
    def _writes_apart(self) -> bool:
        return bool(getattr(self.model.config, "is_encoder_decoder", False))

    def _opens_thoughts(self, prompt: torch.Tensor) -> bool:
        return opens_thoughts(self.speaker.decode(prompt[-LONGEST_MARKER:].cpu()))

    def _room_for_thoughts(self, request: Request) -> int:
        """The number of extra tokens for thoughts: the run's setting, or else the model's option."""
        if request.thinking is None:
            return self.thinking_tokens
        if isinstance(request.thinking, bool):
            return (self.thinking_tokens or THINKING) if request.thinking else 0
        return request.thinking + LONGEST_MARKER  # the marker that ends thoughts comes on top of their budget

    def _constraints(self, talks: list[Talk], length: int, are_opened: list[bool]) -> list[Any]:
        """The processor that enforces budgets and options on replies; [] if no request has any."""
        from evaluation.adapters.transformers.constraints import Constrained, rule_for

        if not any(talk.chooses or type(talk.request.thinking) is int for talk in talks):
            return []
        template = str(self.opened.processor.chat_template)
        rules = [
            rule_for(talk.request, self.speaker, template, self._ends, is_opened=opened_first, chooses=talk.chooses)
            for talk, opened_first in zip(talks, are_opened, strict=True)
        ]
        return [Constrained(length, rules)]

    def _weigh(self, talks: list[Talk], inputs: dict[str, Any]) -> None:
        """Give each talk the log-probabilities of its options, in one pass over the prompts.

        Whole strings of several tokens continue from the cache of a prompt without padding, so each prompt needs its
        own pass.
        """
        spellings = [[spellings_of(option, self.speaker) for option in talk.request.options] for talk in talks]
        is_whole = self.way != FIRST_TOKEN or not all(map(tell_apart_at_once, spellings))
        if is_whole and len(talks) > 1 and not all(map(is_one_token, spellings)):
            self._one_by_one(talks)
            return
        with torch.inference_mode():
            output = self.model.generate(
                **inputs, **self._how_to_write(talks, 1), output_logits=True, return_dict_in_generate=True
            )
        self.description["likelihood"] = WHOLE if is_whole and self.way == FIRST_TOKEN else self.way
        for talk, prompt, scores, options in zip(talks, inputs["input_ids"], output.logits[0], spellings, strict=True):
            if self._opens_thoughts(prompt):
                talk.error = "the model's template opens thoughts, after which no option can follow: switch them off"
            elif is_whole and self._writes_apart:
                talk.error = "an encoder-decoder model weighs options by their first tokens alone"
            elif is_whole:
                past, per_token = output.past_key_values, self.way == PER_TOKEN
                self._hear(talk, of_whole_strings(self.model, past, scores, options, per_token=per_token))
            else:
                self._hear(talk, of_first_tokens(scores, options))

    def _hear(self, talk: Talk, log_probs: list[float]) -> None:
        talk.weigh(dict(zip(talk.request.options, log_probs, strict=True)), type(self.model).__name__)

    def _inputs(self, talks: Sequence[Talk]) -> Any:
        return inputs_of(talks, self.opened)

    def _how_to_write(self, talks: list[Talk], most: int) -> dict[str, Any]:
        draw = OwnChance([talk.request.temperature for talk in talks], [talk.chance for talk in talks])
        # Greedy: with a temperature, `OwnChance` adds noise to the scores.
        return {
            "max_new_tokens": most,
            "do_sample": False,
            "num_beams": 1,
            "logits_processor": [draw],
            "pad_token_id": self.opened.tokenizer.pad_token_id,
        }

    @property
    def _ends(self) -> tuple[int, ...]:
        """The tokens that end a reply."""
        ends = self.model.generation_config.eos_token_id
        ends = self.opened.tokenizer.eos_token_id if ends is None else ends
        return tuple(ends) if isinstance(ends, list) else (ends,)

    def _has_end(self, tokens: torch.Tensor) -> bool:
        return bool(torch.isin(tokens, torch.tensor(self._ends)).any())

    def _until_end(self, tokens: torch.Tensor) -> int:
        """The number of tokens up to and including the one that ends the reply; what follows pads the batch."""
        found = torch.isin(tokens, torch.tensor(self._ends)).nonzero()
        return int(found[0]) + 1 if len(found) else len(tokens)


def raw_reply(tokens: torch.Tensor, speaker: Any, *, finish: str, is_opened: bool) -> RawReply:
    """The reply in these tokens; where some of them mark thoughts, special tokens stay until these are split off."""
    whole = speaker.decode(tokens)
    if is_opened or has_marker(whole):
        return RawReply(whole, finish=finish, is_opened=is_opened, special=speaker.all_special_tokens)
    return RawReply(speaker.decode(tokens, skip_special_tokens=True).strip(), finish=finish)


def thinking_room(wanted: int | str, model: LoadedModel) -> int:
    """The number of tokens for thoughts: the given one; for "auto" THINKING if the model's template lets it think."""
    if isinstance(wanted, int) and not isinstance(wanted, bool) and 0 <= wanted <= MOST_THINKING:
        return wanted
    if wanted not in AUTO:
        raise ModelMisused(f"thinking tokens {wanted!r}: use auto or a whole number from 0 to {MOST_THINKING}")
    prompt = model.rendered(Talk.begun(Request((Turn("?"), REPLY))))
    is_switched_off = prompt.rstrip().endswith(CLOSED)
    return THINKING if OPENING.search(str(model.processor.chat_template)) and not is_switched_off else 0


def batch_size_named(wanted: int | str) -> int:
    """The given batch size, or 0 for "auto"."""
    if wanted in AUTO:
        return 0
    if not isinstance(wanted, int) or wanted < 1:
        raise ModelMisused(f"batch size {wanted!r}: use auto or a whole number from 1")
    return wanted


def longest_of(requests: Iterable[Request]) -> Request:
    """The request that needs the most memory, judged by its frames and then by its text."""

    def size(request: Request) -> tuple[int, int]:
        talk = Talk.begun(request)
        return sum(frames.pixels.size for frames in talk.clips()), sum(len(str(part)) for part in talk.messages())

    return max(requests, key=size)


def refuse_the_longest(talks: Iterable[Talk], sizes: Iterable[int], room: int) -> None:
    """Set an error on talks that do not fit into `room` tokens; the others are retried in the next round."""
    for talk, size in zip(talks, sizes, strict=True):
        if size > room:
            talk.error = f"the conversation has {size} tokens, the model has room for {room}"
            talk.is_lasting = True


class OwnChance(LogitsProcessor):
    """Adds Gumbel noise to the scores, so that the largest score is a draw from their softmax (Gumbel 1954).

    The noise is drawn on the CPU, so a seed gives the same noise on every device. Temperature 0 adds none.
    """

    def __init__(self, temperatures: Sequence[float], chances: Sequence[torch.Generator]) -> None:
        self.temperatures, self.chances = temperatures, chances

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        noisy = scores.float().clone()
        for row, (temperature, chance) in enumerate(zip(self.temperatures, self.chances, strict=True)):
            if temperature > 0:
                noise = -torch.empty(scores.shape[-1]).exponential_(generator=chance).log()
                noisy[row] = noisy[row] / temperature + noise.to(scores.device)
        return noisy  # type: ignore[return-value]
