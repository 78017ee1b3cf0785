"""Runs on a host of the site, a process of its own: fills the site, begins work for all hosts, and reports the figures.

python -m tests.hosts.inside ACT JSON
"""

import io
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")

import django

django.setup()

import av  # noqa: E402
import numpy as np  # noqa: E402
from django.core.files.base import ContentFile  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import transaction  # noqa: E402
from django.db.models import Exists, OuterRef, Q  # noqa: E402

from accounts.models import User  # noqa: E402
from benchmarks.models import Pack, Production  # noqa: E402
from benchmarks.storage.store import clip_name, sha256_of, store  # noqa: E402
from evaluation.models import Cell, Listing, Model, ModelResponse, Run, Shard, Upload  # noqa: E402
from evaluation.runs.lifecycle import start_run  # noqa: E402
from evaluation.submissions.store.upload_queue import put_aside  # noqa: E402
from evaluation.workers.loop import sweep  # noqa: E402
from leaderboard.models import Standing  # noqa: E402
from leaderboard.standings.refresh import refresh  # noqa: E402
from tests.evaluation.crash_rounds import REFEREE, answers, scores  # noqa: E402
from tests.evaluation.submissions.uploads import good_file  # noqa: E402
from tests.factories import make_clip, make_item, make_pack  # noqa: E402

HOUR, PATIENCE = 3600, 240  # seconds
FRAMES, SIZE = 16, 128  # of a clip of noise, which takes about 200 kB


def fill(clips: int, server: dict[str, Any]) -> dict[str, Any]:
    """A pack of clips, each with a true and a false statement that starts with its item's id; the models."""
    pack = make_pack(name="shared")
    with tempfile.TemporaryDirectory() as folder:
        for number in range(clips):
            _add(pack, number, _noise(Path(folder) / f"{number}.mp4", number))
    Model.objects.create(slug="waits", name="Waits", kind="openai", options=server)
    for slug, options in (("draws", {"default": "random", "seconds": 0.02}), ("judge", REFEREE)):
        Model.objects.create(slug=slug, name=slug, kind="scripted", options=options)
    User.objects.create_superuser("sender")
    return {"items": pack.items.count()}


def run_alone(seeds: list[int]) -> dict[str, Any]:
    """A run of the server's model and nothing beside it; returns once it has ended."""
    how: dict[str, Any] = {"strategy": "binary", "seeds": seeds, "sampling": {"temperature": 0.7}}
    run = start_run(model=Model.objects.get(slug="waits"), pack=Pack.objects.get(name="shared"), **how)
    deadline = time.monotonic() + 2 * PATIENCE
    while run.state in ("queued", "running") and time.monotonic() < deadline:
        time.sleep(0.5)
        run.refresh_from_db()
    return _of_run(run)


def _add(pack: Pack, number: int, video: Path) -> None:
    digest, size = sha256_of(video), video.stat().st_size
    shape = {"fps": 10, "frames": FRAMES, "seconds": FRAMES / 10, "width": SIZE, "height": SIZE}
    clip = make_clip(pack, key=f"level1/ColorRed/{number:03}", sha256=digest, **shape)
    clip.renditions.update(name=f"{digest[:20]}.mp4", sha256=digest, size=size)
    store().put({video: clip_name(f"{digest[:20]}.mp4")})
    for expected in ("yes", "no"):
        key = f"{number:03}{expected}"
        make_item(pack, clip=clip, expected=expected, variant=expected, public_id=key, draw_key=key, text=f"[{key}]")


def _noise(path: Path, seed: int) -> Path:
    pictures = np.random.default_rng(seed).integers(0, 256, (FRAMES, SIZE, SIZE, 3), np.uint8)
    with av.open(str(path), "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=10, options={"crf": "20", "g": "5"})
        stream.width, stream.height, stream.pix_fmt = SIZE, SIZE, "yuv420p"
        for picture in pictures:
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())
    return path


