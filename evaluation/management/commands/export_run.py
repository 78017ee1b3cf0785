from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake
from evaluation.runs.exchange import write_every_eval_ever, write_hugging_face
from evaluation.runs.official import write_items, write_official
from evaluation.runs.spec import find_run
from evaluation.workers.run_command import RunCommand

LAYOUTS = {
    "items": write_items,
    "official": write_official,
    "every-eval-ever": write_every_eval_ever,
    "hugging-face": write_hugging_face,
}


class Command(RunCommand):
    help = "Write a run's answers to files. Safe to run again: the files are rewritten."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int)
        parser.add_argument("--layout", required=True, help=f"items (a .jsonl), or a folder: {', '.join(LAYOUTS)}")
        parser.add_argument("--out", required=True, type=Path)

    def handle(self, *, run: int, layout: str, out: Path, **options: Any) -> None:
        found = find_run(run)
        write = LAYOUTS.get(layout)
        if write is None:
            raise CallerMistake(f"there is no layout {layout!r}; there is: {', '.join(LAYOUTS)}")
        try:
            rows = write(found, out)
        except OSError as error:
            raise CallerMistake(f"--out {out}: {error.strerror}") from error
        self.say(options, {"run": found.pk, "rows": rows, "out": str(out)}, f"{rows} answers in {out}")
