"""`manage.py deployment_files`: write the files of a host with nginx and systemd."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchsite.supervisor.deployment_files import CannotRender, Host, written


class Command(SiteCommand):
    help = "Write units, nginx configuration, environment, backup and log rotation for this host from its settings."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--out", required=True, help="a folder that stays: services read their environment there")
        parser.add_argument("--user", default=Host.user, help="who runs the site")
        parser.add_argument("--port", type=int, default=Host.port, help="of the pages; websockets have the next one")
        parser.add_argument("--backups", default=str(Host.backups), help="folder of the nightly backups")
        parser.add_argument("--keep", type=int, default=Host.keep, help="days that they are kept")
        parser.add_argument(
            "--certificate", default="", help="folder of fullchain.pem and privkey.pem, if not certbot's"
        )
        parser.add_argument("--http-port", type=int, default=Host.http_port)
        parser.add_argument("--https-port", type=int, default=Host.https_port)

    def handle(self, **options: Any) -> None:
        names = ("user", "port", "keep", "certificate", "http_port", "https_port")
        host = Host(Path(options["out"]), backups=Path(options["backups"]), **{name: options[name] for name in names})
        try:
            files = written(host)
        except CannotRender as error:
            raise CallerMistake(str(error)) from error
        message = f"{len(files)} files in {host.out}: see its README for what to do with them"
        self.say(options, {"files": [str(path) for path in files]}, message)
