import os
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.errors import BenchmarkError
from benchmarks.progress_bar import progress_bar
from extensions.generated.made.clips import MadeOrder
from extensions.generated.made.folders import make_folders
from extensions.generated.made.generators import GENERATORS, LEADS


class Command(SiteCommand):
    help = (
        "Make a prompt pack and the clip sets of eleven generators with known faults, as folders that import_benchmark"
        " takes. Safe to run again: the same options write the same bytes."
    )
    mistakes = (BenchmarkError,)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("out", type=Path, help="folder for prompts/ and sets/; it must not exist")
        for name in ("prompts", "takes", "seed", "width"):
            parser.add_argument(f"--{name}", type=int, default=getattr(MadeOrder, name))

    def handle(self, *, out: Path, prompts: int, takes: int, seed: int, width: int, **options: Any) -> None:
        if out.exists():
            raise CallerMistake(f"{out} exists already")
        if not (prompts >= 1 and 1 <= takes <= LEADS and 64 <= width <= 640 and width % 4 == 0):
            raise CallerMistake(f"--prompts is 1 or more, --takes 1 to {LEADS}, --width a multiple of 4 from 64 to 640")
        scenes_root = Path(settings.VAR_DIR) / "made-scenes"
        jobs, bar = os.cpu_count() or 1, progress_bar(sys.stderr, "Prompts")
        make_folders(MadeOrder(prompts, takes, seed, width=width), scenes_root, out, jobs=jobs, progress=bar)
        clips = prompts * takes * len(GENERATORS)
        line = f"{clips} clips of {len(GENERATORS)} generators in {out}: import prompts/, then each folder of sets/"
        self.say(options, {"out": str(out), "prompts": prompts, "generators": len(GENERATORS), "clips": clips}, line)
