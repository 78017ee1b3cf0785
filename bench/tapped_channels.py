"""Do the questions of `tapped` hang on the channel that they name? Small models that hear alone or see alone.

`python -m bench.tapped_channels [--known 160] [--asked 60] [--jobs 2] [--keep DIR]` makes recordings of objects with
seeds that no pack uses, trains a late-fusion model on sound alone and one on pictures alone, asks both about pairs of
other objects, and prints the table of docs/benchmarks/tapped.md as JSON. With `--keep` recordings and weights stay.
"""

import argparse
import json
import pickle
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from evaluation.training.fusion.course import everything, margins, trained_on
from evaluation.training.fusion.network import Fusion
from evaluation.training.fusion.pairs import Asked, Lessons, lessons_of
from evaluation.training.fusion.recipes import RECIPES, SEED_OF_OBJECTS
from measures.intervals import clustered
from scenes.tapped.recording import Recording, recordings_of

ASKED_SEED, TRAINING_SEED = 910_000, 0
THREADS = 2


def recordings(name: str, seed: int, groups: int, jobs: int, keep: Path | None) -> list[list[Recording]]:
    """Groups of four objects; those kept in the folder are not made again."""
    path = keep / f"{name}.pkl" if keep else None
    if path and path.is_file():
        found: list[list[Recording]] = pickle.loads(path.read_bytes())
        if len(found) >= groups:
            return found[:groups]
    made = list(recordings_of(seed, range(groups), jobs))
    if path:
        path.write_bytes(pickle.dumps(made))
    return made


def trained(name: str, lessons: Lessons, keep: Path | None) -> tuple[Fusion, dict[str, Any]]:
    """A network of this recipe, and how it came about."""
    path, recipe = keep / f"{name}.pt" if keep else None, RECIPES[name]
    began = time.process_time()
    if path and path.is_file():
        network = torch.load(path, weights_only=False)
    else:
        network = trained_on(lessons, recipe, TRAINING_SEED, lambda *told: None)
    if path:
        torch.save(network, path)
    parameters = sum(weight.numel() for weight in network.parameters())
    return network, {"parameters": parameters, "cpu_seconds": round(time.process_time() - began)}


@torch.no_grad()
def asked_of(network: Fusion, lessons: Lessons) -> list[bool]:
    """Whether it is right, question by question; everything is given on the channels that it has."""
    given = everything(lessons, network.channels)
    told = margins(network, given, lessons.asked)
    return [bool(margin > 0) == bool(one.label) for margin, one in zip(told, lessons.asked, strict=True)]


def shares(asked: Sequence[Asked], right: Sequence[bool]) -> dict[str, dict[str, Any]]:
    """Right answers by what decides the question, with the 95 % interval clustered on the group of four objects."""
    found = {}
    for channel in ("sound", "sight", "both"):
        some = [
            (float(is_right), one.group) for one, is_right in zip(asked, right, strict=True) if one.channel == channel
        ]
        if some:
            values, groups = zip(*some, strict=True)
            interval = clustered(values, groups)
            found[channel] = {
                "n": len(some), "groups": len(set(groups)), "share": round(sum(values) / len(some), 4),
                "low": round(interval.low, 4), "high": round(interval.high, 4),
            }  # fmt: skip
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--known", type=int, default=160, help="groups of four objects to learn from")
    parser.add_argument("--asked", type=int, default=60, help="groups of four others to be asked about")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path)
    told = parser.parse_args()
    torch.set_num_threads(THREADS)
    if told.keep:
        told.keep.mkdir(parents=True, exist_ok=True)
    known, asked = (
        lessons_of(recordings(name, seed, groups, told.jobs, told.keep), seed)
        for name, seed, groups in (("train", SEED_OF_OBJECTS, told.known), ("test", ASKED_SEED, told.asked))
    )
    result: dict[str, Any] = {"objects": [len(known.sounds), len(asked.sounds)]}
    for name in RECIPES:
        network, facts = trained(name, known, told.keep)
        result[name] = facts | shares(asked.asked, asked_of(network, asked))
        print(name, result[name], file=sys.stderr)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
