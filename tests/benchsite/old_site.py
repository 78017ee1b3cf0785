"""Makes the site of `data/before-random-ids.tar.gz`. Run it by hand, in a checkout of the commit before random ids:

`DATA_DIR=$(mktemp -d) python -m tests.benchsite.old_site backup.tar facts.json`, then `gzip -9n backup.tar`. It uses no
later code. The facts list the ids of official items, and the objects made with them.
"""

import io
import json
import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")

import django

django.setup()

from django.core.management import call_command  # noqa: E402

from accounts.models import User  # noqa: E402
from benchmarks.definitions.registry import BENCHMARKS  # noqa: E402
from benchmarks.models import Item  # noqa: E402
from benchmarks.packs.import_release import import_release  # noqa: E402
from evaluation.models import Listing, Run  # noqa: E402
from evaluation.runs.lifecycle import start_run  # noqa: E402
from evaluation.submissions.store.submit import submit  # noqa: E402
from evaluation.workers.loop import work_on  # noqa: E402
from humantrials.studies.lifecycle import create_trial, open_trial  # noqa: E402
from tests.benchmarks.grasp_release import write_release  # noqa: E402
from tests.factories import make_model  # noqa: E402

SCENES = ("ColorRed", "P_Gravity", "IP_Gravity", "P_Inertia")


def make(folder: Path) -> dict:
    """Make a site with a study that seals Level 2, withheld answers of open questions, runs, a snapshot, an upload."""
    pack = import_release(
        BENCHMARKS["grasp"], write_release(folder / "release", SCENES, noise=2), pack_name="small"
    ).pack
    pack.items.filter(kind="text").delete()
    dice = make_model(slug="dice", name="Dice", kind="random")
    runs = [start_run(model=dice, pack=pack, strategy=name) for name in ("binary", "binary-oneshot", "plausibility")]
    for run in runs[:2]:
        work_on(run.pk)
    Run.objects.filter(pk__in=[run.pk for run in runs]).update(listing=Listing.LISTED)
    drafted = create_trial(slug="drafted", protocol="grasp-plausibility", pack=pack, seed=3)
    open_trial(trial=create_trial(slug="sealing", protocol="grasp-plausibility", pack=pack, seed=5))
    snapshot = folder / "board.json"
    call_command("snapshot_board", "grasp", out=snapshot, level="1", verbosity=0)
    answers = _withhold(pack, folder)
    user = User.objects.create_user("ada", "ada@example.org", "a long password 1")
    upload = _upload(pack)
    submitted = submit(file=io.BytesIO(upload.encode()), user=user)
    items = {"|".join((item.key, item.kind, item.variant)): item.public_id for item in Item.objects.all()}
    return {
        "items": items,
        "sealed": sorted(Item.objects.sealed().values_list("public_id", flat=True).distinct()),
        "withheld": answers,
        "upload": upload,
        "snapshot": json.loads(snapshot.read_text()),
        "runs": {run.strategy: run.pk for run in runs},
        "submitted": submitted.pk,
        "waiting": [
            *runs[2].cells.order_by("shard", "item__public_id", "seed").values_list("item__public_id", flat=True)
        ],
        "drafted": drafted.design_hash,
    }


def _withhold(pack, folder: Path) -> dict[str, str]:
    """Import Level 1's open questions without their answers, which are loaded afterwards."""
    answers = dict(pack.items.filter(kind="open").values_list("public_id", "expected"))
    pack.items.filter(kind="open").update(expected=None)
    file = folder / "answers.csv"
    file.write_text("item,answer\n" + "".join(f"{item},{answer}\n" for item, answer in [*answers.items()][:1]))
    call_command("import_answers", "grasp", str(file), verbosity=0)
    return answers


def _upload(pack) -> str:
    header = {
        "benchmark": "grasp",
        "pack": "small",
        "model": "Sent once",
        "strategy": "binary",
        "condition": "video",
        "split": "all",
    }
    rows = [{"item": item.public_id, "answer": "yes"} for item in pack.items.filter(kind="binary")]
    return "".join(json.dumps(row) + "\n" for row in (header, *rows))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        made = make(Path(place))
    call_command("backup", sys.argv[1], verbosity=0)
    Path(sys.argv[2]).write_text(json.dumps(made, indent=1))
