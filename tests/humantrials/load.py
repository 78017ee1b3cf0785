"""`python -m tests.humantrials.load [--database URL] [--clips N] [--processes P] …`: the concurrency test of sheets.

Many processes claim, answer, disappear, return too late, open second tabs and finish twice, all on one database. At the
end every slot must have exactly one counted judgment. Without --database it runs on SQLite and, if a server answers, on
PostgreSQL. Prints one JSON object per database; exit 1 if an invariant is broken. `make soak` runs it in full.
"""

import json
import random
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

from tests.humantrials.subprocesses import on_each_database, start_django

SLUG = "hammered"


@dataclass(frozen=True)
class Load:
    """The size of the study, and the rates of misbehaviour."""

    clips: int = 20  # per test and half: 20 is the official size, 120 sheets of 16
    processes: int = 6
    lease: int = 1  # seconds
    dropout: float = 0.2
    late: float = 0.1
    second_tab: float = 0.1
    seed: int = 1


def prepare(load: Load) -> None:
    """Create tables, a pack and an open trial with short leases."""
    from django.core.management import call_command

    call_command("migrate", verbosity=0, interactive=False, skip_checks=True)
    from tests.humantrials.fixtures import physics_pack, running_trial

    running_trial(physics_pack(tests=16, clips=load.clips), slug=SLUG, seed=load.seed, lease_seconds=load.lease)


def people(number: int, load: Load) -> dict[str, int]:
    """One process: people come one after another until every sheet is done."""
    from humantrials.models import SheetState, Trial

    rng = random.Random(f"{load.seed}/{number}")
    happened: Counter[str] = Counter()
    trial = Trial.objects.get(slug=SLUG)
    waiting: list = []  # people who left and will return after their lease expired
    while trial.sheets.exclude(state=SheetState.DONE).exists():
        happened[visit(trial, load, rng, waiting)] += 1
        while waiting and waiting[0][0] < time.monotonic():
            happened[come_back(waiting.pop(0)[1], rng)] += 1
    for _, person in waiting:
        happened[come_back(person, rng)] += 1
    return dict(happened)


def visit(trial, load: Load, rng: random.Random, waiting: list) -> str:
    from humantrials.assignment.claims import claim_sheet, finish_sheet
    from humantrials.models import Participant, ParticipantState
    from humantrials.models.participants import public_code, token

    person = Participant.objects.create(
        trial=trial, token=token(), code=public_code(), state=ParticipantState.CONSENTED, step="trials"
    )
    if claim_sheet(participant=person) is None:
        person.delete()
        time.sleep(0.02)
        return "turned away"
    fate = rng.random()
    if fate < load.dropout + load.late:
        answer_some(person, rng, rng.random())
        if fate >= load.dropout:
            waiting.append((time.monotonic() + load.lease * 1.5, person))
        return "left"
    if rng.random() < load.second_tab:
        two_tabs(person, rng)
    answer_some(person, rng, 1.0)
    for _ in range(1 + (rng.random() < 0.3)):
        finish_sheet(participant=person)
    return "finished"


def two_tabs(person, rng: random.Random) -> None:
    """A second thread with its own connection answers the same sheet with other answers."""
    import threading

    from django.db import connection

    def other_tab() -> None:
        answer_some(person, random.Random(rng.random()), 0.6)
        connection.close()

    tab = threading.Thread(target=other_tab)
    tab.start()
    answer_some(person, rng, 0.5)
    tab.join()


def come_back(person, rng: random.Random) -> str:
    from humantrials.assignment.claims import claim_sheet, finish_sheet, renew
    from humantrials.models import Judgment

    renew(participant=person)
    if not person.judgments.exists() and claim_sheet(participant=person) is None:
        return "late and full"
    claim_sheet(participant=person)
    answer_some(person, rng, 1.0)
    finish_sheet(participant=person)
    return "late, counted" if Judgment.objects.filter(participant=person, counts=True).exists() else "late, surplus"


def answer_some(person, rng: random.Random, share: float) -> None:
    from humantrials.assignment.claims import record_judgment
    from humantrials.models import Participant, Slot

    person.refresh_from_db()
    sheet = Participant.objects.values_list("sheet", flat=True).get(pk=person.pk)
    positions = list(Slot.objects.filter(sheet=sheet).values_list("position", flat=True))
    for position in positions[: round(len(positions) * share)]:
        record_judgment(participant=person, position=position, answer=rng.choice(("yes", "no")), records={})


def findings(load: Load) -> dict[str, int]:
    """Counts that must be zero."""
    from django.db.models import Count, Q

    from humantrials.models import Judgment, Participant, ParticipantState, Slot

    counted = Slot.objects.annotate(n=Count("judgments", filter=Q(judgments__counts=True)))
    twice = Judgment.objects.values("participant", "item").annotate(n=Count("pk")).filter(n__gt=1)
    sheets = Judgment.objects.filter(counts=True).values("participant").annotate(n=Count("slot__sheet", distinct=True))
    done = Participant.objects.filter(state=ParticipantState.FINISHED)
    return {
        "slots_without_one": counted.exclude(n=1).count(),
        "slots_missing": load.clips * 2 * 16 * 3 - Slot.objects.count(),
        "items_twice": twice.count(),
        "people_on_two_sheets": sheets.filter(n__gt=1).count(),
        "counted_and_surplus": Judgment.objects.filter(counts=True, is_surplus=True).count(),
        "finished_without_code": done.filter(completion_code="").count(),
        "partly_counted_sheets": Slot.objects.filter(judgments__counts=True)
        .values("sheet")
        .annotate(people=Count("judgments__participant", distinct=True))
        .filter(people__gt=1)
        .count(),
    }


def hammer(load: Load) -> dict:
    """Prepare, run all processes, and check."""
    began = time.monotonic()
    start_django()  # once; its processes are forks
    from django.db import connection, connections

    with ProcessPoolExecutor(1) as alone:  # this process must not open a connection before it forks
        alone.submit(prepare, load).result()
    assert not any(each.connection for each in connections.all(initialized_only=True))
    happened: Counter = Counter()
    with ProcessPoolExecutor(load.processes) as pool:
        for part in pool.map(people, range(load.processes), [load] * load.processes):
            happened.update(part)
    from humantrials.models import Judgment

    facts = {"database": connection.vendor, **asdict(load), **{key: happened[key] for key in sorted(happened)}}
    surplus = Judgment.objects.filter(is_surplus=True).count()
    counted = Judgment.objects.filter(counts=True).count()
    found = findings(load)
    seconds = round(time.monotonic() - began, 1)
    return {**facts, "counted": counted, "surplus": surplus, "findings": found, "seconds": seconds}


def here(asked: dict[str, Any]) -> int:
    report = hammer(Load(**asked))
    print(json.dumps(report), flush=True)
    return 1 if any(report["findings"].values()) else 0


def main(arguments: list[str]) -> int:
    return on_each_database("tests.humantrials.load", __doc__, asdict(Load()), arguments, here)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
