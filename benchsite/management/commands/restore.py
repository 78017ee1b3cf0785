import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import SiteCommand
from benchsite.backup.restore import checked, restore
from benchsite.backup.state import progress_callback

OTHER_KEY = (
    " SECRET_KEY differs from that of the backed-up site: users have to sign in again, and links in letters sent"
    " earlier are no longer valid."
)


class Command(SiteCommand):
    help = "Fill this empty site from FILE after checking it completely; a site in use is refused."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--check", action="store_true", help="only check the file")
        parser.add_argument("--replace", action="store_true", help="delete what this site holds first")

    def handle(self, **options: Any) -> None:
        show = progress_callback(sys.stderr)
        archive = checked(options["file"], show)
        made = f"made {archive.facts['made_at'][:16]} UTC by version {archive.facts['version']}"
        if options["check"]:
            facts = {"whole": True, "made_at": archive.facts["made_at"], "parts": len(archive.parts)}
            self.say(options, facts, f"{options['file']} is whole: {len(archive.parts)} parts, {made}")
            return
        facts = restore(archive, replace=options["replace"], show=show)
        line = f"{facts['rows']} rows and {facts['files']} files are back ({made})."
        self.say(options, facts, line + ("" if facts["same_secret_key"] else OTHER_KEY))
