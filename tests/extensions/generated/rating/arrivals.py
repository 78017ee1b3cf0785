"""`python -m tests.extensions.generated.rating.arrivals [--people N] [--processes P]`: all raters come at once.

Without --database it runs on SQLite and, if a server answers, on PostgreSQL. Prints one JSON object per database; exit
1 if a question has more or fewer counted answers than wanted.
"""

import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from tests.humantrials.subprocesses import on_each_database, start_django

LOAD = {"people": 60, "processes": 6}
SETS, PROMPTS, ANSWERS = 4, 24, 3  # twelve sheets of 24 clips with two pages each: of 60 people 12 are enough


def prepare() -> None:
    from django.core.management import call_command

    call_command("migrate", verbosity=0, interactive=False, skip_checks=True)
    from benchmarks.definitions.registry import BENCHMARKS
    from humantrials.running.lifecycle import create_trial, open_trial
    from tests.extensions.generated.rating.rounds import make_round

    BENCHMARKS.source = None  # the round is in no file
    pack, _ = make_round(sets=SETS, prompts=PROMPTS)
    settings = {"replicates": ANSWERS}
    open_trial(trial=create_trial(slug="crowded", protocol="made-rate", pack=pack, settings=settings))


def arrive(count: int) -> int:
    """So many people come, answer and finish; returns how many got a sheet."""
    from benchmarks.definitions.registry import BENCHMARKS
    from humantrials.models import Trial
    from tests.extensions.generated.rating.rounds import definition

    BENCHMARKS.source = None
    BENCHMARKS.put_files({"made": definition(SETS, PROMPTS)})
    trial = Trial.objects.get(slug="crowded")
    return sum(_visit(trial) for _ in range(count))


def _visit(trial) -> bool:
    from humantrials.assignment.claims import claim_sheet, record_judgment
    from humantrials.models import Participant, ParticipantState
    from humantrials.models.participants import public_code, token

    facts = {"trial": trial, "token": token(), "code": public_code(), "step": "trials"}
    person = Participant.objects.create(state=ParticipantState.CONSENTED, **facts)
    sheet = claim_sheet(participant=person)
    if sheet is None:
        return False
    person.refresh_from_db()
    for slot in sheet.slots.all():
        answer = "SA=4" if slot.position % 2 else "PC=3 persistence=na"
        record_judgment(participant=person, position=slot.position, answer=answer, records={})
    return True


def here(asked: dict[str, Any]) -> int:
    began = time.monotonic()
    start_django()  # once; its processes are forks
    with ProcessPoolExecutor(1) as alone:  # this process must not open a connection before it forks
        alone.submit(prepare).result()
    share = asked["people"] // asked["processes"]
    with ProcessPoolExecutor(asked["processes"]) as pool:
        finished = sum(pool.map(arrive, [share] * asked["processes"]))
    from django.db import connection
    from django.db.models import Count, Q

    from humantrials.models import Slot

    slots = Slot.objects.annotate(n=Count("judgments", filter=Q(judgments__counts=True)))
    facts = {"database": connection.vendor, **asked, "finished": finished, "slots": slots.count()}
    facts |= {"not_one": slots.exclude(n=1).count(), "seconds": round(time.monotonic() - began, 1)}
    print(json.dumps(facts), flush=True)
    return int(facts["not_one"] > 0 or finished != ANSWERS * SETS or not facts["slots"])


if __name__ == "__main__":
    sys.exit(on_each_database("tests.extensions.generated.rating.arrivals", __doc__, LOAD, sys.argv[1:], here))
