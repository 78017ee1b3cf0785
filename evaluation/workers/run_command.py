"""Shared parts of the commands about runs: arguments, error messages, waiting, and the printed result."""

import os
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.db.models import Q

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.definitions.registry import find_benchmark
from benchmarks.errors import BenchmarkError
from benchmarks.leasing import running
from benchmarks.progress_bar import progress_bar
from evaluation.errors import ModelOverloaded, RunMisused
from evaluation.models import Cell, CellState, Priority, Run, RunKind, RunState, Shard
from evaluation.runs.results import result_of
from evaluation.workers.loop import sweep, work_on

PATIENCE = 4.0  # seconds without a worker after which this process answers itself
PAUSE = 0.5


def why_it_rests(run: Run) -> str:
    """Why the run, or its refereeing, waits for its model or the disk; '' if it doesn't."""
    resting = Run.objects.unfinished().filter(Q(pk=run.pk) | Q(judged=run), busy_since__isnull=False)
    return resting.values_list("reason", flat=True).first() or ""


def is_worked_on(run: Run) -> bool:
    """Whether a worker holds a live lease of the run or its refereeing."""
    shards = Shard.objects.filter(Q(run=run) | Q(run__judged=run))
    return shards.filter(running(Shard)).exists()


def work_here(run: Run) -> None:
    """Answer in this process the shards that no worker has leased."""
    with quiet_libraries():
        try:
            work_on(run.pk)
        except ModelOverloaded:
            time.sleep(PATIENCE)
        sweep()


@contextmanager
def quiet_libraries() -> Iterator[None]:
    """Keep notes of libraries out of a command's lines; TRANSFORMERS_VERBOSITY and `python -W` bring them back."""
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")  # read when the library is imported, which is slow
    with warnings.catch_warnings():
        if not sys.warnoptions:
            warnings.simplefilter("ignore")
        yield


PRIORITIES = [each.name.lower() for each in Priority]


def add_wait(parser: CommandParser) -> None:
    parser.add_argument("--wait", action="store_true", help="wait for its end; without a worker, work in this process")


class RunCommand(SiteCommand):
    """A command that may wait for a run and print its result."""

    mistakes = (BenchmarkError, RunMisused)

    def conclude(self, options: dict[str, Any], run: Run) -> None:
        """Print the run, after its end if --wait is given; a failed run exits with 1."""
        facts = {"run": run.pk, "cells": run.cells.count(), "left_out": run.card.get("left_out", 0), "state": run.state}
        if not options["wait"]:
            self.say(options, facts, f"run {run.pk}: {facts['cells']} questions, {run.state}")
            return
        run = self.waited(options, run)
        facts |= {"state": run.state} | result_of(run, whole=True)
        if run.reason:
            facts |= {"code": run.code, "reason": run.reason}
        self.say(options, facts, result_line(run, facts))
        if run.state != RunState.FINISHED:
            raise CommandError(f"run {run.pk} {run.state}: {run.reason or 'it was cancelled'}")

    def waited(self, options: dict[str, Any], run: Run) -> Run:
        """Wait until the run has ended, and return it; without a worker, answer it in this process."""
        say = cache(partial(self.note, options))  # each line once
        progress, alone_since = progress_bar(sys.stderr, "Questions"), time.monotonic()
        while not run.is_over:
            if is_worked_on(run):
                alone_since = time.monotonic()
            elif time.monotonic() - alone_since > PATIENCE:
                say("no worker took it up: answering in this process")
                work_here(run)
            cells = Cell.objects.filter(Q(run=run) | Q(run__judged=run))
            progress(cells.exclude(state=CellState.OPEN).count(), cells.count())
            time.sleep(PAUSE)
            run.refresh_from_db()
            if why := why_it_rests(run):
                lasts = f"for {settings.EVALUATION_BUSY_SECONDS // 60} minutes at most"
                say(f"{why}; it is tried again, {lasts}; Ctrl-C leaves the run as it is")
        return run


def result_line(run: Run, facts: dict[str, Any]) -> str:
    """The result in one line; a refereeing has no score of its own."""
    if run.kind == RunKind.REFEREE:
        scored = facts["answered"] - facts["unread"]
        return (
            f"run {run.pk} {run.state}: {scored} replies scored, {facts['unread']} unscored, {facts['errors']} errors"
        )
    groups, benchmark = facts.get("groups"), find_benchmark(run.pack.benchmark)
    title = benchmark.groups.title if benchmark.groups else ""
    by_group = f", by {title} {_score(groups['score'], groups['interval'])}" if groups and groups["n"] else ""
    return (
        f"run {run.pk} {run.state}: {_score(facts['accuracy'], facts['interval'])}{by_group},"
        f" {facts['answered']} answered, {facts['unread']} unparsed, {facts['errors']} errors"
    )


def _score(score: float | None, ends: list[float] | None) -> str:
    share = "no score" if score is None else f"{100 * score:.1f} %"
    return share + (f" ({100 * ends[0]:.1f} to {100 * ends[1]:.1f})" if ends else "")


def numbers(what: str, text: str) -> tuple[int, ...]:
    """Parse "0,1,2"."""
    if not all(part.strip().isdecimal() for part in text.split(",")):
        raise CallerMistake(f"--{what} {text!r}: write numbers and commas, for example 0,1,2")
    return tuple(int(part) for part in text.split(","))


def priority_named(name: str) -> int:
    """The number of "low", "normal" or "high"."""
    return Priority[name.upper()].value


def facets(text: str) -> dict[str, list[str]]:
    """Parse "test=Color,test=Shape,polarity=positive" into facet -> wanted values."""
    wanted: dict[str, list[str]] = {}
    for part in filter(None, text.split(",")):
        name, found, value = part.partition("=")
        if not found or not value:
            raise CallerMistake(f"--only {part!r}: write FACET=VALUE, for example test=Color")
        wanted.setdefault(name.strip(), []).append(value.strip())
    return wanted
