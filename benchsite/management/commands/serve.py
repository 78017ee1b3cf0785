import os
import signal
import sys
import threading
import time
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.urls import reverse

from benchmarks.commands import CallerMistake, SiteCommand
from benchsite.logs import heartbeats
from benchsite.serving import data_folder, production_settings
from benchsite.serving.hung import HungProcesses
from benchsite.serving.processes import PARTS, Keeper, stop_all
from benchsite.serving.serve import another_key, is_free, start_services, wait_until_it_answers, what_workers_wait_for

WAIT = 2.0  # seconds between two checks for the tables
NOTED_WITHIN = 2.0  # seconds
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
        try:
            data_folder.refuse_second(parts)
            if "web" in parts and not is_free(host, port):
                raise CallerMistake(f"port {port} is taken: choose another one, for example PORT={port + 1} make run")
            data_folder.keep_new_files_private()
            with data_folder.held(parts, port):
                self._serve(host, port, parts, options)
        except data_folder.AlreadyServed as error:
            raise CallerMistake(str(error)) from None

    def _serve(self, host: str, port: int, parts: list[str], options: dict[str, Any]) -> None:
        """Run the processes of these parts until a signal ends them."""
        signal.signal(signal.SIGTERM, _stop)
        signal.signal(signal.SIGINT, _stop)
        keepers: list[Keeper] = []
        try:
            self.note(options, f"Starting with the data in {settings.DATA_DIR}; the first start makes tables and files")
            self.stdout.flush()
            keepers, env, socket_port = start_services(host=host, port=port, parts=parts)
            if "web" in parts and (message := another_key()):
                self.stderr.write(message)
            if "web" not in parts:
                self._wait_for_tables()
                self.say(options, {"parts": parts}, f"this machine works for {settings.SITE_URL}: {', '.join(parts)}")
            elif wait_until_it_answers(host, port, keepers, self.stderr.write):
                self._greet(options, port, socket_port)
            else:
                raise CommandError("the web process does not answer; see its messages above")
            self.stdout.flush()
            if options["demo"]:
                keepers.append(demo_maker(env, host, port))
            self._watch(keepers)
        except KeyboardInterrupt:
            pass
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            ended = [keeper.process.pid for keeper in keepers if keeper.process]
            stop_all(keepers)
            if ended:
                _note_end([os.getpid(), *ended])

    def _greet(self, options: dict[str, Any], port: int, socket_port: int) -> None:
        site = f"http://localhost:{port}"
        facts = {"address": f"{site}/", "ports": [port, socket_port], "data": str(settings.DATA_DIR)}
        words = f"""benchsite is at {site}/ (ports {port} and {socket_port})
Data: {settings.DATA_DIR}, in var/ and media/
Staff: {site}{reverse("account_login")} (the first one: benchsite createsuperuser)
Stop: Ctrl-C"""
        self.say(options, facts, words)

    def _wait_for_tables(self) -> None:
        printed_reason = ""
        while why := what_workers_wait_for():
            if why != printed_reason:
                self.stderr.write(f"waiting: {why}")
            printed_reason = why
            time.sleep(WAIT)

    def _watch(self, keepers: list[Keeper]) -> None:
        hung = HungProcesses(keepers)
        hung.heart.start()
        while True:
            for line in hung.kill():
                self.stderr.write(line)
            for keeper in keepers:
                if message := keeper.watch():
                    self.stderr.write(message)
            if all(keeper.process or keeper.once for keeper in keepers):
                (settings.VAR_DIR / ALIVE).touch()
            time.sleep(0.3)


def demo_maker(env: dict[str, str], host: str, port: int) -> Keeper:
    """The one-off job that makes the demo content while the site already serves."""
    site = f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{port}"  # noqa: S104  # compared alone # nosec B104
    return Keeper("demo content", [sys.executable, "-m", "benchsite.cli", "demo", "--site", site], env, once=True)


def _note_end(pids: list[int]) -> None:
    """Note in the database that these processes were ended on purpose, unless it takes too long to answer."""
    thread = threading.Thread(target=heartbeats.note_end, args=(pids,), daemon=True)
    thread.start()
    thread.join(NOTED_WITHIN)


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
