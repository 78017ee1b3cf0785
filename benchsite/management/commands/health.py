from typing import Any

from django.core.management.base import CommandError

from benchmarks.commands import SiteCommand
from benchsite.logs.health import look


class Command(SiteCommand):
    help = "Check what /readyz checks. Ends with 1 and a sentence if anything is wrong; changes nothing."

    def handle(self, **options: Any) -> None:
        is_ready, found = look()
        wrong = [f"{name}: {message}" for name, message in found.items() if message != "ok"]
        if not wrong or options["as_json"]:
            self.say(options, {"ok": is_ready, "checks": found}, f"every check is passed: {', '.join(found)}")
        if wrong:
            raise CommandError("; ".join(wrong))
