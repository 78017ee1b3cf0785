"""`manage.py export_trial`: write one row per judgment, or the whole data set as a Psych-DS folder."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from humantrials.annotation.task_answers import is_staged
from humantrials.models import Trial
from humantrials.results.data_set import Source, write_folder
from humantrials.results.exports import WRITERS, write_export
from humantrials.studies.lookup import find_trial

FOLDER = "psych-ds"


class Command(SiteCommand):
    help = (
        "Write all judgments of a trial and their codebook, or with --format psych-ds an anonymous folder of all"
        " tables, event log, plan, methods and models. Safe to run again: it rewrites them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--format", choices=sorted((*WRITERS, FOLDER)), default="csv", dest="kind")
        parser.add_argument("--out", type=Path, required=True)
        parser.add_argument("--codes", action="store_true", help="random codes and times in the psych-ds folder")

    def handle(self, *, slug: str, kind: str, out: Path, **options: Any) -> None:
        trial = find_trial(slug)
        if kind == FOLDER:
            self._folder(trial, out, options)
            return
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            book = write_export(trial, kind, out)
        except OSError as error:
            raise CallerMistake(f"can't write {out}: {error.strerror}") from None
        facts = {"trial": slug, "rows": trial.judgments.count(), "file": str(out), "codebook": str(book)}
        self.say(options, facts, "{rows} judgments in {file}, codebook in {codebook}".format(**facts))

    def _folder(self, trial: Trial, out: Path, options: dict[str, Any]) -> None:
        if is_staged(trial):
            raise CallerMistake(f"{trial.slug} has stages of annotation: use export_annotation")
        try:
            count = write_folder(Source(trial, is_anonymous=not options["codes"]), out)
        except OSError as error:
            raise CallerMistake(f"can't write {out}: {error.strerror}") from None
        self.say(options, {"trial": trial.slug, "files": count, "folder": str(out)}, f"{count} files in {out}")
