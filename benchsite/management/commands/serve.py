"""`manage.py serve`: what `make run` starts."""

import signal
import sys
import time
from typing import Any

from django.core.management.base import CommandError, CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchsite.processes import Keeper
from benchsite.serving import is_free, start_services, stop_all, wait_until_it_answers


class Command(SiteCommand):
    help = "Run the whole site on this machine until Ctrl-C, restarting what dies. Safe to run again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", default="8000")
        parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 to be seen by other machines")
        parser.add_argument("--demo", action="store_true", help="also make the demo content, in the background")

    def handle(self, **options: Any) -> None:
        host, port = options["host"], _port(options["port"])
        if not is_free(host, port):
            raise CallerMistake(f"port {port} is taken: choose another one, for example PORT={port + 1} make run")
        signal.signal(signal.SIGTERM, _stop)
        signal.signal(signal.SIGINT, _stop)
        keepers: list[Keeper] = []
        try:
            keepers, env = start_services(host=host, port=port)
            if not wait_until_it_answers(host, port, keepers):
                raise CommandError("the web process does not answer; its messages stand above")
            self.say(options, {"address": f"http://localhost:{port}/"}, f"benchsite is at http://localhost:{port}/")
            self.stdout.flush()
            if options["demo"]:
                keepers.append(demo_maker(env))
            self._watch(keepers)
        except KeyboardInterrupt:
            pass
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            stop_all(keepers)

    def _watch(self, keepers: list[Keeper]) -> None:
        while True:
            for keeper in keepers:
                message = keeper.watch()
                if message:
                    self.stderr.write(message)
            time.sleep(0.3)


def demo_maker(env: dict[str, str]) -> Keeper:
    """The one-off job that makes the demo content while the site already answers."""
    return Keeper("demo content", [sys.executable, "manage.py", "make_demo"], env, once=True)


def _stop(signal_number: int, frame: object) -> None:
    raise KeyboardInterrupt


def _port(given: str) -> int:
    if not given.isdigit() or not 0 < int(given) < 65536:
        raise CallerMistake(f"port {given!r}: write a number from 1 to 65535")
    return int(given)
