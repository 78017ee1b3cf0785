"""`manage.py serve`: run the site's processes, as `make run` does."""

import os
import signal
import sys
import threading
import time
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from benchmarks.commands import CallerMistake, SiteCommand
from benchsite import private_folder, production_settings
from benchsite.observability import heartbeats
from benchsite.supervisor.hand_over import NotHandedOver, hand_over
from benchsite.supervisor.hung import HungProcesses
from benchsite.supervisor.processes import PARTS, Keeper
from benchsite.supervisor.serve import (
    another_key,
    is_free,
    start_services,
    stop_all,
    wait_until_it_answers,
    what_workers_wait_for,
)

WAIT = 2.0  # seconds between two checks for the tables
FORGETS_WITHIN = 2.0  # seconds
ALIVE = f"alive-{heartbeats.HOST}"  # in var/: touched while every process of this machine runs


class Command(SiteCommand):
    help = (
        "Run the site, or parts of it, on this machine until Ctrl-C, restarting processes that die. Safe to run again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--port", default="8000")
        parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 to be seen by other machines")
        parser.add_argument(
            "--only", default=",".join(PARTS), help=f"parts of the site that this machine runs: {', '.join(PARTS)}"
        )
        parser.add_argument("--demo", action="store_true", help="also make the demo content, in the background")

    def handle(self, **options: Any) -> None:
        host, port, parts = options["host"], _port(options["port"]), _parts(options["only"])
        debug = os.environ.get("DEBUG") == "1"  # without it `serve` runs under production settings
        if why := production_settings.why_not_serve(host, debug=debug, secret_key=os.environ.get("SECRET_KEY", "")):
            raise CallerMistake(why)
        if "web" in parts and not is_free(host, port):
            raise CallerMistake(f"port {port} is taken: choose another one, for example PORT={port + 1} make run")
        private_folder.keep_new_files_private()
        signal.signal(signal.SIGTERM, _stop)
        signal.signal(signal.SIGINT, _stop)
        requested = threading.Event()  # a SIGHUP during the start waits until there are processes to hand over
        signal.signal(signal.SIGHUP, lambda number, frame: requested.set())
        keepers: list[Keeper] = []
        try:
            keepers, env = start_services(host=host, port=port, parts=parts)
            if "web" in parts and (message := another_key()):
                self._tell(message)
            if "web" not in parts:
                self._wait_for_tables()
                self.say(options, {"parts": parts}, f"this machine works for {settings.SITE_URL}: {', '.join(parts)}")
            elif wait_until_it_answers(host, port, keepers, self._tell):
                self.say(options, {"address": f"http://localhost:{port}/"}, f"benchsite is at http://localhost:{port}/")
            else:
                raise CommandError("the web process does not answer; see its messages above")
            self.stdout.flush()
            if options["demo"]:
                keepers.append(demo_maker(env, host, port))
            self._watch(keepers, env, requested)
        except KeyboardInterrupt:
            pass
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            ended = [keeper.process.pid for keeper in keepers if keeper.process]
            stop_all(keepers)
            if ended:
                _forget([os.getpid(), *ended])

    def _tell(self, line: str) -> None:
        self.stderr.write(line)

    def _wait_for_tables(self) -> None:
        printed_reason = ""
        while why := what_workers_wait_for():
            if why != printed_reason:
                self.stderr.write(f"waiting: {why}")
            printed_reason = why
            time.sleep(WAIT)

    def _watch(self, keepers: list[Keeper], env: dict[str, str], requested: threading.Event) -> None:
        hung = HungProcesses(keepers)
        hung.heart.start()
        while True:
            if requested.is_set():
                requested.clear()
                self._hand_over(keepers, env)
            for line in hung.kill():
                self.stderr.write(line)
            for keeper in keepers:
                message = keeper.watch()
                if message:
                    self.stderr.write(message)
            if all(keeper.process or keeper.once for keeper in keepers):
                (settings.VAR_DIR / ALIVE).touch()
            time.sleep(0.3)

    def _hand_over(self, keepers: list[Keeper], env: dict[str, str]) -> None:
        self._tell("handing over to new processes")
        try:
            hand_over(keepers, env)
        except NotHandedOver as error:
            self._tell(f"nothing was handed over, the old processes go on: {error}")
        else:
            self._tell("handed over")


def demo_maker(env: dict[str, str], host: str, port: int) -> Keeper:
    """The one-off job that makes the demo content while the site already serves."""
    site = f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{port}"  # noqa: S104  # compared alone # nosec B104
    return Keeper("demo content", [sys.executable, "manage.py", "make_demo", "--site", site], env, once=True)


def _forget(pids: list[int]) -> None:
    """Remove the heartbeats of these processes, unless the database takes too long to answer."""
    thread = threading.Thread(target=heartbeats.forget, args=(pids,), daemon=True)
    thread.start()
    thread.join(FORGETS_WITHIN)


def _stop(signal_number: int, frame: object) -> None:
    raise KeyboardInterrupt


def _port(text: str) -> int:
    if not text.isdigit() or not 0 < int(text) < 65536:
        raise CallerMistake(f"port {text!r}: write a number from 1 to 65535")
    return int(text)


def _parts(text: str) -> list[str]:
    found = [part.strip() for part in text.split(",") if part.strip()]
    if not found or not set(found) <= set(PARTS):
        raise CallerMistake(f"--only {text!r}: write some of {', '.join(PARTS)}")
    return found
