"""Which program a model is, where it runs, and how long it may take."""

import math
import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.adapters.media_bytes import FORMATS
from evaluation.errors import ModelMisused

# What a program is told of our environment: never the site's keys and addresses. Others by the option `variables`.
PASSED = (
    "PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES",
    "CUDA_HOME", "NVIDIA_VISIBLE_DEVICES", "HF_HOME", "TORCH_HOME", "XDG_CACHE_HOME", "OMP_NUM_THREADS",
)  # fmt: skip
LONGEST = 86400.0  # seconds


@dataclass(frozen=True)
class CommandOptions:
    """What stands in a model's options.

    `program` is the command, as a list of words or as a shell would split it (no shell reads it). `seconds` is the time
    for a reply once the question was handed over, `start_seconds` for the first one, when weights are loaded. With
    `at_once` above 1 the program is handed several questions and may answer out of order.
    """

    program: Sequence[str] | str
    folder: str = ""  # where it runs; a relative one counts from the site's state
    seconds: float = 120.0
    start_seconds: float = 900.0
    at_once: int = 1
    image_format: str = "png"
    variables: Sequence[str] = ()  # names of further environment variables that it is told
    audio: bool = False  # whether it listens to the sound that it is handed

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
        """The command with the program's whole path; raises ModelMisused where there is no such program."""
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
        """Never the site's own keys and addresses, unless the options name them."""
        return {name: os.environ[name] for name in (*PASSED, *self.variables) if name in os.environ}


def command_options(given: Mapping[str, Any]) -> CommandOptions:
    """The options with their defaults; raises ModelMisused."""
    names = [each.name for each in fields(CommandOptions)]
    for name in given:
        if name not in names:
            raise ModelMisused(f"there is no option {name!r}; there are {', '.join(names)}")
    if "program" not in given:
        raise ModelMisused("option program is missing")
    return CommandOptions(**given)
