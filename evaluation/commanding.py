"""What the commands about runs share: arguments, mistakes in one line, and the printed result."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError

from benchmarks.commands import CallerMistake, SiteCommand
from benchmarks.errors import BenchmarkError
from evaluation.errors import RunMisused
from evaluation.models import Priority, Run, RunKind, RunState
from evaluation.outcomes import result_of
from evaluation.waiting import Progress, wait_for

PRIORITIES = [each.name.lower() for each in Priority]


class RunCommand(SiteCommand):
    """A command that may wait for a run and prints what came of it."""

    def conclude(self, options: dict[str, Any], run: Run) -> None:
        """Print the run, after its end when asked to wait; a run that failed is exit 1."""
        facts = {"run": run.pk, "cells": run.cells.count(), "left_out": run.card.get("left_out", 0), "state": run.state}
        if not options["wait"]:
            self.say(options, facts, f"run {run.pk}: {facts['cells']} questions, {run.state}")
            return
        run = self.waited(options, run)
        facts |= {"state": run.state} | result_of(run)
        if run.reason:
            facts |= {"code": run.code, "reason": run.reason}
        self.say(options, facts, in_words(run, facts))
        if run.state != RunState.FINISHED:
            raise CommandError(f"run {run.pk} {run.state}: {run.reason or 'it was cancelled'}")

    def waited(self, options: dict[str, Any], run: Run) -> Run:
        """The run at its end."""
        return wait_for(run, progress=self._progress(options), nobody_came=lambda: self._alone(options))

    def _alone(self, options: dict[str, Any]) -> None:
        self.note(options, "no worker took it up: answering in this process")

    def _progress(self, options: dict[str, Any]) -> Progress:
        shown: list[int] = []

        def show(done: int, total: int) -> None:
            if shown[-1:] != [done]:
                shown.append(done)
                self.note(options, f"{done} of {total}")

        return show


def in_words(run: Run, facts: dict[str, Any]) -> str:
    """The result in one line; what a referee was asked has no score of its own."""
    if run.kind == RunKind.REFEREE:
        scored = facts["answered"] - facts["unread"]
        return (
            f"run {run.pk} {run.state}: {scored} replies scored, {facts['unread']} unscored, {facts['errors']} errors"
        )
    share = "no score" if facts["accuracy"] is None else f"{100 * facts['accuracy']:.1f} %"
    ends = facts["interval"]
    between = f" ({100 * ends[0]:.1f} to {100 * ends[1]:.1f})" if ends else ""
    return (
        f"run {run.pk} {run.state}: {share}{between}, {facts['answered']} answered,"
        f" {facts['unread']} unread, {facts['errors']} errors"
    )


@contextmanager
def callers_mistakes() -> Iterator[None]:
    """A name that does not exist is the caller's mistake: one line, exit 2."""
    try:
        yield
    except (RunMisused, BenchmarkError) as error:
        raise CallerMistake(str(error)) from error


def numbers(what: str, text: str) -> tuple[int, ...]:
    """Parse "0,1,2"."""
    if not all(part.strip().isdecimal() for part in text.split(",")):
        raise CallerMistake(f"--{what} {text!r}: write numbers and commas, for example 0,1,2")
    return tuple(int(part) for part in text.split(","))


def priority_named(name: str) -> int:
    """The number of "low", "normal" or "high"."""
    return Priority[name.upper()].value


def facets(text: str) -> dict[str, list[str]]:
    """Parse "test=Color,test=Shape,polarity=positive" into the values wanted of each facet."""
    wanted: dict[str, list[str]] = {}
    for part in filter(None, text.split(",")):
        name, found, value = part.partition("=")
        if not found or not value:
            raise CallerMistake(f"--only {part!r}: write FACET=VALUE, for example test=Color")
        wanted.setdefault(name.strip(), []).append(value.strip())
    return wanted
