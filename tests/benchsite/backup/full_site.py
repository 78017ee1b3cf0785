"""test_backup.py runs this in separate processes: fill a site, digest its content, write during a backup.

`python -m tests.benchsite.backup.full_site ACT [+ ACT …]`, on the site that the environment names: fill, attack,
digest, figures, use, write UNTIL, or a command of the site with its arguments. Each act prints a line of JSON.
"""

import hashlib
import io
import json
import os
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.sessions.models import Session  # noqa: E402
from django.core.files.storage import default_storage  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import transaction  # noqa: E402

from accounts.models import User, new_token  # noqa: E402
from benchmarks.models import Key, Pack  # noqa: E402
from benchsite.backup.state import names_in, places, tables  # noqa: E402
from evaluation.runs.lifecycle import start_run  # noqa: E402
from evaluation.workers.loop import work_on  # noqa: E402
from humantrials.assignment.claims import claim_sheet, record_judgment  # noqa: E402
from humantrials.identities import Arrival, remember  # noqa: E402
from humantrials.models import Judgment  # noqa: E402
from humantrials.models.identity import Identity  # noqa: E402
from leaderboard.models import Standing  # noqa: E402
from leaderboard.standings.refresh import recompute, refresh  # noqa: E402
from tests.factories import make_item, make_model, make_pack  # noqa: E402
from tests.humantrials.fixtures import consented, physics_pack, running_trial  # noqa: E402
from tests.seals.site import build  # noqa: E402


def fill() -> None:
    """Create users with keys, answers of models and people, boards, weights, media; with odd characters everywhere."""
    user = User.objects.create_user("jörg-\u202etxt", "j@example.org", "a long password 1", first_name="ジョ'\"\\n")
    user.date_joined = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)  # to the microsecond
    user.save()
    new_token(user=user, name="daily")
    Session.objects.create(session_key="k", session_data="who-is-signed-in", expire_date=user.date_joined)
    pack = make_pack(name="whole")
    for number in range(30):
        make_item(pack, expected="yes" if number % 3 else "no", text=f"Is this so? ☃ {number}\t\\N\nA second line")
    run = start_run(model=make_model(), pack=pack, strategy="binary", condition="question-only", seeds=(0, 1))
    work_on(run.pk)
    start_run(model=make_model(slug="waits"), pack=pack, strategy="binary", condition="question-only")
    trial = running_trial(physics_pack(tests=2), replicates=1)
    person = consented(trial)
    remember(participant=person, arrival=Arrival(panel="generic", external_id="ext-1", parameters={"a": "ä"}))
    claim_sheet(participant=person)
    person.refresh_from_db()
    record_judgment(participant=person, position=0, answer="yes", records={})
    refresh()
    assert Judgment.objects.exists()
    assert Identity.objects.exists()
    for name, content in (
        ("media/uploads/waiting/one.jsonl", b"{}\n"),
        ("media/clips/abc.mp4", os.urandom(30) * 10_000),
        ("var/models/small/weights.bin", bytes(1000)),
        ("media/.staging-x/half", b"no"),
    ):
        path = Path(settings.DATA_DIR) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def attack() -> None:
    """Add the packs, uploads, studies and the snapshot that tests/seals attack."""
    build(Path(settings.DATA_DIR) / "made")


def figures() -> dict[str, list[object]]:
    """The figures of each row of a board, computed anew from its answers."""
    for pack in Pack.objects.all():
        recompute(pack)
    rows = Standing.objects.select_related("pack").order_by("pk")
    return {
        f"{row.pack.name}, {row.strategy}, {row.split}, {row.kind}, {row.name}": [row.overall, row.cells]
        for row in rows
    }


def digest() -> dict[str, str]:
    """Table or file -> its digest, in a form that does not depend on the database."""
    found = {}
    for model in tables():
        names = [field.attname for field in model._meta.local_concrete_fields]
        rows = [
            json.dumps([repr(_comparable(value)) for value in row])
            for row in model._base_manager.order_by("pk").values_list(*names)
        ]
        found[model._meta.label] = f"{len(rows)} {hashlib.sha256(chr(10).join(rows).encode()).hexdigest()}"
    for folder, storage in places().items():
        for name in names_in(storage):
            with storage.open(name) as file:
                found[f"{folder}/{name}"] = hashlib.sha256(file.read()).hexdigest()
    return found


def _comparable(value: object) -> object:
    """JSON with sorted keys, since PostgreSQL stores its own order."""
    if isinstance(value, memoryview):
        return bytes(value)
    return json.loads(json.dumps(value, sort_keys=True)) if isinstance(value, dict) else value


def write(until: str) -> int:
    """Write two rows and a file that belong together, repeatedly, until the file `until` appears."""
    folder, number = Path(settings.MEDIA_ROOT) / "clips", 0
    while not Path(until).exists():
        number += 1
        (folder / f"pair-{number}").write_bytes(b"x")
        with transaction.atomic():
            for side in ("left", "right"):
                Key.objects.create(name=f"{side}-{number}", secret=b"\x00\xff")
        if number > 5:  # and an older pair is deleted, its file last
            Key.objects.filter(name__in=(f"left-{number - 5}", f"right-{number - 5}")).delete()
            default_storage.delete(f"clips/pair-{number - 5}")
        time.sleep(0.002)
    return number


def use() -> int:
    """The primary key of a new row: keys continue above the restored ones."""
    return Key.objects.create(name="n").pk


def command(name: str, *arguments: str) -> dict:
    out = io.StringIO()
    call_command(name, *arguments, as_json=True, stdout=out)
    return json.loads(out.getvalue())


ACTS: dict[str, Callable[..., object]] = {one.__name__: one for one in (fill, attack, digest, figures, use, write)}


def act(name: str, *arguments: str) -> None:
    found = ACTS[name](*arguments) if name in ACTS else command(name, *arguments)
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    words = " ".join(sys.argv[1:]).split(" + ")
    for each in words:
        act(*each.split())
