import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchsite.backup.archive import sum_file
from benchsite.backup.backup import back_up
from benchsite.backup.state import progress_callback
from benchsite.logs.operations import note_backup


class Command(SiteCommand):
    help = "Write database, media and weights into FILE (a new one), as of one moment, while the site works."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, **options: Any) -> None:
        target = options["file"].resolve()
        if target.exists():
            raise CallerMistake(f"{target} exists already: give the name of a new file")
        if not target.parent.is_dir():
            raise CallerMistake(f"{target.parent} is not a folder")
        try:
            facts = back_up(target, progress_callback(sys.stderr))
        except OSError as error:
            raise CommandError(f"{target}: {error.strerror or error}; nothing was written") from error
        note_backup(facts)
        line = (
            f"{facts['rows']} rows and {facts['files']} files in {target} ({facts['bytes'] / 1e6:.1f} MB), its sum in "
            f"{sum_file(target).name}. It holds people's data; SECRET_KEY is not in it."
        )
        self.say(options, {"file": str(target), **facts}, line)
