"""The one training loop: seeded, on the GPU where there is one, resumable, with its curve kept."""

import json
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional

from evaluation.training.batches import UNASKED, Batch, Teacher
from evaluation.training.recipes import Recipe

WARM_UP = 0.08  # of all steps
CHECKPOINT_SECONDS = 20
LARGEST_GRADIENT = 1.0

Progress = Callable[[int, int, float], None]  # steps done, steps in all, loss


@dataclass
class Course:
    """How far a training is."""

    step: int = 0
    seconds: float = 0.0
    losses: list[float] = field(default_factory=list)


class Loop:
    """Trains one model with one teacher; `checkpoint` is where it can be taken up again."""

    def __init__(self, model: Any, teacher: Teacher, recipe: Recipe, checkpoint: Path) -> None:
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model, self.teacher, self.recipe, self.checkpoint = model.to(self.device), teacher, recipe, checkpoint
        self.optimizers = optimizers_for(model, recipe)
        self.rates = [optimizer.param_groups[0]["lr"] for optimizer in self.optimizers]
        self.course = Course()

    def run(self, progress: Progress) -> Course:
        self._take_up()
        self.model.train()
        began, saved = time.monotonic() - self.course.seconds, time.monotonic()
        while self.course.step < self.recipe.steps:
            self.course.losses.append(self._learn(self.teacher.batch(self.course.step).to(self.device)))
            self.course.step += 1
            self.course.seconds = time.monotonic() - began
            progress(self.course.step, self.recipe.steps, self.course.losses[-1])
            if time.monotonic() - saved > CHECKPOINT_SECONDS:
                self._save()
                saved = time.monotonic()
        self.model.eval()
        return self.course

    def _learn(self, batch: Batch) -> float:
        for optimizer, rate in zip(self.optimizers, self.rates, strict=True):
            optimizer.param_groups[0]["lr"] = rate * warmth(self.course.step / self.recipe.steps)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            loss = loss_of(self.model, batch)
        self.model.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), LARGEST_GRADIENT)
        for optimizer in self.optimizers:
            optimizer.step()
        return float(loss.detach())

    def _save(self) -> None:
        state = {
            "course": asdict(self.course),
            "model": self.model.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in self.optimizers],
        }
        temporary = self.checkpoint.with_suffix(".tmp")
        torch.save(state, temporary)
        temporary.replace(self.checkpoint)

    def _take_up(self) -> None:
        if not self.checkpoint.is_file():
            return
        state = torch.load(self.checkpoint, map_location=self.device, weights_only=True)
        self.model.load_state_dict(state["model"])
        for optimizer, kept in zip(self.optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(kept)
        self.course = Course(**state["course"])


def optimizers_for(model: Any, recipe: Recipe) -> list[torch.optim.Optimizer]:
    """Muon for the matrices inside (Jordan et al. 2024), which need half the steps with it; AdamW for the rest."""
    inside = {name: weight.ndim == 2 and (".layers." in name or "projector" in name)
              for name, weight in model.named_parameters()}  # fmt: skip
    weights = dict(model.named_parameters())
    return [
        torch.optim.Muon([weights[name] for name in weights if inside[name]], lr=recipe.matrix_rate, weight_decay=0.0),
        torch.optim.AdamW(
            [weights[name] for name in weights if not inside[name]],
            lr=recipe.other_rate, betas=(0.9, 0.98), weight_decay=0.05,
        ),
    ]  # fmt: skip


def warmth(way: float) -> float:
    """The share of the full rate: a short rise, then half a cosine down to nothing."""
    if way < WARM_UP:
        return way / WARM_UP
    return 0.5 * (1 + math.cos(math.pi * (way - WARM_UP) / (1 - WARM_UP)))


def loss_of(model: Any, batch: Batch) -> torch.Tensor:
    """Cross-entropy of the replies alone. A clip in which nothing moves is looked at once and shown as often."""
    sight = model.get_video_features(
        batch.pictures, vision_feature_layer=-1, vision_feature_select_strategy="full", return_dict=True
    )
    shown = batch.frames // batch.pictures.shape[1]
    seen, end = sight.pooler_output[:, :-1], sight.pooler_output[:, -1:]
    sight.pooler_output = torch.cat([seen.repeat(1, shown, 1), end], dim=1)
    thought = model.model(
        input_ids=batch.tokens,
        position_ids=batch.places,
        attention_mask=batch.mask,
        mm_encoder_outputs={"video": sight},
        use_cache=False,
    ).last_hidden_state
    asked = batch.labels[:, 1:] != UNASKED
    return functional.cross_entropy(model.lm_head(thought[:, :-1][asked]).float(), batch.labels[:, 1:][asked])


def facts_of(course: Course, teacher: Teacher, model: Any) -> dict[str, Any]:
    last = course.losses[-20:]
    return {
        "clips": sum(len(group) for groups in teacher.places.values() for group in groups),
        "steps": course.step,
        "seconds": round(course.seconds, 1),
        "device": str(model.device),
        "parameters": model.num_parameters(),
        "loss": round(sum(last) / len(last), 4),
    }


def curve_of(course: Course, points: int = 100) -> list[dict[str, float]]:
    """The loss over the steps, averaged between the points."""
    width = max(1, len(course.losses) // points)
    parts = [course.losses[first : first + width] for first in range(0, len(course.losses), width)]
    return [{"step": min((number + 1) * width, course.step), "loss": round(sum(part) / len(part), 4)}
            for number, part in enumerate(parts)]  # fmt: skip


def write_curve(course: Course, path: Path) -> None:
    path.write_text(json.dumps({"seconds": round(course.seconds, 1), "curve": curve_of(course)}, indent=1))
