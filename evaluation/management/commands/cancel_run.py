from typing import Any

from django.core.management.base import CommandParser

from evaluation.runs.lifecycle import cancel_run
from evaluation.runs.lookup import find_run
from evaluation.workers.run_command import RunCommand, callers_mistakes


class Command(RunCommand):
    help = "Stop a run; its answers are kept, and resume_run continues it. Safe to run again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("run", type=int)

    def handle(self, *, run: int, **options: Any) -> None:
        with callers_mistakes():
            found = find_run(run)
        was_going = cancel_run(run=found)
        facts = {"run": found.pk, "cells": found.cells.count(), "state": found.state}
        self.say(options, facts, f"run {found.pk}: {found.state}" if was_going else f"run {found.pk} had {found.state}")
