"""Checks that questions of `tapped` need the modality that they name, with small audio-only and vision-only models.

`python -m bench.generation.tapped_channels [--known 160] [--asked 60] [--jobs 2] [--keep DIR]` makes recordings of
objects with seeds that no pack uses, trains one late-fusion model on sound alone and one on frames alone, asks both
about pairs of other objects, and prints the table of docs/benchmarks/tapped.md as JSON. `--keep` stores recordings and
weights.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from evaluation.training.fusion.checkpoints import opened, save
from evaluation.training.fusion.examples import FusionExamples, FusionQuestion, fusion_examples
from evaluation.training.fusion.network import Fusion
from evaluation.training.fusion.objective import everything, margins, trained_on
from evaluation.training.fusion.recipes import RECIPES, SEED_OF_OBJECTS
from measures.intervals import clustered
from scenes.tapped.planning import group_of
from scenes.tapped.recording import Recording, recordings_of

QUESTION_SEED, TRAINING_SEED = 910_000, 0
THREADS = 2


def recordings(name: str, seed: int, groups: int, jobs: int, keep: Path | None) -> list[list[Recording]]:
    """Recordings in groups of four objects; groups stored in the folder are reused."""
    path = keep / f"{name}-{seed}-{groups}.npz" if keep else None
    if path and path.is_file():
        return _cached_recordings(path, seed, groups)
    made = list(recordings_of(seed, range(groups), jobs))
    if path:
        flat = {one.thing.key: one for group in made for one in group}
        arrays = {f"{key}-{what}": getattr(one, what) for key, one in flat.items() for what in ("pictures", "samples")}
        np.savez(path, allow_pickle=False, **arrays)
    return made


def _cached_recordings(path: Path, seed: int, groups: int) -> list[list[Recording]]:
    """Recordings from a file, which has frames and sounds; the objects follow from the seed."""
    with np.load(path, allow_pickle=False) as cached:
        return [
            [
                Recording(thing, cached[f"{thing.key}-pictures"], cached[f"{thing.key}-samples"])
                for thing in group_of(seed, n)
            ]
            for n in range(groups)
        ]


def trained(name: str, examples: FusionExamples, keep: Path | None) -> tuple[Fusion, dict[str, Any]]:
    """A network trained with this recipe, and facts about its training."""
    folder, recipe = keep / name if keep else None, RECIPES[name]
    began = time.process_time()
    if folder and folder.is_dir():
        network = opened(folder)
    else:
        network = trained_on(examples, recipe, TRAINING_SEED, lambda *_: None)
        if folder:
            folder.mkdir()
            save(network, folder)
    parameters = sum(weight.numel() for weight in network.parameters())
    return network, {"parameters": parameters, "cpu_seconds": round(time.process_time() - began)}


@torch.no_grad()
def right_answers(network: Fusion, examples: FusionExamples) -> list[bool]:
    """Whether the network is right on each question, given all input of its modalities."""
    batch = everything(examples, network.channels)
    found = margins(network, batch, examples.questions)
    return [bool(margin > 0) == bool(one.label) for margin, one in zip(found, examples.questions, strict=True)]


def shares(questions: Sequence[FusionQuestion], right: Sequence[bool]) -> dict[str, dict[str, Any]]:
    """Accuracy by required modality, with 95 % intervals clustered on the groups of four objects."""
    found = {}
    for channel in ("sound", "sight", "both"):
        some = [
            (float(is_right), one.group)
            for one, is_right in zip(questions, right, strict=True)
            if one.channel == channel
        ]
        if some:
            values, groups = zip(*some, strict=True)
            interval = clustered(values, groups)
            found[channel] = {
                "n": len(some),
                "groups": len(set(groups)),
                "share": round(sum(values) / len(some), 4),
                "low": round(interval.low, 4),
                "high": round(interval.high, 4),
            }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--known", type=int, default=160, help="groups of four objects to learn from")
    parser.add_argument("--asked", type=int, default=60, help="groups of four others to be asked about")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(THREADS)
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    known, held_out = (
        fusion_examples(recordings(name, seed, groups, options.jobs, options.keep), seed)
        for name, seed, groups in (("train", SEED_OF_OBJECTS, options.known), ("test", QUESTION_SEED, options.asked))
    )
    result: dict[str, Any] = {"objects": [len(known.sounds), len(held_out.sounds)]}
    for name in RECIPES:
        network, facts = trained(name, known, options.keep)
        result[name] = facts | shares(held_out.questions, right_answers(network, held_out))
        print(name, result[name], file=sys.stderr)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
