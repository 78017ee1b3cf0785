"""A crowd of simulated people: they arrive until the trial is full or so many have come."""

import json
import threading
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, ClassVar, TextIO

from django.db import connection
from django.db.models import Q
from django.db.models.functions import Now

from humantrials.arrivals import SIMULATOR_HEADER, simulator_signature
from humantrials.given import is_staged
from humantrials.leases import EXPIRED, OPEN
from humantrials.models import Participant, ParticipantKind, Sheet, SheetState, Slot, TaskAnswer, Trial
from humantrials.protocols import find_protocol
from humantrials.simulation.annotating import Annotator
from humantrials.simulation.person import Habits, Person
from humantrials.simulation.staff import attend
from humantrials.simulation.visitor import Visitor

PAUSE = 0.05  # seconds between looks while every sheet is out
AWAY = ("left", "waiting")  # for good or for a while; until somebody of the staff has graded what they sent
LATE_AFTER = 3  # arrivals between leaving and coming back


@dataclass
class Crowd:
    """Who came, and who is yet to come back."""

    visitor: ClassVar[type[Visitor]] = Visitor

    trial: Trial
    base_url: str
    size: int
    seed: int
    habits: Habits
    first: int = 0  # number of the first who comes: those of an earlier simulation don't come again
    log: TextIO | None = None  # a JSON line for every answer that the site has said it stored
    people: list[Person] = field(default_factory=list)
    away: deque[tuple[int, Person]] = field(default_factory=deque)
    failures: list[BaseException] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, concurrency: int) -> None:
        """Let them come; one more arrives when the trial is full, to be turned away."""
        threads = [threading.Thread(target=self._work) for _ in range(concurrency)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.failures:
            raise self.failures[0]
        if self._is_full() and len(self.people) < self.size:
            self._let(self._newcomer())

    def _work(self) -> None:
        try:
            while (person := self._next()) is not None:
                self._let(person)
        except BaseException as error:  # the end of a thread: `run` raises it where somebody sees it
            self.failures.append(error)
        finally:
            connection.close()

    def _next(self) -> Person | None:
        """Somebody whose time to come back has come, else a newcomer as soon as there is a place."""
        while True:
            with self.lock:
                attend(self.trial)
                is_over = bool(self.failures) or len(self.people) >= self.size or self._is_full()
                if self.away and (is_over or len(self.people) >= self.away[0][0]):
                    return self.away.popleft()[1]
                if is_over:
                    return None
                at_the_door = sum(person.outcome == "arriving" and not person.road for person in self.people)
                if self._sheets().filter(OPEN | EXPIRED).count() > at_the_door:
                    return self._newcomer()
            time.sleep(PAUSE)

    def _newcomer(self) -> Person:
        kind = Annotator if is_staged(self.trial) else Person
        sees_clips = find_protocol(self.trial.protocol).clips > 0
        person = kind(self.first + len(self.people), self.seed, self.habits, self._note, sees_clips=sees_clips)
        self.people.append(person)
        return person

    def _note(self, token: str, position: int, answer: str) -> None:
        if self.log:
            with self.lock:
                self.log.write(json.dumps({"token": token, "position": position, "answer": answer}) + "\n")
                self.log.flush()

    def _let(self, person: Person) -> None:
        """One visit; who leaves in the middle is gone for longer than a lease lasts."""
        visitor = self.visitor(self.base_url, {SIMULATOR_HEADER: simulator_signature(self.trial.slug)})
        try:
            if person.outcome in AWAY:
                person.come_back(visitor, answer_key)
            else:
                person.take_part(visitor, self.trial.slug, answer_key)
        finally:
            visitor.close()
        if person.outcome == "waiting":
            self.away.append((0, person))
        if person.outcome == "left":
            let_time_pass(person.token)
            if person.is_late:
                self.away.append((len(self.people) + LATE_AFTER, person))

    def _is_full(self) -> bool:
        return not self._sheets().filter(~Q(state=SheetState.DONE)).exists()

    def _sheets(self):
        return Sheet.objects.filter(trial=self.trial)

    def summary(self) -> dict[str, Any]:
        """What happened, from both sides: what people were told, and what the database holds."""
        outcomes = Counter(person.outcome for person in self.people)
        given = TaskAnswer.objects.filter(task__trial=self.trial) if is_staged(self.trial) else self.trial.judgments
        return {
            "trial": self.trial.slug,
            "arrived": len(self.people),
            "finished": outcomes["finished"],
            "turned_away": outcomes["turned away"],
            "left": outcomes["left"],
            "late": sum(person.is_late and person.outcome == "finished" for person in self.people),
            "unfinished": outcomes["unfinished"],
            "let_go": outcomes["let go"],
            "refused": sum(person.refused for person in self.people),
            "acknowledged": sum(len(person.acknowledged) for person in self.people),
            "lost": sum(lost_answers(person) for person in self.people if person.acknowledged),
            "counted": given.filter(counts=True).count(),
            "surplus": given.filter(is_surplus=True).count(),
            "full": self._is_full(),
        }


def answer_key(token: str) -> dict[int, str]:
    """What is right at each position of this person's sheet: the one thing that no page tells."""
    slots = Slot.objects.filter(sheet__given_to__token=token).values_list("position", "item__expected")
    return {position: expected or "" for position, expected in slots}


def let_time_pass(token: str) -> None:
    """For this simulated person half an hour goes by in no time."""
    person = Participant.objects.get(token=token, kind=ParticipantKind.SIMULATED)
    held = Sheet.objects.filter(holder=person, state=SheetState.LEASED)
    held.update(lease_until=Now() - timedelta(seconds=1))


def lost_answers(person: Person) -> int:
    """Answers that the site said it stored and does not have."""
    if isinstance(person, Annotator):
        kept = TaskAnswer.objects.filter(participant__token=person.token, is_complete=True)
        return len(set(person.acknowledged) - set(kept.values_list("task__position", flat=True)))
    stored = dict(
        Participant.objects.filter(token=person.token).values_list("judgments__slot__position", "judgments__answer")
    )
    return sum(stored.get(position) != answer for position, answer in person.acknowledged.items())
