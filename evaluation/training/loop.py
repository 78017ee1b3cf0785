"""The one training loop: seeded, on the GPU where there is one, stopped early, resumable, with its curve kept.

What is taught is a `Course`. It hangs on its seed and on the number of the step alone, so that a training which was
killed anywhere goes on from its last checkpoint to the same losses, the same checks and the same weights: to the bit on
a CPU with the same number of threads, since sums are made in one order there. On a GPU that is not promised.
"""

import math
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import nn

from evaluation.errors import EvaluationError
from evaluation.training.curves import Log, log_to

CHECKPOINT_SECONDS = 20  # between two of them; where one takes more than a second to write, so many times as long

Progress = Callable[[int, int, float], None]  # steps done, steps in all, loss
Measure = Callable[[torch.device], float]  # higher is better


class TrainingDiverged(EvaluationError):
    """The loss is no number any more."""


@dataclass(frozen=True)
class Pace:
    """How long and how steadily a training goes."""

    steps: int  # at most
    check_every: int = 0  # steps between two looks at the validation questions; 0: there are none
    patience: int = 0  # looks without a better measure after which it stops; 0: it goes on to the end
    largest_gradient: float = 0.0  # norm that all gradients together are clipped to; 0: they are not


class Course(Protocol):
    """What is taught to what: a network with its batches, rates and measure."""

    pace: Pace
    seed: int

    @property
    def network(self) -> nn.Module:
        """Everything that is trained, and kept in a checkpoint."""
        ...

    def optimizers(self) -> Sequence[torch.optim.Optimizer]:
        """Asked for once, when the network is on its device."""
        ...

    def rate(self, step: int) -> float:
        """The share of each optimizer's own rate at this step, from 0 to 1."""
        ...

    def loss(self, step: int, device: torch.device) -> torch.Tensor:
        """Of the batch that seed and step draw. torch's own chance, for dropout, was seeded with both before."""
        ...

    @property
    def measure(self) -> Measure | None:
        """How good the network is on what it does not learn from; None where it is taught to the end without a look."""
        ...


@dataclass
class Reached:
    """How far a training is."""

    step: int = 0
    seconds: float = 0.0
    losses: list[float] = field(default_factory=list)  # one a step
    checks: list[list[float]] = field(default_factory=list)  # step and measure
    device: str = ""

    @property
    def best(self) -> list[float] | None:
        """Step and measure of the first check that none is better than."""
        return max(self.checks, key=lambda check: check[1]) if self.checks else None

    def is_stuck(self, patience: int) -> bool:
        """Whether so many checks were made since the best one."""
        return bool(patience and self.best) and len(self.checks) - 1 - self.checks.index(self.best or []) >= patience


@contextmanager
def one_order(device: torch.device) -> Iterator[None]:
    """Sums are made in one order on a CPU, as long as this lasts.

    Else two threads add the gradient of `maps[which]`, which has several questions look at one video, as they come to
    it, and the last bit is another one from run to run. On a GPU torch would refuse operations that have no such way
    (the gradient of an adaptive pooling), so everything is left there as it is.
    """
    was, warns = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    torch.use_deterministic_algorithms(was or device.type == "cpu", warn_only=warns)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(was, warn_only=warns)


