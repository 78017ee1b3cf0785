"""Cost of answers by likelihood: passes through the model a cell, and frames shared with the run that speaks.

`python -m bench.evaluation.likelihood [CLIPS]`, by default 120 clips of ten seconds with a question each on the site's
small model with random weights, prints JSON lines; exit 1 if a target is missed. Each clip is asked about in a run that
speaks, then in one that weighs the options, by first tokens and by whole strings. Passes are calls of the model, each
counted by its rows, so that a batch of eight is eight passes; frames are counted where clips are decoded. Whole strings
need more calls, which read the tokens of an option alone: they are held against the target by tokens read.
"""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bench.evaluation.overhead import ask, make_model, make_pack, say, set_up

PASSES = 1.1  # target, a cell


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
    """One run over the pack: passes a cell by rows, tokens a cell, clips decoded, and its wall seconds."""
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
        prompts = round(whole["tokens_a_cell"] / once["tokens_a_cell"], 3)  # the other calls read an option alone
        is_ok = prompts <= PASSES and not whole["clips_decoded"]
        results.append(
            say(is_ok, measure="likelihood", run="whole string", prompts_read=prompts, target=PASSES, **whole)
        )
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 120))
