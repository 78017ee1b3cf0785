"""A program that answers in JSON lines: its checked options, its process, and its end with all child processes."""

import json
import math
import os
import queue
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from benchmarks.policy import LIMITS
from evaluation.adapters.media_encoding import FORMATS
from evaluation.errors import ModelMisused

# Environment variables passed to every program; none holds keys or addresses of the site. `variables` adds others.
PASSED = (
    *("PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_HOME"),
    *("NVIDIA_VISIBLE_DEVICES", "HF_HOME", "TORCH_HOME", "XDG_CACHE_HOME", "OMP_NUM_THREADS"),
)
LONGEST = 86400.0  # seconds


@dataclass(frozen=True)
class CommandOptions:
    """The options of a model of kind `command`.

    `program` is the command, as a list of words or one line that is split as in a shell (no shell runs it). `seconds`
    is the time limit for a reply; `start_seconds` is the limit for the first one, which includes loading the weights.
    With `at_once` above 1 the program gets several questions and may answer out of order.
    """

    program: Sequence[str] | str
    folder: str = ""  # where it runs; relative to VAR_DIR
    seconds: float = 120.0
    start_seconds: float = 900.0
    at_once: int = 1
    image_format: str = "png"
    variables: Sequence[str] = ()  # names of further environment variables to pass
    audio: bool = False  # whether the model accepts sound

    def __post_init__(self) -> None:
        _ = self.words
        if not isinstance(self.folder, str) or not self.place.is_dir():
            raise ModelMisused(f"option folder: there is no folder {self.folder!r}")
        if self.image_format not in FORMATS:
            raise ModelMisused(f"option image_format {self.image_format!r}: one of {', '.join(FORMATS)}")
        for name in ("seconds", "start_seconds"):
            value = getattr(self, name)
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
            if not is_number or not 0 < value <= LONGEST:
                raise ModelMisused(f"option {name} {value!r}: a number above 0 and up to {LONGEST:g}")
        if not isinstance(self.at_once, int) or not 1 <= self.at_once <= 256 or isinstance(self.at_once, bool):
            raise ModelMisused(f"option at_once {self.at_once!r}: a whole number from 1 to 256")
        if not isinstance(self.audio, bool):
            raise ModelMisused(f"option audio {self.audio!r}: true or false")
        if isinstance(self.variables, str) or not all(isinstance(name, str) for name in self.variables):
            raise ModelMisused("option variables: a list of names of environment variables")

    @property
    def words(self) -> list[str]:
        """The command with the full path of its program; raises ModelMisused if the program does not exist."""
        try:
            words = shlex.split(self.program) if isinstance(self.program, str) else list(self.program)
        except (ValueError, TypeError) as error:
            raise ModelMisused(f"option program {self.program!r}: {error}") from error
        if not words or not all(isinstance(word, str) and word and "\0" not in word for word in words):
            raise ModelMisused('option program: a command, for example ["/opt/model/bin/python", "answer.py"]')
        first = words[0] if "/" not in words[0] else str(self.place / words[0])
        if not (found := shutil.which(first)):
            raise ModelMisused(f"option program: there is no program {words[0]!r} that can be run")
        return [found, *words[1:]]

    @property
    def place(self) -> Path:
        return Path(settings.VAR_DIR) / self.folder

    def environment(self) -> dict[str, str]:
        """The program's environment, without the site's keys and addresses unless `variables` names them."""
        return {name: os.environ[name] for name in (*PASSED, *self.variables) if name in os.environ}


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
            try:
                self._process.wait(SECONDS_TO_END)
                break
            except subprocess.TimeoutExpired:
                _tell_group(self._process.pid, sign)
        _tell_group(self._process.pid, signal.SIGKILL)  # child processes left behind
        self._process.wait()
        for thread in self._listening:
            thread.join(0.5)


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
