"""The one training loop: seeded, on the GPU if there is one, with early stopping, checkpoints and a curve.

An `Objective` depends only on its seed and the number of the step. A killed training therefore resumes from its last
checkpoint with the same losses, checks and weights. They are bit-identical on a CPU with the same number of threads,
where sums have a fixed order; a GPU does not guarantee this.
"""

import json
import math
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import nn

from evaluation.errors import EvaluationError
from extensions.training.core.saved_network import weights_at

WARM_UP = 0.08  # of all steps


def warmth(way: float, warm_up: float = WARM_UP) -> float:
    """A short linear rise, then half a cosine down to zero."""
    if way < warm_up:
        return way / warm_up
    return 0.5 * (1 + math.cos(math.pi * (way - warm_up) / (1 - warm_up)))


POINTS = 100  # of a curve


class Log:
    """The scalars of a training, step by step; this one writes nothing."""

    def write(self, step: int, **values: float) -> None: ...

    def flush(self) -> None:
        """Write everything to the disk, because a checkpoint will rely on it."""

    def close(self) -> None: ...


class EventLog(Log):
    """Scalars by name in an event file of this folder; discards steps after `step`, which a killed training wrote.

    tensorboardX's own SummaryWriter hands events to a thread for which its `flush` does not wait: a kill just after a
    checkpoint could lose events that the checkpoint counts as written. Here they are written to the file at once.
    """

    def __init__(self, folder: Path, step: int) -> None:
        from tensorboardX.event_file_writer import EventsWriter  # TensorBoard's files without TensorFlow
        from tensorboardX.proto.event_pb2 import Event, SessionLog

        folder.mkdir(parents=True, exist_ok=True)
        self.file = EventsWriter(str(folder / "events"), f".{time.time_ns()}")  # read in the order of names
        if step:
            self.file.write_event(Event(step=step + 1, session_log=SessionLog(status=SessionLog.START)))

    def write(self, step: int, **values: float) -> None:
        from tensorboardX.proto.event_pb2 import Event
        from tensorboardX.summary import scalar

        for name, value in values.items():
            self.file.write_event(Event(wall_time=time.time(), step=step, summary=scalar(name, value)))

    def flush(self) -> None:
        self.file.flush()

    def close(self) -> None:
        self.file.close()


