"""`manage.py upgrade`: apply migrations while the site is running."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from benchmarks.commands import SiteCommand
from benchsite.supervisor.migrate_online import NeverFree, pending, upgrade


class Command(SiteCommand):
    help = "Apply pending migrations in gaps between the site's own queries. Safe to run twice and on several machines."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--plan", action="store_true", help="only say what would be applied")

    def handle(self, **options: Any) -> None:
        try:
            found = pending() if options["plan"] else upgrade()
        except NeverFree as error:
            raise CommandError(str(error)) from error
        verb = "would be applied" if options["plan"] else "applied"
        self.say(options, {"migrations": found}, f"{len(found)} {verb}" + "".join(f"\n  {name}" for name in found))
