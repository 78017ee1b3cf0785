"""Options of a model that runs as a program: its command, folder, time limits and environment."""

import math
import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.adapters.media_encoding import FORMATS
from evaluation.errors import ModelMisused

# Environment variables passed to every program; none holds keys or addresses of the site. `variables` adds others.
PASSED = (
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "TZ",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_HOME",
    "NVIDIA_VISIBLE_DEVICES",
    "HF_HOME",
    "TORCH_HOME",
    "XDG_CACHE_HOME",
    "OMP_NUM_THREADS",
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


def command_options(options: Mapping[str, Any]) -> CommandOptions:
    """The checked options with their defaults; raises ModelMisused."""
    names = [each.name for each in fields(CommandOptions)]
    for name in options:
        if name not in names:
            raise ModelMisused(f"there is no option {name!r}; there are {', '.join(names)}")
    if "program" not in options:
        raise ModelMisused("option program is missing")
    return CommandOptions(**options)
