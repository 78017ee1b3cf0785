"""Models of the transformers library on this machine: vision-language models and plain language models.

Their own chat template and processor, our own frames. Replies hang on the request alone: see `OwnChance`.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import torch

from evaluation.adapters import THREADS, torchvision_operators
from evaluation.adapters.base import Reply, Request, at_once
from evaluation.adapters.inputs import alike, inputs_of, placed
from evaluation.adapters.memory import batch_that_fits, is_out_of_memory
from evaluation.adapters.opening import AUTO, device_named, dtype_named, opened
from evaluation.adapters.preparing import Preparing
from evaluation.adapters.talk import Talk
from evaluation.adapters.weights import place_of, weights_hash
from evaluation.errors import ModelMisused, OutOfMemory

NOT_COMPARABLE = "not bit-comparable"


class TransformersModel:
    """A saved model folder or GGUF file, opened from disk alone.

    `batch_size`, `device` and `dtype` are chosen here where they are "auto". The batch that fits is found on the first
    call and lowered for good after running out of memory; a batch of a given size can be had by naming it. `seconds`
    counts what was spent on preparing inputs (waiting for them, where that is done ahead) and on generating.
    """

    def __init__(
        self, *, path: str, batch_size: int | str = "auto", device: str = "auto", dtype: str = "auto",
        threads: int = THREADS, ahead: bool | None = None,
    ) -> None:  # fmt: skip
        torchvision_operators.declared()
        place = place_of(path)
        self.batch_size = batch_size_named(batch_size)  # 0 until it is found
        self.device = device_named(device)
        self.dtype = dtype_named(dtype, self.device)
        torch.set_num_threads(threads)
        self.opened = opened(place, self.dtype)
        self.model = self.opened.model.to(self.device).eval()
        self.preparing = Preparing(self._inputs, ahead=self.device.type == "cuda" if ahead is None else ahead)
        self.speaker = self.preparing.apart(self.opened.tokenizer)
        self.seconds = {"prepare": 0.0, "generate": 0.0}
        self.description: dict[str, Any] = {
            "device": str(self.device),
            "dtype": str(self.dtype).removeprefix("torch."),
            "threads": torch.get_num_threads(),
            "batch": self.batch_size or "auto",
            "family": type(self.model).__name__,
            "shown": self.opened.sees,
            "parameters": self.model.num_parameters(),
            "weights": weights_hash(place),
        }

    def answer(self, requests: Sequence[Request]) -> Iterator[Reply]:
        """Batches are cut from the front, so the same requests in the same order make the same batches."""
        talks = [Talk.begun(request) for request in requests]
        if talks and not self.batch_size:
            self._set_batch(batch_that_fits(self.device, lambda: self._reply_to([Talk.begun(longest_of(requests))])))
        first = 0
        with self.preparing:
            while batch := talks[first : first + self.batch_size]:
                first += len(batch)
                self.preparing.start(alike(batch))
                self.preparing.start(alike(talks[first : first + self.batch_size]))
                while still_open := [talk for talk in batch if talk.is_open]:
                    for group in alike(still_open):
                        self._carry_on(group)
                yield from at_once([talk.reply() for talk in batch])

    def _carry_on(self, talks: list[Talk]) -> None:
        """One reply for each of these; a batch that does not fit is halved, which the card says."""
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
        """Reply to all of them, or, where memory runs out, leave them as they were."""
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
        most = talks[0].request.max_new_tokens
        began = time.monotonic()
        inputs = placed(self.preparing.take(talks), self.device, self.dtype)
        self.seconds["prepare"] += time.monotonic() - began
        room = self.model.config.get_text_config().max_position_embeddings - most
        if (length := inputs["input_ids"].shape[1]) > room:
            refuse_the_longest(talks, inputs["attention_mask"].sum(1).tolist(), room)
            return
        began = time.monotonic()
        with torch.inference_mode():
            written = self.model.generate(**inputs, **self._how_to_write(talks, most)).cpu()
        self.seconds["generate"] += time.monotonic() - began
        for talk, tokens in zip(talks, written[:, length:], strict=True):
            text = self.speaker.decode(tokens, skip_special_tokens=True).strip()
            talk.hear(text, was_cut=not self._has_end(tokens))

    def _inputs(self, talks: Sequence[Talk]) -> Any:
        return inputs_of(talks, self.opened)

    def _how_to_write(self, talks: list[Talk], most: int) -> dict[str, Any]:
        from evaluation.adapters.chance import OwnChance

        draw = OwnChance([talk.request.temperature for talk in talks], [talk.chance for talk in talks])
        # Always the largest score: where there is a temperature, chance has been added to the scores.
        return {
            "max_new_tokens": most, "do_sample": False, "num_beams": 1, "logits_processor": [draw],
            "pad_token_id": self.opened.tokenizer.pad_token_id,
        }  # fmt: skip

    def _has_end(self, tokens: torch.Tensor) -> bool:
        ends = self.model.generation_config.eos_token_id
        return bool(
            torch.isin(tokens, torch.tensor(self.opened.tokenizer.eos_token_id if ends is None else ends)).any()
        )


def batch_size_named(given: int | str) -> int:
    """A number from 1, or 0 where it is to be found."""
    if given in AUTO:
        return 0
    if not isinstance(given, int) or given < 1:
        raise ModelMisused(f"batch size {given!r}: use auto or a whole number from 1")
    return given


def longest_of(requests: Iterable[Request]) -> Request:
    """The one that takes most memory: by what is shown, then by its words."""

    def size(request: Request) -> tuple[int, int]:
        talk = Talk.begun(request)
        return sum(frames.pixels.size for frames in talk.clips()), sum(len(str(part)) for part in talk.messages())

    return max(requests, key=size)


def refuse_the_longest(talks: Iterable[Talk], sizes: Iterable[int], room: int) -> None:
    """Those that fit are asked in the next round."""
    for talk, size in zip(talks, sizes, strict=True):
        if size > room:
            talk.error = f"the conversation has {size} tokens, the model has room for {room}"
