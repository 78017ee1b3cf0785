"""Every benchmark whose own tools have a result file, and what writes it."""

from collections.abc import Callable
from pathlib import Path

from evaluation.models import Run
from evaluation.official import craft, grasp, pacs

WRITERS: dict[str, Callable[[Run, Path], int]] = {"grasp": grasp.write, "craft": craft.write, "pacs": pacs.write}
