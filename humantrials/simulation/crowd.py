"""A crowd of simulated participants, who arrive until the trial is full or enough have come, and simulated staff."""

import json
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, TextIO

from django.db import connection
from django.db.models import Q

from benchmarks.disclosure import SCORER, with_expected
from benchmarks.leasing import free, lapse
from humantrials.assignment.sheets import answers_in
from humantrials.identities import SIMULATOR_HEADER, simulator_signature
from humantrials.kinds import kind_of
from humantrials.models import Participant, ParticipantKind, Sheet, SheetState, Slot, Trial
from humantrials.protocols import find_protocol
from humantrials.simulation.browser import Visitor
from humantrials.simulation.participant import Habits, Person

PAUSE = 0.05  # seconds between checks while every sheet is out
AWAY = ("left", "waiting")  # left for good or for a while; waiting for grades
LATE_AFTER = 3  # arrivals between leaving and coming back


@dataclass
class Crowd:
    """The participants so far, and those who will return."""

    visitor: ClassVar[type[Visitor]] = Visitor

    trial: Trial
    base_url: str
    size: int
    seed: int
    habits: Habits
    first: int = 0  # number of the first participant, after those of earlier simulations
    log: TextIO | None = None  # a JSON line for every acknowledged answer
    people: list[Person] = field(default_factory=list)
    away: deque[tuple[int, Person]] = field(default_factory=deque)
    failures: list[BaseException] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    progress: Callable[[int, int], object] = lambda came, wanted: None

    def run(self, concurrency: int) -> None:
        """Let them arrive; once the trial is full one more comes and is turned away."""
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
                with self.lock:
                    self.progress(len(self.people), self.size)
        except BaseException as error:  # ends the thread; `run` raises it where it is seen
            self.failures.append(error)
        finally:
            connection.close()

    def _next(self) -> Person | None:
        """Return somebody who is due to come back, or else a newcomer as soon as a sheet is free."""
        while True:
            with self.lock:
                kind_of(self.trial).attend(self.trial)
                is_over = bool(self.failures) or len(self.people) >= self.size or self._is_full()
                if self.away and (is_over or len(self.people) >= self.away[0][0]):
                    return self.away.popleft()[1]
                if is_over:
                    return None
                at_the_door = sum(person.outcome == "arriving" and not person.step_path for person in self.people)
                if self._sheets().filter(free(Sheet)).count() > at_the_door:
                    return self._newcomer()
            time.sleep(PAUSE)

    def _newcomer(self) -> Person:
        protocol = find_protocol(self.trial.protocol)
        sees_clips = protocol.player.clips > 0
        kind = kind_of(self.trial).simulated(protocol)
        person = kind(self.first + len(self.people), self.seed, self.habits, self._note, sees_clips=sees_clips)
        self.people.append(person)
        return person

    def _note(self, token: str, position: int, answer: str) -> None:
        if self.log:
            with self.lock:
                self.log.write(json.dumps({"token": token, "position": position, "answer": answer}) + "\n")
                self.log.flush()

    def _let(self, person: Person) -> None:
        """Run one visit; after an early exit the lease expires at once."""
        visitor = self.visitor(self.base_url, {SIMULATOR_HEADER: simulator_signature(self.trial.slug)})
        try:
            if person.outcome in AWAY:
                person.come_back(visitor, answer_key)
            else:
                person.take_part(visitor, self.trial.slug, answer_key)
        finally:
            visitor.close()
        if person.outcome == "waiting":
            self._keep_or_turn_away(person)
        if person.outcome == "left":
            let_time_pass(person.token)
            if person.is_late:
                self.away.append((len(self.people) + LATE_AFTER, person))

    def _keep_or_turn_away(self, person: Person) -> None:
        """Somebody who qualified and waits comes back, unless nothing is left to do for anybody."""
        with self.lock:
            kind_of(self.trial).attend(self.trial)
            if self._is_full():
                person.outcome = "turned away"
            else:
                self.away.append((0, person))

    def _is_full(self) -> bool:
        return not self._sheets().filter(~Q(state=SheetState.DONE)).exists()

    def _sheets(self):
        return Sheet.objects.filter(trial=self.trial)

    def summary(self) -> dict[str, Any]:
        """The outcome from both sides: what participants were told, and what the database holds."""
        outcomes = Counter(person.outcome for person in self.people)
        answers = answers_in(self.trial).in_trial(self.trial)
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
            "lost": sum(person.lost_answers() for person in self.people if person.acknowledged),
            "counted": answers.filter(counts=True).count(),
            "surplus": answers.filter(is_surplus=True).count(),
            "full": self._is_full(),
        }


def answer_key(token: str) -> dict[int, str]:
    """The right answer at each position of this person's sheet, which no page reveals."""
    slots = with_expected(Slot.objects.filter(sheet__given_to__token=token), to=SCORER, item="item")
    return {position: expected or "" for position, expected in slots.values_list("position", "expected")}


def let_time_pass(token: str) -> None:
    """Expire the lease of this simulated participant at once."""
    person = Participant.objects.get(token=token, kind=ParticipantKind.SIMULATED)
    lapse(Sheet.objects.filter(holder=person))
