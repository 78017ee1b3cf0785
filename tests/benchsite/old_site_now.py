"""test_old_ids.py runs this in a separate process, on the restored site: reports the uses of old ids as JSON.

`python -m tests.benchsite.old_site_now FACTS`, with the facts written by old_site.py.
"""

import io
import json
import os
import sys
from collections import Counter
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.test import Client  # noqa: E402

from benchmarks.definitions.registry import BENCHMARKS  # noqa: E402
from benchmarks.management.commands.withdraw_clip import clips_called  # noqa: E402
from benchmarks.models import Item, Pack  # noqa: E402
from benchmarks.packs.rotate_ids import rotate_ids  # noqa: E402
from benchmarks.packs.withheld_answers import import_answers  # noqa: E402
from evaluation.models import Run  # noqa: E402
from evaluation.prompting.requests import Asking, cells_of  # noqa: E402
from evaluation.submissions.lint.check import lint  # noqa: E402
from evaluation.workers.loop import work_on  # noqa: E402
from humantrials.models import Trial  # noqa: E402
from humantrials.studies.lifecycle import close_trial  # noqa: E402
from humantrials.studies.verification import verify  # noqa: E402
from leaderboard.publications.snapshot_verification import differences_in  # noqa: E402

PLACES = ("/benchmarks/grasp/items/{}/", "/api/v1/items/{}/", "/benchmarks/grasp/items/{}/ground-truth.zip?answer=1")
MADE_UP = "aaaabbbbcccc"


def look(facts: dict) -> dict:
    settings.ALLOWED_HOSTS = ["testserver"]
    old = facts["items"].values()
    found = {
        "items": {item.draw_key: item.public_id for item in Item.objects.all()},
        "answers": {name: [answer_of(place, name) for place in PLACES[:2]] for name in (*old, MADE_UP)},
        "words": {name: words_of(name) for name in (*old, MADE_UP)},
        "upload": lint(io.BytesIO(facts["upload"].encode())).facts,
        "snapshot": differences_in(facts["snapshot"]),
        "designs": {trial.slug: [trial.design_hash, verify(trial).facts["design_ok"]] for trial in Trial.objects.all()},
        "examples": examples(Run.objects.get(pk=facts["runs"]["binary-oneshot"])),
        "batches": batches(Run.objects.get(pk=facts["runs"]["plausibility"])),
        "turns": turns_told(facts["runs"]["binary-oneshot"]),
        "withdraws": sum(clips_called(name, "").count() for name in old),
        "again": answers_again(facts),
    }
    return found | {"resumed": resumed(facts), "closed": closed(facts), "rotated": rotated(facts)}


def answer_of(place: str, name: str) -> list:
    answer = Client().get(place.format(name))
    return [answer.status_code, answer.headers.get("Location", "")]


def words_of(name: str) -> list[str]:
    """The text of pages and the API about this id, without the id itself."""
    return [Client().get(place.format(name)).content.decode().replace(name, "…") for place in PLACES]


def examples(run: Run) -> list[list[str]]:
    """For each reply: the example in its prompt, and the example that it would have now."""
    asking = Asking(run)
    cells = run.cells.select_related("item", "response")
    return [[cell.response.turns[0]["item"], getattr(asking.example(cell), "draw_key", "")] for cell in cells]


def batches(run: Run) -> list[str]:
    return [cell.item.draw_key for shard in run.shards.order_by("pk") for cell in cells_of(shard.pk)]


def turns_told(pk: int) -> list[str]:
    rows = Client().get(f"/api/v1/runs/{pk}/responses/").json()["results"]
    return [turn["item"] for row in rows for turn in row["turns"] if "item" in turn]


def answers_again(facts: dict) -> dict[str, int]:
    """Load all answers of the withheld split by their old ids: one is known, one is new."""
    file = Path(os.environ["DATA_DIR"]) / "answers.csv"
    file.write_text("item,answer\n" + "".join(f"{item},{answer}\n" for item, answer in facts["withheld"].items()))
    return dict(vars(import_answers(BENCHMARKS["grasp"], file)))


def resumed(facts: dict) -> dict[str, int]:
    """Resume the waiting run."""
    work_on(facts["runs"]["plausibility"])
    return dict(Counter(Run.objects.get(pk=facts["runs"]["plausibility"]).cells.values_list("state", flat=True)))


def closed(facts: dict) -> list[int]:
    """Old ids of the items that the study sealed, after it was closed."""
    close_trial(trial=Trial.objects.get(slug="sealing"))
    return [answer_of(PLACES[0], name)[0] for name in facts["sealed"]]


def rotated(facts: dict) -> dict:
    before = set(Item.objects.values_list("public_id", flat=True))
    rotate_ids(Pack.objects.get())
    names = before | set(facts["items"].values())
    after = Item.objects.values_list("public_id", flat=True)
    return {
        "old": sorted({answer_of(place, name)[0] for name in names for place in PLACES[:2]}),
        "new": sorted({answer_of(PLACES[0], name)[0] for name in after}),
        "upload": lint(io.BytesIO(facts["upload"].encode())).facts["ok"],
        "snapshot": differences_in(facts["snapshot"]),
        "designs": [verify(trial).facts["design_ok"] for trial in Trial.objects.all()],
    }


if __name__ == "__main__":
    call_command("check", verbosity=0)
    print(json.dumps(look(json.loads(Path(sys.argv[1]).read_text()))))
