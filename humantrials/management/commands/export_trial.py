from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from humantrials.errors import TrialError
from humantrials.kinds import kind_of, kinds
from humantrials.models import Trial
from humantrials.results.exports import WRITERS, write_export
from humantrials.running.lifecycle import find_trial


class Command(SiteCommand):
    mistakes = (TrialError,)

    def __init__(self, *args: Any, **options: Any) -> None:
        """Ask each kind of study that is registered by now what it can write."""
        super().__init__(*args, **options)
        self.formats = {name: found for kind in kinds() for name, found in kind.formats.items()}
        others = "; ".join(f"with --format {name} {found.about}" for name, found in self.formats.items())
        self.help = f"Write all judgments of a trial and their codebook; {others}. Safe to run again: it rewrites them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        formats = sorted((*WRITERS, *self.formats))
        parser.add_argument("--format", choices=formats, default="csv", dest="kind")
        parser.add_argument("--out", type=Path, required=True)
        for flag, about in (flag for found in self.formats.values() for flag in found.flags.items()):
            parser.add_argument(flag, action="store_true", help=about)

    def handle(self, *, slug: str, kind: str, out: Path, **options: Any) -> None:
        trial = find_trial(slug)
        try:
            facts, line = self._of_kind(trial, kind, out, options) if kind in self.formats else _rows(trial, kind, out)
        except OSError as error:
            raise CallerMistake(f"can't write {error.filename or out}: {error.strerror}") from None

        self.say(options, facts, line)

    def _of_kind(self, trial: Trial, name: str, out: Path, options: dict[str, Any]) -> tuple[dict[str, Any], str]:
        formats = kind_of(trial).formats
        if name not in formats:
            raise CallerMistake(
                f"{trial.slug} follows the protocol {trial.protocol}: use --format {', '.join(formats)}"
            )
        return formats[name].write(trial, out, options)


def _rows(trial: Trial, name: str, out: Path) -> tuple[dict[str, Any], str]:
    out.parent.mkdir(parents=True, exist_ok=True)
    book = write_export(trial, name, out)
    facts = {"trial": trial.slug, "rows": trial.judgments.count(), "file": str(out), "codebook": str(book)}
    return facts, "{rows} judgments in {file}, codebook in {codebook}".format(**facts)
