import os
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchsite.serving.serve import site_secret
from benchsite.settings.join_token import CannotJoin, word_of


class Command(SiteCommand):
    help = "Print the token that another machine needs as JOIN to work for this site. It has passwords: keep it secret."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="", help="how other machines reach what runs on this one")
        parser.add_argument(
            "--folder-is-shared", action="store_true", help="other machines have the media folder mounted, too"
        )

    def handle(self, **options: Any) -> None:
        variables = {"SECRET_KEY": site_secret()} | dict(os.environ)
        try:
            word = word_of(variables, host=options["host"], folder_is_shared=options["folder_is_shared"])
        except CannotJoin as error:
            raise CallerMistake(str(error)) from None
        self.say(options, {"join": word}, word)
