"""Tiny models of families, each made and saved once a process for all tests that leave their files alone."""

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from evaluation.adapters.transformers.adapter import TransformersModel

Build = Callable[[Path], Path]
"""Makes a model of one family and saves it in a folder."""


@cache
def saved_once(build: Build) -> Path:
    """The folder of this model."""
    return build(Path(tempfile.mkdtemp(dir=_home().name)) / "model")


def opener(build_of: Callable[[str], Build], **options: Any) -> Callable[[str], TransformersModel]:
    """Opens the family of a name, each once."""
    return cache(lambda name: TransformersModel(path=str(saved_once(build_of(name))), **options))


@cache
def _home() -> tempfile.TemporaryDirectory[str]:
    """A folder that goes with this process."""
    return tempfile.TemporaryDirectory(prefix="families-")
