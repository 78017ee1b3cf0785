"""`manage.py export_annotation`: write the data set of an annotation trial as PACS' own files."""

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.progress_bar import progress_bar
from humantrials.annotation.dataset import dataset_of
from humantrials.annotation.pacs_release import CannotExport, hint_of_boxes, write_release
from humantrials.annotation.task_answers import is_staged
from humantrials.studies.lookup import find_trial


class Command(SiteCommand):
    help = (
        "Write a trial's data set as PACS' own JSON files, with clips and datasheet. Safe to run again: rewrites them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--out", type=Path, required=True)
        parser.add_argument("--without-clips", action="store_true", help="only the JSON files and the datasheet")

    def handle(self, *, slug: str, out: Path, **options: Any) -> None:
        trial = find_trial(slug)
        if not is_staged(trial):
            raise CallerMistake(f"{slug} follows the protocol {trial.protocol}: only pacs-annotation makes a data set")
        dataset = dataset_of(trial)
        bar = progress_bar(sys.stderr, "Clips")
        try:
            written = write_release(dataset, out, with_clips=not options["without_clips"], progress=bar)
        except CannotExport as error:
            raise CallerMistake(str(error)) from None
        except OSError as error:
            raise CallerMistake(f"can't write {error.filename or out}: {error.strerror}") from None
        facts = {
            "trial": slug,
            "out": str(out),
            "simulated": dataset.is_simulated,
            "objects": written.objects,
            "questions": written.questions,
            "datapoints": written.points,
            "material": written.material_points,
            "clips": written.clips,
            "left_out_for_their_box": len(dataset.doubtful),
        }
        who = " of simulated people" if dataset.is_simulated else ""
        total, of_material = sum(written.points.values()), sum(written.material_points.values())
        line = f"{out}: {total} datapoints{who} and {of_material} of materials about {written.objects} objects"
        self.say(options, facts, line + hint_of_boxes(dataset))