def curve_of(losses: Sequence[float]) -> list[dict[str, float]]:
    """The loss over the steps, averaged between the points."""
    width = max(1, len(losses) // POINTS)
    parts = [losses[first : first + width] for first in range(0, len(losses), width)]
    return [
        {"step": min((number + 1) * width, len(losses)), "loss": round(sum(part) / len(part), 4)}
        for number, part in enumerate(parts)
    ]


def write_curve(reached: "Reached", measured: str, path: Path) -> None:
    """Write the curve as JSON; `measured` describes in words what the checks measure."""
    checks = [{"step": int(step), "measure": round(measure, 4)} for step, measure in reached.checks]
    content: dict[str, Any] = {"seconds": round(reached.seconds, 1), "curve": curve_of(reached.losses)}
    path.write_text(json.dumps(content | ({"measured": measured, "checks": checks} if checks else {}), indent=1))


CHECKPOINT_SECONDS = 20  # between two checkpoints; longer if writing one takes over a second

Progress = Callable[[int, int, float], None]  # steps done, steps in all, loss
Measure = Callable[[torch.device], float]  # higher is better


class TrainingDiverged(EvaluationError):
    """The loss is no longer a finite number."""


@dataclass(frozen=True)
class TrainingSchedule:
    """Length, checks and stability of a training."""

    steps: int  # at most
    check_every: int = 0  # steps between two measurements on the validation questions; 0: none
    patience: int = 0  # checks without a better measure after which training stops; 0: never
    largest_gradient: float = 0.0  # norm to which all gradients together are clipped; 0: no clipping


class Objective(Protocol):
    """What is trained: a network with its batches, learning rates and measure."""

    pace: TrainingSchedule
    seed: int

    @property
    def network(self) -> nn.Module:
        """All trained parameters, which checkpoints contain."""
        ...

    def optimizers(self) -> Sequence[torch.optim.Optimizer]:
        """The optimizers; called once, when the network is on its device."""
        ...

    def rate(self, step: int) -> float:
        """The factor on each optimizer's own rate at this step, from 0 to 1."""
        ...

    def loss(self, step: int, device: torch.device) -> torch.Tensor:
        """The loss of the batch drawn from seed and step, which also seed torch's own generator (for dropout)."""
        ...

    @property
    def measure(self) -> Measure | None:
        """The quality of the network on held-out questions; None if it is trained to the end without checks."""
        ...


class SmallObjective:
    """Base of the objectives of small networks, trained to the end without checks on other examples.

    The initial weights of the network that `make` makes depend on the seed.
    """

    measure = None
    warm_up = WARM_UP
    largest_gradient = 1.0

    def __init__(self, make: Callable[[], nn.Module], recipe: Any, seed: int, *, decay: float) -> None:
        self.recipe, self.seed, self.decay = recipe, seed, decay
        self.pace = TrainingSchedule(recipe.steps, largest_gradient=self.largest_gradient)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.network: Any = make()

    def optimizers(self) -> Sequence[torch.optim.Optimizer]:
        return [torch.optim.AdamW(self.network.parameters(), lr=self.recipe.rate, weight_decay=self.decay)]

    def rate(self, step: int) -> float:
        return warmth(step / self.recipe.steps, self.warm_up)


@dataclass
class Reached:
    """The progress of a training."""

    step: int = 0
    seconds: float = 0.0
    losses: list[float] = field(default_factory=list)  # one per step
    checks: list[list[float]] = field(default_factory=list)  # step and measure
    device: str = ""

    @property
    def best(self) -> list[float] | None:
        """Step and measure of the best check, the first one among equals."""
        return max(self.checks, key=lambda check: check[1]) if self.checks else None

    def is_stuck(self, patience: int) -> bool:
        """Whether this many checks were made since the best one."""
        return bool(patience and self.best) and len(self.checks) - 1 - self.checks.index(self.best or []) >= patience


@contextmanager
def one_order(device: torch.device) -> Iterator[None]:
    """Make torch sum in a fixed order on a CPU within the block.

    Otherwise two threads add the gradient of `maps[which]`, in which several questions share a video, in varying order,
    and the last bit differs between runs. On a GPU torch would refuse operations without a deterministic variant (the
    gradient of an adaptive pooling), so nothing changes there.
    """
    was, warns = torch.are_deterministic_algorithms_enabled(), torch.is_deterministic_algorithms_warn_only_enabled()
    torch.use_deterministic_algorithms(was or device.type == "cpu", warn_only=warns)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(was, warn_only=warns)


class Loop:
    """Trains one objective; `checkpoint` is the file to resume from, `logs` a folder for TensorBoard."""

    def __init__(self, objective: Objective, checkpoint: Path | None = None, logs: Path | None = None) -> None:
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.course, self.pace, self.checkpoint, self.logs = objective, objective.pace, checkpoint, logs
        self.network = objective.network.to(self.device)
        self.optimizers = list(objective.optimizers())
        self.rates = [[group["lr"] for group in optimizer.param_groups] for optimizer in self.optimizers]
        self.reached = Reached(device=str(self.device))
        self.best: dict[str, torch.Tensor] | None = None

    def run(self, progress: Progress) -> Reached:
        """Train to the end. The network then has the weights of the best check (without checks, of the last step)."""
        self._take_up()
        chance = [torch.cuda.current_device()] if self.device.type == "cuda" else []
        log = EventLog(self.logs, self.reached.step) if self.logs else Log()
        with closing(log), torch.random.fork_rng(devices=chance), one_order(self.device):
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
        if reached.step < self.pace.steps:  # it stopped early: the progress display must end
            progress(reached.step, reached.step, reached.losses[-1])

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
            raise TrainingDiverged(f"step {step + 1}: the loss is {value}; this training stored no final weights")
        return value

    def _precision(self) -> torch.autocast:
        """bfloat16 on a GPU, whose range needs no loss scaling; 32 bits on a CPU."""
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda")

    def _is_to_check(self) -> bool:
        every, step = self.pace.check_every, self.reached.step
        return bool(every) and (step % every == 0 or step == self.pace.steps)

    @torch.no_grad()
    def _checked(self, measure: Measure) -> float:
        """The measure now; stores the weights if it is the best so far."""
        self.network.eval()
        with self._precision():
            found = float(measure(self.device))
        self.network.train()
        if self.reached.best is None or found > self.reached.best[1]:
            self.best = {name: value.detach().clone() for name, value in self.network.state_dict().items()}
        return found

    def _save(self, checkpoint: Path) -> float:
        """Write a checkpoint; return the seconds to wait until the next one."""
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
        state: dict[str, Any] = weights_at(self.checkpoint, self.device)
        self.network.load_state_dict(state["network"])
        for optimizer, saved in zip(self.optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(saved)
        self.best = state["best"]
        self.reached = Reached(**state["reached"])
