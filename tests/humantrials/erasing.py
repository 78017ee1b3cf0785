"""`python -m tests.humantrials.erasing [--database URL] [--people N]`: people withdraw while their answers arrive.

Four threads send the answers of one person repeatedly, like tabs and an outbox; meanwhile the person is erased. It runs
on SQLite and, if a server answers, on PostgreSQL. Prints one JSON object per database; exit 1 if a row of such a person
remains, a response is 5xx, or nothing arrived before.
"""

import json
import random
import sys
import threading
import time
from typing import Any

from tests.humantrials.subprocesses import on_each_database, start_django

TABS = 4
ROWS = ("judgments", "attention_answers", "follow_ups", "clip_fetches", "pilot_answers", "task_answers", "rounds")


def here(values: dict[str, Any]) -> int:
    start_django()
    from django.conf import settings
    from django.core.management import call_command

    settings.ALLOWED_HOSTS, settings.DEBUG = ["*"], False
    call_command("migrate", verbosity=0, interactive=False, skip_checks=True)
    from django.db import connection

    from tests.humantrials.fixtures import physics_pack, running_trial

    trial = running_trial(physics_pack(tests=8), replicates=values["people"])
    seen = [one_person(trial, random.Random(number)) for number in range(values["people"])]
    found = {name: sum(each[name] for each in seen) for name in seen[0]}
    print(json.dumps({"database": connection.vendor, "people": values["people"], **found}), flush=True)
    return int(bool(found["rows_left"] or found["errors"] or not found["stored_before"]))


def one_person(trial: Any, rng: random.Random) -> dict[str, int]:
    from humantrials.assignment.claims import claim_sheet
    from humantrials.assignment.exits import withdraw
    from humantrials.models import Judgment, ParticipantState
    from tests.humantrials.fixtures import consented

    person = consented(trial)
    claim_sheet(participant=person)
    statuses: list[int] = []
    is_over = threading.Event()
    tabs = [threading.Thread(target=send, args=(person.token, tab, statuses, is_over)) for tab in range(TABS)]
    for tab in tabs:
        tab.start()
    wait_for_answers(person, rng.randint(1, 5))
    before = Judgment.objects.filter(participant=person).count()
    withdraw(participant=person)
    time.sleep(0.05)
    is_over.set()
    for tab in tabs:
        tab.join()
    person.refresh_from_db()
    return {
        "stored_before": before,
        "rows_left": sum(getattr(person, rows).count() for rows in ROWS) + (person.state != ParticipantState.WITHDRAWN),
        "errors": sum(status >= 500 for status in statuses),
        "sent": len(statuses),
    }


def send(key: str, tab: int, statuses: list[int], is_over: threading.Event) -> None:
    """One tab: sends all answers repeatedly, and heartbeats."""
    from django.db import connection
    from django.test import Client

    client = Client(raise_request_exception=False)
    position = tab
    while not is_over.is_set():
        given = {"position": str(position % 16), "answer": "yes"}
        statuses.append(client.post(f"/p/{key}/answer/", given, headers={"Accept": "application/json"}).status_code)
        statuses.append(client.post(f"/p/{key}/beat/").status_code)
        position += 1
    connection.close()


def wait_for_answers(person: Any, wanted: int) -> None:
    deadline = time.monotonic() + 60
    while person.judgments.count() < wanted and time.monotonic() < deadline:
        time.sleep(0.002)


def main(arguments: list[str]) -> int:
    return on_each_database("tests.humantrials.erasing", __doc__, {"people": 6}, arguments, here)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
