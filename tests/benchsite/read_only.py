"""`python -m tests.benchsite.read_only [--database URL]`: readers, writers and a worker while nothing can be written.

It runs on SQLite and, if a server answers, on PostgreSQL. Prints one JSON object per database; exit 1 if a reader got
an error, a writer got no message, something was stored, or something was lost.
"""

import json
import sys
from contextlib import suppress
from typing import Any

from tests.humantrials.subprocesses import on_each_database, start_django

READ = (
    *("/", "/leaderboard/", "/leaderboard/grasp/", "/trials/", "/trials/running/", "/t/running/"),
    *("/t/running/?participant=somebody", "/benchmarks/grasp/", "/compare/", "/api/v1/boards/", "/api/v1/items/"),
    *("/healthz", "/metrics", "/account/sign-in/"),
)


def here(values: dict[str, Any]) -> int:
    start_django()
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection

    settings.ALLOWED_HOSTS, settings.DEBUG = ["*"], False
    call_command("migrate", verbosity=0, interactive=False, skip_checks=True)
    scene = prepared()
    before = counts()
    setting = "PRAGMA query_only" if connection.vendor == "sqlite" else "SET default_transaction_read_only"
    with connection.cursor() as cursor:
        cursor.execute(f"{setting} = on")
    found = frozen(scene)
    with connection.cursor() as cursor:
        cursor.execute(f"{setting} = off")
    found |= {"stored_meanwhile": int(counts() != before)} | thawed(scene)
    print(json.dumps({"database": connection.vendor, **found}), flush=True)
    return int(any(found.values()))


def prepared() -> dict[str, Any]:
    from django.test import Client

    from accounts.models import User, new_token
    from evaluation.runs.lifecycle import start_run
    from tests.factories import make_item, make_model, make_pack
    from tests.humantrials.fixtures import physics_pack, running_trial
    from tests.humantrials.plain_client import Walker

    walker = Walker(Client(raise_request_exception=False), running_trial(physics_pack(tests=1), replicates=2))
    consent = {**walker.reader.fields, "choice": "yes", "token": ""}
    walker.reach_trials()
    make_item(pack := make_pack())
    run = start_run(model=make_model(), pack=pack, strategy="binary", condition="question-only")
    boss = User.objects.create_superuser("boss", "boss@example.org", "a long password 1")
    staff = Client(raise_request_exception=False)
    staff.force_login(boss)
    return {"walker": walker, "run": run, "staff": staff, "key": new_token(user=boss, name="k"), "consent": consent}


def counts() -> dict[str, int]:
    from django.apps import apps

    return {model._meta.label: model._base_manager.count() for model in apps.get_models()}


def frozen(scene: dict[str, Any]) -> dict[str, int]:
    """The number of readers with an error, and of writers without a message that nothing was stored."""
    from django.db import DatabaseError
    from django.test import Client

    from evaluation.workers.loop import work

    visitor, road = Client(raise_request_exception=False), scene["walker"].road
    answers = [visitor.get(path) for path in READ] + [scene["staff"].get(path) for path in READ]
    answers.append(visitor.get("/api/v1/items/", headers={"Authorization": f"Token {scene['key']}"}))
    given = {"position": "0", "answer": "yes"}
    password = "long word 77 x"
    newcomer = {"username": "new", "email": "new@example.org", "password1": password, "password2": password}
    written = [
        visitor.post(f"{road}answer/", given, headers={"Accept": "application/json"}),
        visitor.post(f"{road}answer/", given),
        visitor.post("/t/running/?participant=somebody", scene["consent"]),
        visitor.post("/account/sign-in/", {"login": "boss", "password": "a long password 1"}),
        visitor.post("/account/sign-up/", newcomer),
        scene["staff"].post("/account/", {"first_name": "A", "last_name": "B"}),
        scene["staff"].post("/trials/running/manage/pause/", {"confirmed": "1"}),
    ]
    with suppress(DatabaseError):  # the worker's task ends, and the next sweep restarts it
        work()
    told = [each for each in written if b"can only be read just now" in each.content and "Retry-After" in each.headers]
    wrong = [each.request["PATH_INFO"] for each in written if each not in told or each.status_code != 503]
    failed = [each for each in answers if each.status_code not in (200, 302)]
    return {"readers_failed": len(failed), "writers_not_told": len(wrong)}


def thawed(scene: dict[str, Any]) -> dict[str, int]:
    """Whether the same answer and the same run go through afterwards."""
    from django.test import Client

    from evaluation.workers.loop import work

    scene["walker"].client = Client()
    saved = scene["walker"].client.post(f"{scene['walker'].road}answer/", {"position": "0", "answer": "yes"})
    work()
    scene["run"].refresh_from_db()
    return {"answer_lost": int(saved.status_code != 302), "run_lost": int(scene["run"].state != "finished")}


if __name__ == "__main__":
    sys.exit(on_each_database("tests.benchsite.read_only", __doc__, {}, sys.argv[1:], here))
