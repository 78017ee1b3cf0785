"""Cost of answers by likelihood: passes through the model per cell, and frames shared with the run that generates.

`python -m bench.evaluation.likelihood [CLIPS]` prints JSON lines; exit 1 if a target is missed. The default is 120
clips of ten seconds with one question each, on the site's small model with random weights. Each question is in a run
that generates text, then in one that scores the options, by first tokens and by whole strings. Passes are calls of the
model times their rows, so a batch of eight is eight passes; frames are counted at decoding. Whole strings take a second
call, which reads only the options. Its tokens and processor time are compared with the target, alternating with one
plain forward pass of the library over the same prompt, on a model of 12 layers and 32,000 words.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench.evaluation.overhead import ask, make_model, make_pack, say, set_up

PASSES = 1.1  # target, a cell
VOCABULARY, TURNS = 32_000, 11


@contextmanager
def counted(model: Any) -> Iterator[dict[str, int]]:
    """Count calls of the model, their rows and tokens, and clips decoded."""
    from evaluation.inputs import frames
    from evaluation.workers.loop import warm_model

    found = {"calls": 0, "rows": 0, "tokens": 0, "decoded": 0}
    network: Any = warm_model(model)[0].model  # type: ignore[attr-defined]
    forward, decoded = network.forward, frames.decoded

    @wraps(forward)  # the library reads its signature
    def passed(*kwargs: Any, **named: Any) -> Any:
        tokens = named["input_ids"] if named.get("input_ids") is not None else kwargs[0]
        found["calls"] += 1
        found["rows"] += tokens.shape[0]
        found["tokens"] += tokens.numel()
        return forward(*kwargs, **named)

    def taken(*kwargs: Any) -> Any:
        found["decoded"] += 1
        return decoded(*kwargs)

    with patch.object(network, "forward", passed), patch.object(frames, "decoded", taken):
        yield found


def measured(model: Any, pack: Any, strategy: str) -> dict[str, Any]:
    """One run over the pack: passes per cell by rows, tokens per cell, clips decoded, and wall seconds."""
    with counted(model) as found:
        wall, adapter, run = ask(model, pack, strategy)
    cells = run.cells.filter(state="answered").count()
    assert cells == run.cells.count(), f"{run.cells.count() - cells} cells have no answer"
    return {
        "cells": cells,
        "calls": found["calls"],
        "passes_a_cell": round(found["rows"] / cells, 3),
        "tokens_a_cell": round(found["tokens"] / cells, 1),
        "clips_decoded": found["decoded"],
        "wall_s": round(wall, 1),
        "way": adapter.description.get("likelihood", ""),
    }


def whole_strings_by_time(folder: Path) -> dict[str, Any]:
    """Medians of plain passes over a prompt and of scoring whole strings after it, alternating, and their ratio."""
    import numpy as np
    import torch

    from evaluation.adapters.base import REPLY, Request, Turn
    from evaluation.adapters.conversation import Talk
    from evaluation.adapters.transformers.adapter import TransformersModel
    from evaluation.adapters.transformers.inputs import inputs_of
    from evaluation.training.video_language.architecture import model_for, processor_for
    from evaluation.training.video_language.recipes import GRASP_SMALL
    from evaluation.training.video_language.tokenizer import tokenizer_for
    from tests.evaluation.tiny_model import seen

    words = tokenizer_for(["Which object is it? object 1 object 2"])
    recipe = replace(GRASP_SMALL.sizes["full"], speech_width=512, speech_layers=12, speech_heads=8)
    processor_for(recipe, words).save_pretrained(folder)
    network = model_for(recipe, words, 0)
    network.resize_token_embeddings(VOCABULARY)
    network.save_pretrained(folder)
    adapter = TransformersModel(path=str(folder), batch_size=1, threads=1)
    clip = seen(*np.random.default_rng(0).integers(0, 255, (8, 160, 160, 3), dtype=np.uint8))
    request = Request((Turn("Which object is it?", clip), REPLY), options=("object 1", "object 2"), by_likelihood=True)
    inputs = inputs_of([Talk.begun(request)], adapter.opened)

    def plainly() -> None:
        with torch.inference_mode():
            adapter.model(**inputs, use_cache=True, logits_to_keep=1)

    turns = [(clocked(plainly), clocked(lambda: adapter._weigh([Talk.begun(request)], inputs))) for _ in range(TURNS)]
    plain, weighed = (np.median(each, axis=0) for each in zip(*turns, strict=True))
    assert adapter.description["likelihood"] == "whole string"
    return {
        "prompt": inputs["input_ids"].shape[1],
        "parameters": adapter.model.num_parameters(),
        "pass_ms": round(1000 * float(plain[1])),
        "wall": round(float(weighed[0] / plain[0]), 3),
        "processor": round(float(weighed[1] / plain[1]), 3),
    }


def clocked(work: Callable[[], None]) -> tuple[float, float]:
    """Wall and processor seconds of this work, of all threads."""
    began = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - began[0], time.process_time() - began[1]


def main(clips: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        set_up(folder)
        from evaluation.workers.loop import warm_model

        pack, model = make_pack(clips, "likelihood"), make_model(Path(folder) / "model")
        ask(model, make_pack(8, "first"), "binary")  # opens the model and finds its batch
        spoken = measured(model, pack, "binary")
        results = [say(spoken["clips_decoded"] == clips, measure="likelihood", run="speaks", **spoken)]
        once = measured(model, pack, "binary-likelihood")
        is_ok = once["passes_a_cell"] <= PASSES and not once["clips_decoded"]
        results.append(say(is_ok, measure="likelihood", run="first token", target=PASSES, **once))
        warm_model(model)[0].way = "whole string"  # type: ignore[attr-defined]
        whole = measured(model, pack, "binary-likelihood")
        prompts = round(whole["tokens_a_cell"] / once["tokens_a_cell"], 3)  # the other calls read only an option
        is_ok = prompts <= PASSES and not whole["clips_decoded"]
        results.append(
            say(is_ok, measure="likelihood", run="whole string", prompts_read=prompts, target=PASSES, **whole)
        )
        times = whole_strings_by_time(Path(folder) / "large")
        is_ok = times["processor"] <= PASSES
        results.append(say(is_ok, measure="likelihood", run="whole string, by time", target=PASSES, **times))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 120))
