from typing import Any

from django.conf import settings
from django.contrib.staticfiles.management.commands.runserver import Command as StaticFilesCommand
from django.core.management.base import CommandError

from benchsite.serving import production_settings


class Command(StaticFilesCommand):
    def run(self, **options: Any) -> None:
        """Refuse an address as `serve` does (decision 0019)."""
        host = self.addr.strip("[]")  # type: ignore[attr-defined]  # not in Django's types
        if why := production_settings.why_not_serve(host, debug=settings.DEBUG, secret_key=settings.SECRET_KEY):
            raise CommandError(why, returncode=production_settings.WRONG)
        super().run(**options)
