"""`manage.py export_trial`: write one row per judgment."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from humantrials.results.exports import WRITERS, write_export
from humantrials.studies.lookup import find_trial


class Command(SiteCommand):
    help = "Write every judgment of a trial, and a codebook beside it. Safe to run again: the files are written anew."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--format", choices=sorted(WRITERS), default="csv", dest="kind")
        parser.add_argument("--out", type=Path, required=True)

    def handle(self, *, slug: str, kind: str, out: Path, **options: Any) -> None:
        trial = find_trial(slug)
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            book = write_export(trial, kind, out)
        except OSError as error:
            raise CallerMistake(f"can't write {out}: {error.strerror}") from None
        facts = {"trial": slug, "rows": trial.judgments.count(), "file": str(out), "codebook": str(book)}
        self.say(options, facts, "{rows} judgments in {file}, codebook in {codebook}".format(**facts))
