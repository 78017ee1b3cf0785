"""A trained model as a folder: weights, how they came about, and the curve; there whole or not at all."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluation.errors import EvaluationError

if TYPE_CHECKING:
    from torch import nn

    from evaluation.training.loop import Course, Progress, Reached

FACTS, CURVE, LOGS = "training.json", "curve.json", "logs"

Facts = dict[str, Any]


class TrainingMisused(EvaluationError, ValueError):
    """The caller asked for a training that can't be."""


@dataclass(frozen=True)
class Trained:
    """A folder of weights and how they came about."""

    path: Path
    facts: Facts


def trained_at(out: Path) -> Trained:
    return Trained(out, json.loads((out / FACTS).read_text(encoding="utf-8")))


def standing_at(out: Path, key: str) -> Trained | None:
    """What stands at `out`, if everything that it hangs on had this key."""
    try:
        found = trained_at(out)
    except (OSError, ValueError):
        return None
    return found if found.facts.get("key") == key else None


def key_of(facts: Mapping[str, Any]) -> str:
    """SHA-256 over everything that the weights hang on, the machine aside."""
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def learnt(
    course: "Course",
    out: Path,
    *,
    write: Callable[[Path], None],
    facts: Facts,
    measured: str = "",
    progress: "Progress",
) -> Trained:
    """Run the course to its end and put what `write` saves of the network at `out`; a killed one is taken up again.

    `facts` must have the `key`; `measured` says in words what the course's measure is.
    """
    from evaluation.training.loop import Loop

    out.parent.mkdir(parents=True, exist_ok=True)
    checkpoint, logs = places_beside(out, facts["key"])
    reached = Loop(course, checkpoint, logs).run(progress)
    fresh = out.with_name(f".{out.name}.{os.getpid()}.new")
    fresh.mkdir()
    write(fresh)
    finish(fresh, reached, course.network, measured, facts)
    shutil.move(logs, fresh / LOGS)
    _put(fresh, out)
    checkpoint.unlink(missing_ok=True)
    return trained_at(out)


def places_beside(out: Path, key: str) -> tuple[Path, Path]:
    """Where the checkpoint and the logs of a training of this key are, until it is over."""
    return tuple(out.with_name(f".{out.name}.{key[:16]}.{kind}") for kind in ("checkpoint", "logs"))  # type: ignore[return-value]


def finish(folder: Path, reached: "Reached", network: "nn.Module", measured: str, facts: Facts) -> None:
    """Write curve and facts beside the weights."""
    from evaluation.adapters.weights import weights_hash
    from evaluation.training.curves import write_curve

    write_curve(reached, measured, folder / CURVE)
    told = facts | facts_of(reached, network) | {"weights": weights_hash(folder)}
    (folder / FACTS).write_text(json.dumps(told, indent=1), encoding="utf-8")


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
    """Move a folder to its place; what stood there goes last."""
    old = out.with_name(f".{out.name}.{os.getpid()}.old")
    if out.exists():
        out.replace(old)
    fresh.replace(out)
    shutil.rmtree(old, ignore_errors=True)
