"""The curve of a training: event files for TensorBoard while it runs, and a short table at the end."""

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from extensions.training.core.loop import Reached

POINTS = 100


class Log(Protocol):
    def write(self, step: int, **values: float) -> None: ...

    def flush(self) -> None:
        """Write everything to the disk, because a checkpoint will rely on it."""
        ...


class NoLog:
    """Writes nothing."""

    def write(self, step: int, **values: float) -> None: ...

    def flush(self) -> None: ...


class EventLog:
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


@contextmanager
def log_to(folder: Path | None, step: int) -> Iterator[Log]:
    """The log of a training that starts or resumes at this step."""
    if folder is None:
        yield NoLog()
        return
    log = EventLog(folder, step)
    try:
        yield log
    finally:
        log.file.close()


def curve_of(losses: Sequence[float], points: int = POINTS) -> list[dict[str, float]]:
    """The loss over the steps, averaged between the points."""
    width = max(1, len(losses) // points)
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
