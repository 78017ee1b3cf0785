"""How good a clip seems to a rater, from what is known of it: the rule of simulated people and judges alike.

A rater notices a break by chance: the clearer and the plainer its kind, the likelier; some see one where there is none.
Latent quality is in steps of a scale from 1 to 5: `GOOD`, less the cost of the break that was noticed, plus shares of
how the clip looks and of how well it follows its prompt. The answer is the nearest step.

All functions take numbers or arrays. A severity of 0 means "no break".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Kind of break -> chance of noticing a clear one
SENSITIVITY = {
    "passes": 0.85,
    "vanishes": 0.9,
    "falls": 0.8,
    "moves": 0.7,
    "reacts": 0.65,
    "bends": 0.8,
    "turns": 0.85,
    "look": 0.75,
}
KINDS = tuple(SENSITIVITY)
SHARPNESS = np.array([0.0, 0.45, 1.0, 1.1])  # by severity: a factor of the sensitivity
COST = np.array([0.0, 0.9, 1.9, 2.8])  # by the severity noticed: steps of the scale
FALSE_ALARM = 0.06  # chance of "noticing" a subtle break where there is none
GOOD = 4.3
CLEAR = 2  # severity of a break of which none is known
_SENSITIVITIES = np.array(list(SENSITIVITY.values()))


@dataclass(frozen=True)
class ClipTruth:
    """What is known of a clip; seconds are None and the kind is empty where nothing breaks."""

    is_broken: bool = False
    kind: str = ""
    onset: float | None = None
    visible_from: float | None = None
    severity: int = 0

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "ClipTruth":
        """From `GeneratedClip.truth`."""
        if not record["is_broken"]:
            return cls()
        severity = record.get("severity") or CLEAR
        return cls(True, record["kind"], record.get("onset"), record.get("visible_from"), severity)


@dataclass(frozen=True)
class MadeClips:
    """What a generator's clips are like: the chance of a break, its kinds, looks, and how prompts are followed."""

    share: float = 0.0
    kinds: tuple[str, ...] = KINDS
    severities: tuple[int, ...] = (2, 3)
    look: float = 0.0
    follows: float = 0.0


@dataclass(frozen=True)
class LatentWeights:
    """What counts for one dimension: shares of a break's cost, of the look, and of following the prompt."""

    physics: float = 1.0
    look: float = 0.15
    follows: float = 0.1


PHYSICAL = LatentWeights()
ADHERENCE = LatentWeights(physics=0.3, look=0.1, follows=1.0)


def weights_of(shows_prompt: bool) -> LatentWeights:
    """Of a dimension: those that need the prompt ask whether the clip follows it, the others about physics."""
    return ADHERENCE if shows_prompt else PHYSICAL


def kind_number(kind: str) -> int:
    """Its place in KINDS; -1 for ""."""
    return KINDS.index(kind) if kind else -1


def chance_to_notice(kind: Any, severity: Any) -> Floats:
    """By kind (its place in KINDS) and true severity; of clips without a break, the chance of a false alarm."""
    seen = np.minimum(0.97, _SENSITIVITIES[kind] * SHARPNESS[severity])
    return np.where(np.asarray(severity) > 0, seen, FALSE_ALARM)


def quality(weights: LatentWeights, severity: Any, look: Any = 0.0, follows: Any = 0.0) -> Floats:
    """The latent quality to somebody who noticed a break of this severity."""
    return GOOD - weights.physics * COST[severity] + weights.look * look + weights.follows * follows


def mean_quality(weights: LatentWeights, truth: ClipTruth, look: float = 0.0, follows: float = 0.0) -> float:
    """The latent quality on average over raters, some of whom notice the break."""
    chance = chance_to_notice(kind_number(truth.kind), truth.severity)
    noticing, other = (quality(weights, seen, look, follows) for seen in (max(truth.severity, 1), 0))
    return float(chance * noticing + (1 - chance) * other)


def step_of(latent: Any, steps: int = 5) -> Integers:
    """The answer: the step of a scale from 1 to `steps` that is nearest to a quality from 1 to 5."""
    place = 1 + (np.asarray(latent) - 1) * (steps - 1) / 4
    return np.clip(np.rint(place), 1, steps).astype(np.int64)
