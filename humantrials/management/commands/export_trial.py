import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.progress_bar import progress_bar
from humantrials.annotation.dataset import dataset_of
from humantrials.annotation.pacs_release import CannotExport, write_release
from humantrials.annotation.task_answers import is_staged
from humantrials.errors import TrialError
from humantrials.models import Trial
from humantrials.results.data_set import Source, write_folder
from humantrials.results.exports import WRITERS, write_export
from humantrials.studies.lookup import find_trial

FOLDER = "psych-ds"
RELEASE = "pacs"


class Command(SiteCommand):
    help = (
        "Write all judgments of a trial and their codebook; with --format psych-ds an anonymous folder of all tables,"
        " event log, plan, methods and models; with --format pacs the data set of an annotation trial as PACS' own"
        " files, with clips and datasheet. Safe to run again: it rewrites them."
    )
    mistakes = (TrialError, CannotExport)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        formats = sorted((*WRITERS, FOLDER, RELEASE))
        parser.add_argument("--format", choices=formats, default="csv", dest="kind")
        parser.add_argument("--out", type=Path, required=True)
        parser.add_argument("--codes", action="store_true", help="random codes and times in the psych-ds folder")
        parser.add_argument("--without-clips", action="store_true", help="pacs: only the JSON files and the datasheet")

    def handle(self, *, slug: str, kind: str, out: Path, **options: Any) -> None:
        trial = find_trial(slug)
        writers = {FOLDER: self._folder, RELEASE: self._release}
        try:
            writers.get(kind, self._rows)(trial, out, options | {"kind": kind})
        except OSError as error:
            raise CallerMistake(f"can't write {error.filename or out}: {error.strerror}") from None

    def _rows(self, trial: Trial, out: Path, options: dict[str, Any]) -> None:
        out.parent.mkdir(parents=True, exist_ok=True)
        book = write_export(trial, options["kind"], out)
        facts = {"trial": trial.slug, "rows": trial.judgments.count(), "file": str(out), "codebook": str(book)}
        self.say(options, facts, "{rows} judgments in {file}, codebook in {codebook}".format(**facts))

    def _folder(self, trial: Trial, out: Path, options: dict[str, Any]) -> None:
        if is_staged(trial):
            raise CallerMistake(f"{trial.slug} has stages of annotation: use --format {RELEASE}")
        count = write_folder(Source(trial, is_anonymous=not options["codes"]), out)
        self.say(options, {"trial": trial.slug, "files": count, "folder": str(out)}, f"{count} files in {out}")

    def _release(self, trial: Trial, out: Path, options: dict[str, Any]) -> None:
        if not is_staged(trial):
            raise CallerMistake(
                f"{trial.slug} follows the protocol {trial.protocol}: only pacs-annotation makes a data set"
            )
        dataset = dataset_of(trial)
        bar = progress_bar(sys.stderr, "Clips")
        written = write_release(dataset, out, with_clips=not options["without_clips"], progress=bar)
        facts = {
            "trial": trial.slug,
            "out": str(out),
            "simulated": dataset.is_simulated,
            "objects": written.objects,
            "questions": written.questions,
            "datapoints": written.points,
            "material": written.material_points,
            "clips": written.clips,
        }
        who = " of simulated people" if dataset.is_simulated else ""
        total, of_material = sum(written.points.values()), sum(written.material_points.values())
        line = f"{out}: {total} datapoints{who} and {of_material} of materials about {written.objects} objects"
        self.say(options, facts, line)
