"""Stores a trained model as a folder of weights, facts and curve, which exists completely or not at all."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.errors import EvaluationError
from extensions.training.progress import CURVE

if TYPE_CHECKING:
    from torch import nn

    from extensions.training.core.loop import Objective, Progress, Reached

FACTS, LOGS = "training.json", "logs"

Facts = dict[str, Any]


class TrainingMisused(EvaluationError, ValueError):
    """The caller asked for an impossible training."""


@dataclass(frozen=True)
class Trained:
    """A folder of weights and the facts of its training."""

    path: Path
    facts: Facts


def trained_at(out: Path) -> Trained:
    return Trained(out, json.loads((out / FACTS).read_text(encoding="utf-8")))


def standing_at(out: Path, key: str) -> Trained | None:
    """The trained model at `out` if it has this key, else None."""
    try:
        found = trained_at(out)
    except (OSError, ValueError):
        return None
    return found if found.facts.get("key") == key else None


def key_of(facts: Mapping[str, Any]) -> str:
    """SHA-256 over everything that determines the weights, except the machine."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def learnt(
    objective: "Objective",
    out: Path,
    *,
    write: Callable[[Path], None],
    facts: Facts,
    measured: str = "",
    progress: "Progress",
) -> Trained:
    """Train to the end, or resume a killed training, and put the network's files, saved by `write`, at `out`.

    `facts` must contain the `key`; `measured` describes the objective's measure in words.
    """
    from extensions.training.core.loop import Loop

    out.parent.mkdir(parents=True, exist_ok=True)
    checkpoint, logs = places_beside(out, facts["key"])
    reached = Loop(objective, checkpoint, logs).run(progress)
    fresh = out.with_name(f".{out.name}.{os.getpid()}.new")
    fresh.mkdir()
    write(fresh)
    finish(fresh, reached, objective.network, measured, facts)
    shutil.move(logs, fresh / LOGS)
    _put(fresh, out)
    checkpoint.unlink(missing_ok=True)
    return trained_at(out)


def places_beside(out: Path, key: str) -> tuple[Path, Path]:
    """Paths of the checkpoint and the logs of an unfinished training with this key."""
    return tuple(out.with_name(f".{out.name}.{key[:16]}.{kind}") for kind in ("checkpoint", "logs"))  # type: ignore[return-value]


def finish(folder: Path, reached: "Reached", network: "nn.Module", measured: str, facts: Facts) -> None:
    """Write curve and facts beside the weights."""
    from evaluation.adapters.weights import weights_hash
    from extensions.training.core.loop import write_curve

    write_curve(reached, measured, folder / CURVE)
    description = facts | facts_of(reached, network) | {"weights": weights_hash(folder)}
    (folder / FACTS).write_text(json.dumps(description, indent=1), encoding="utf-8")


def facts_of(reached: "Reached", network: "nn.Module") -> Facts:
    last = reached.losses[-20:]
    facts: Facts = {
        "steps": reached.step,
        "seconds": round(reached.seconds, 1),
        "device": reached.device,
        "parameters": sum(weight.numel() for weight in network.parameters()),
        "loss": round(sum(last) / len(last), 4),
    }
    if reached.best:
        facts |= {"best_step": int(reached.best[0]), "best": round(reached.best[1], 4)}
    return facts


def _put(fresh: Path, out: Path) -> None:
    """Move a folder to its place; an older folder there is deleted last."""
    old = out.with_name(f".{out.name}.{os.getpid()}.old")
    if out.exists():
        out.replace(old)
    fresh.replace(out)
    shutil.rmtree(old, ignore_errors=True)