def begin(name: str, seeds: list[int], folder: str = "") -> dict[str, list[int]]:
    """A run of the server's model and one that a referee scores; with a folder also an upload, and a pack made there.

    The work has this name; the pack's clips are made by all hosts into the folder, which they share.
    """
    Pack.objects.exclude(name="shared").delete()  # the same content is not imported under a second name
    pack = Pack.objects.get(name="shared")
    begun: dict[str, list[int]] = {"runs": [], "uploads": [], "productions": []}
    if folder:
        file = ContentFile(good_file(pack, model=f"Model of {name}"))
        begun["uploads"] = [put_aside(file=file, name=f"{name}.jsonl", user=User.objects.get(), header={}).pk]
        options: dict[str, Any] = {"only": "ShapeBall", "count": 24, "size": "64x48", "fps": 5, "queue": True}
        call_command("generate_benchmark", "grasp", out=Path(folder) / name, stdout=io.StringIO(), **options)
        begun["productions"] = [Production.objects.get(pack_name=name).pk]
    models = {model.slug: model for model in Model.objects.all()}
    how: dict[str, Any] = {"pack": pack, "strategy": "binary", "seeds": seeds, "sampling": {"temperature": 0.7}}
    judge = {"referee": models["judge"], "rubric": "expected-match", "seeds": seeds[:1]}
    judged = start_run(model=models["draws"], **how | judge)
    run = start_run(model=models["waits"], **how)
    begun["runs"] = [run.pk, judged.pk]
    Run.objects.filter(pk__in=begun["runs"]).update(listing=Listing.LISTED)
    return begun


def figures(runs: list[int], uploads: list[int], productions: list[int], *, sweeps: bool = False) -> dict[str, Any]:
    """Everything that came of it, once all has ended and the board has the runs' rows; `sweeps` replaces a clock."""
    deadline = time.monotonic() + PATIENCE
    while (open_ := _open(runs, uploads, productions)) and time.monotonic() < deadline:
        if sweeps:
            sweep()
            refresh()
        time.sleep(0.5)
    sent = Upload.objects.filter(pk__in=uploads)
    uploaded = [one.run for one in sent if one.run]
    made = Production.objects.filter(pk__in=productions)
    packs = Pack.objects.filter(name__in=made.values("pack_name"))
    found = {
        "open": open_,
        "runs": [_of_run(run) for run in Run.objects.filter(Q(pk__in=runs) | Q(judged__in=runs)).order_by("pk")],
        "board": list(Standing.objects.filter(run__in=runs).order_by("run", "split").values_list("overall", "cells")),
        "uploads": list(sent.values_list("state", "reason")) + [[answers(run), scores(run)] for run in uploaded],
        "made": list(made.values_list("state", "note")) + [[one.manifest_hash, one.items.count()] for one in packs],
    }
    return {"attempts": sum(Shard.objects.filter(run=runs[0]).values_list("attempts", flat=True)), "figures": found}


def _of_run(run: Run) -> dict[str, Any]:
    left = Cell.objects.filter(run=run).exclude(state="answered")
    return {
        "state": [run.state, run.reason],
        "unanswered": list(left.values_list("item__public_id", "state", "reason")),
        "replies": ModelResponse.objects.filter(cell__run=run).count(),
        "answers": answers(run),
        "scores": scores(run),
        "hashes": [run.card.get("prompts"), run.card.get("frames")],
    }


def _open(runs: list[int], uploads: list[int], productions: list[int]) -> list[str]:
    """What has not ended yet."""
    rows = Standing.objects.filter(run=OuterRef("pk"), source_version=OuterRef("answers_version"))
    going: list[Any] = [*Run.objects.unfinished().filter(pk__in=runs), *Run.objects.filter(~Exists(rows), pk__in=runs)]
    going += Upload.objects.filter(pk__in=uploads, state__in=("waiting", "checking"))
    return [str(one) for one in going] + [
        str(one) for one in Production.objects.filter(pk__in=productions) if one.is_open
    ]


def hold() -> dict[str, Any]:
    """Amid a transaction keep the lock of the pack for ever."""
    with transaction.atomic():
        Pack.objects.select_for_update().get(name="shared")
        time.sleep(HOUR)
    return {}


if __name__ == "__main__":
    acts: dict[str, Callable[..., dict[str, Any]]] = {
        act.__name__: act for act in (fill, begin, figures, hold, run_alone)
    }
    for name, arguments in zip(sys.argv[1::2], sys.argv[2::2], strict=True):
        found = acts[name](**json.loads(arguments))
    print(json.dumps(found, default=str))
