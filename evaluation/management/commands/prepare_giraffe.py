import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.errors import BenchmarkError
from benchmarks.models.activity_drafts import EXPERTS
from benchmarks.progress_bar import progress_bar
from evaluation.errors import ModelMisused
from evaluation.studies.prepare_giraffe import DATASETS, PreparationOrder, prepare


class Command(SiteCommand):
    help = (
        "Write items of Giraffe-Bench from a public data set's annotation files into a folder that import_benchmark"
        " reads; `charades` without --out fills the experts' queue, `reviewed` and `edited` write what they accepted."
        " Safe to run again: existing pictures are kept."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("dataset", choices=DATASETS)
        parser.add_argument("source", type=Path, nargs="?", help="folder (for ActivityNet a file) with the annotations")
        parser.add_argument("--out", type=Path, help="the folder that import_benchmark giraffe reads afterwards")
        parser.add_argument("--videos", type=Path, help="folder of the videos, which may be missing")
        parser.add_argument(
            "--matcher", help="folder of a CLIP-like model that picks a caption's picture (activitynet)"
        )
        parser.add_argument("--limit", type=int, help="number of items, drawn with the seed")
        parser.add_argument(
            "--experts", type=int, default=EXPERTS, help="number of experts who must accept a Charades item"
        )
        parser.add_argument("--seed", type=int, default=0)

    def handle(self, **options: Any) -> None:
        order = PreparationOrder(**{name: options[name] for name in PreparationOrder.__dataclass_fields__})
        try:
            report = prepare(order, progress=progress_bar(sys.stderr, "Items"))
        except (BenchmarkError, ModelMisused, OSError) as error:
            raise CallerMistake(str(error)) from None
        for where, what in report.problems:
            self.note(options, f"{where}: {what}")
        facts = {
            "dataset": order.dataset,
            "items": report.items,
            "out": str(order.out) if order.out else None,
            "problems": [{"where": where, "what": what} for where, what in report.problems],
        }
        self.say(options, facts, report.line)
