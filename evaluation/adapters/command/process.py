"""Runs a program that answers in JSON lines, and ends it with all its child processes."""

import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.policy import LIMITS
from evaluation.errors import ModelMisused

LONGEST_LINE = LIMITS["program line"].most  # bytes
ENDED = None  # put into the queue at the end of the program's output
SECONDS_TO_END = 2.0  # wait after closing its input, and again after SIGTERM


class Program:
    """A running program; threads read and write its pipes, so that a full pipe never blocks the caller."""

    def __init__(self, command: Sequence[str], *, folder: Path, variables: Mapping[str, str]) -> None:
        try:
            self._process = subprocess.Popen(
                list(command),
                cwd=folder,
                env=dict(variables),
                start_new_session=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        except (OSError, ValueError) as error:
            raise ModelMisused(f"the program {command[0]} can't be started: {error}") from error
        self.answers: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.strays: deque[str] = deque(maxlen=1)  # the last line that was no answer …
        self.stray_count = 0  # … and how many there were
        self._expected: set[str] = set()
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._complaints: deque[str] = deque(maxlen=20)
        self._listening = [
            threading.Thread(target=work, daemon=True) for work in (self._write, self._read, self._overhear)
        ]
        for thread in self._listening:
            thread.start()

    def send(self, number: str, line: Mapping[str, Any]) -> None:
        """Send one question, without waiting until it is written."""
        self._expected.add(number)
        self._lines.put(json.dumps(line).encode() + b"\n")

    def _write(self) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        try:
            while (line := self._lines.get()) is not None:
                pipe.write(line)
                pipe.flush()
            pipe.close()
        except (OSError, ValueError):
            pass  # it has stopped reading; `_read` will notice its end

    def _read(self) -> None:
        pipe = self._process.stdout
        assert pipe is not None
        while line := pipe.readline(LONGEST_LINE):
            if not line.endswith(b"\n") and len(line) == LONGEST_LINE:
                self._complaints.append(f"it wrote a line longer than {LIMITS['program line'].words}")
                break
            self._take(line)
        self.answers.put(ENDED)

    def _take(self, line: bytes) -> None:
        """Queue the answer to an open question; count other lines as strays, since libraries print, too."""
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        number = answer.get("id") if isinstance(answer, dict) else None
        name = str(number) if type(number) in (str, int) else ""  # many programs send the id back as a number
        if name in self._expected:
            self._expected.discard(name)
            self.answers.put({**answer, "id": name})
        elif line.strip():
            self.stray_count += 1
            self.strays.append(line[:200].decode("utf-8", "replace").strip())

    def _overhear(self) -> None:
        pipe = self._process.stderr
        assert pipe is not None
        while line := pipe.readline(1000):
            if words := line.decode("utf-8", "replace").strip():
                self._complaints.append(words)

    def how_it_is_silent(self) -> str:
        """The likeliest reasons why no answer came: output that waits in a buffer, or the last line that was none."""
        line = f"; it wrote a line that answers no open question: {self.strays[-1][:100]!r}" if self.strays else ""
        return f"does it flush each line (print(…, flush=True))?{line}"

    def how_it_ended(self) -> str:
        """A sentence with the exit status and the last lines of standard error."""
        try:
            status = self._process.wait(SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            return f"it closed its output{self._last_output()}"
        how = f"was killed by {_signal_name(-status)}" if status < 0 else f"ended with status {status}"
        return f"it {how}{self._last_output()}"

    def _last_output(self) -> str:
        self._listening[-1].join(0.2)
        words = " / ".join(list(self._complaints)[-3:])
        return f"; its last words: {words[-200:]}" if words else ""

    def end(self) -> None:
        """End the program and its process group: close its input, then SIGTERM, then SIGKILL."""
        self._lines.put(None)
        for sign in (signal.SIGTERM, signal.SIGKILL):
            if _waited(self._process, SECONDS_TO_END):
                break
            _tell_group(self._process.pid, sign)
        _tell_group(self._process.pid, signal.SIGKILL)  # child processes left behind
        self._process.wait()
        for thread in self._listening:
            thread.join(0.5)


def _waited(process: subprocess.Popen[bytes], seconds: float) -> bool:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _tell_group(leader: int, sign: signal.Signals) -> None:
    """Send the signal to the process group, which keeps its leader's id while any member lives."""
    try:
        os.killpg(leader, sign)
    except (ProcessLookupError, PermissionError):
        return
    if sign == signal.SIGKILL:
        time.sleep(0.01)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