class Loop:
    """Trains one course; `checkpoint` is where it can be taken up again, `logs` a folder that TensorBoard reads."""

    def __init__(self, course: Course, checkpoint: Path | None = None, logs: Path | None = None) -> None:
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.course, self.pace, self.checkpoint, self.logs = course, course.pace, checkpoint, logs
        self.network = course.network.to(self.device)
        self.optimizers = list(course.optimizers())
        self.rates = [[group["lr"] for group in optimizer.param_groups] for optimizer in self.optimizers]
        self.reached = Reached(device=str(self.device))
        self.best: dict[str, torch.Tensor] | None = None

    def run(self, progress: Progress) -> Reached:
        """Go to the end; the network then has the weights of the best check, or of the last step without checks."""
        self._take_up()
        chance = [torch.cuda.current_device()] if self.device.type == "cuda" else []
        with (
            torch.random.fork_rng(devices=chance), one_order(self.device),
            log_to(self.logs, self.reached.step) as log,
        ):  # fmt: skip
            self._go(progress, log)
        if self.best is not None:
            self.network.load_state_dict(self.best)
        self.network.eval()
        return self.reached

    def _go(self, progress: Progress, log: Log) -> None:
        self.network.train()
        reached, began = self.reached, time.monotonic() - self.reached.seconds
        saved, pause = time.monotonic(), float(CHECKPOINT_SECONDS)
        while reached.step < self.pace.steps and not reached.is_stuck(self.pace.patience):
            reached.losses.append(self._learn(reached.step))
            reached.step += 1
            log.write(reached.step, loss=reached.losses[-1], rate=self.course.rate(reached.step - 1))
            if self.course.measure and self._is_to_check():
                reached.checks.append([reached.step, self._checked(self.course.measure)])
                log.write(reached.step, measure=reached.checks[-1][1])
            reached.seconds = time.monotonic() - began
            progress(reached.step, self.pace.steps, reached.losses[-1])
            if self.checkpoint and time.monotonic() - saved > pause:
                log.flush()
                pause = self._save(self.checkpoint)
                saved = time.monotonic()

    def _learn(self, step: int) -> float:
        torch.manual_seed(zlib.crc32(f"{self.course.seed}:{step}:chance".encode()))
        for optimizer, rates in zip(self.optimizers, self.rates, strict=True):
            for group, rate in zip(optimizer.param_groups, rates, strict=True):
                group["lr"] = rate * self.course.rate(step)
        with self._precision():
            loss = self.course.loss(step, self.device)
        self.network.zero_grad()
        loss.backward()
        if self.pace.largest_gradient:
            nn.utils.clip_grad_norm_(self.network.parameters(), self.pace.largest_gradient)
        for optimizer in self.optimizers:
            optimizer.step()
        value = float(loss.detach())
        if not math.isfinite(value):
            raise TrainingDiverged(f"step {step + 1}: the loss is {value}; nothing was kept of this training's end")
        return value

    def _precision(self) -> torch.autocast:
        """bfloat16 where a GPU multiplies, whose range needs no scaling of the loss; a CPU stays with 32 bits."""
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda")

    def _is_to_check(self) -> bool:
        every, step = self.pace.check_every, self.reached.step
        return bool(every) and (step % every == 0 or step == self.pace.steps)

    @torch.no_grad()
    def _checked(self, measure: Measure) -> float:
        """The measure now; the weights are remembered when none was better before."""
        self.network.eval()
        with self._precision():
            found = float(measure(self.device))
        self.network.train()
        if self.reached.best is None or found > self.reached.best[1]:
            self.best = {name: value.detach().clone() for name, value in self.network.state_dict().items()}
        return found

    def _save(self, checkpoint: Path) -> float:
        """Write a checkpoint; seconds until the next one is worth its time."""
        began = time.monotonic()
        state = {
            "reached": asdict(self.reached),
            "network": self.network.state_dict(),
            "optimizers": [optimizer.state_dict() for optimizer in self.optimizers],
            "best": self.best,
        }
        temporary = checkpoint.with_suffix(".tmp")
        torch.save(state, temporary)
        temporary.replace(checkpoint)
        return max(CHECKPOINT_SECONDS, CHECKPOINT_SECONDS * (time.monotonic() - began))

    def _take_up(self) -> None:
        if not (self.checkpoint and self.checkpoint.is_file()):
            return
        state: dict[str, Any] = torch.load(self.checkpoint, map_location=self.device, weights_only=True)
        self.network.load_state_dict(state["network"])
        for optimizer, kept in zip(self.optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(kept)
        self.best = state["best"]
        self.reached = Reached(**state["reached"])
