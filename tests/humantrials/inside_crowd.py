"""Simulated people who use the pages of a study without a network."""

from collections.abc import Mapping
from functools import cached_property

from django.test import Client
from django.test.client import ClientHandler

from humantrials.models import Trial
from humantrials.running.lifecycle import mark_simulated
from humantrials.simulation.browser import PageReply, Visitor
from humantrials.simulation.crowd import Crowd
from humantrials.simulation.participant import Habits


class Inside(Visitor):
    """A visitor whose requests go to the site in this process, without cookies."""

    @cached_property
    def handler(self) -> ClientHandler:
        """The site; each client would make its own middleware."""
        return ClientHandler()

    def _once(self, method: str, path: str, body: str | None, headers: Mapping[str, str]) -> tuple[PageReply, str]:
        kind = headers.get("Content-Type", "")
        client = Client(headers={**self.headers, **headers})
        client.handler = self.handler
        answer = client.generic(method, path, body or "", content_type=kind)
        text = "" if answer.streaming else answer.content.decode()
        return PageReply(answer.status_code, path, text), answer.headers.get("Location", "")


class InsideCrowd(Crowd):
    """A crowd whose members come one after another."""

    visitor = Inside

    def walk(self) -> dict[str, int]:
        while (person := self._next()) is not None:
            self._let(person)
        return self.summary()


def simulate(trial: Trial, *, people: int = 150, seed: int = 1, **habits: float) -> dict[str, int]:
    """Let simulated people come until everything is done; returns the summary."""
    mark_simulated(trial=trial)
    first = trial.participants.count()
    return InsideCrowd(trial, "http://testserver", people, seed, Habits(**habits), first=first).walk()
