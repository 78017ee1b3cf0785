"""Rounds of kill -9: workers, the web server and the broker die at random moments, and nothing may be lost or doubled.

    python -m tests.evaluation.crash_rounds embedded 20
    python -m tests.evaluation.crash_rounds servers 2 --first 7

It prints one JSON object per round; exit code 1 if a round ended with other numbers than an undisturbed run. `embedded`
is SQLite and a queue in a folder; `servers` is PostgreSQL and a separate Redis, which is killed, too. This process acts
as the scheduler and sweeps every second. No shard loses its worker more than twice, since it would rightly fail the
third time. Worker count (1, 2, 4), temperature (0, 0.7) and batch (1, 4) rotate with the number of the round.
"""

import argparse
import contextlib
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LEASE, CLOCK, PATIENCE = 2, 1.0, 300.0  # seconds
WORKERS, TEMPERATURES = (1, 2, 4), (0.0, 0.7)
SEEDS = tuple(range(8))  # 16 clips are 32 items, 256 cells, four shards
SLOW = 0.03  # seconds an answer
BATCHES = (1, 4)  # answers in a batch
REFEREE = {"default": "Accuracy: score: 1. reason: fine.", "seconds": 0.01}


def main(stack: str, rounds: int, first: int, clips: int, kills: int) -> int:
    from tests.evaluation.crash_stack import STACKS
    from tests.site import other_settings

    failed = 0
    with tempfile.TemporaryDirectory(prefix="crash-") as folder, STACKS[stack](Path(folder)) as env:
        os.environ |= env | other_settings(EVALUATION_LEASE_SECONDS=LEASE)
        import django

        django.setup()
        with services(stack) as site:
            for number in range(first, first + rounds):
                found = play(site, number, clips, kills)
                failed += not found["ok"]
                print(json.dumps({"stack": stack} | found), flush=True)
    return 1 if failed else 0


@contextlib.contextmanager
def services(stack: str) -> Iterator[Any]:
    from tests.evaluation.crash_stack import Site

    site = Site(with_broker=stack == "servers")
    try:
        yield site
    finally:
        site.stop()


def play(site: Any, number: int, clips: int, most: int) -> dict[str, Any]:
    """One round: start a run, kill at random until it ends, and compare it with an undisturbed one."""
    workers, temperature, batch = WORKERS[number % 3], TEMPERATURES[number // 3 % 2], BATCHES[number % 2]
    chance = random.Random(number)
    pack = make_pack_of_clips(number, clips)
    site.keep(workers)
    began = time.monotonic()
    run = begin(pack, f"slow-{number}", temperature, seconds=SLOW, batch=batch)
    kills = kill_until_over(site, run, chance, most)
    seconds = time.monotonic() - began
    page = site.page(f"/runs/{run.pk}/card.json")
    site.keep(0)  # a worker that is still stopping would work on the next run
    undisturbed = undisturbed_run(pack, f"quick-{number}", temperature)
    problems = differences(run, undisturbed, page)
    attempts = max(run.shards.values_list("attempts", flat=True))
    return {
        "round": number,
        "workers": workers,
        "temperature": temperature,
        "batch": batch,
        "kills": kills,
        "attempts": attempts,
        "seconds": round(seconds, 1),
        "ok": not problems,
        "problems": problems,
    }


def make_pack_of_clips(number: int, clips: int) -> Any:
    """Create real clips, different ones each round, so that a frame cache is filled while its writers are killed."""
    from django.conf import settings

    from tests.evaluation.conftest import write_video
    from tests.factories import make_clip, make_item, make_pack

    pack = make_pack(name=f"round-{number}")
    for place in range(clips):
        sha256 = f"{number * clips + place:064x}"
        clip = make_clip(
            pack,
            key=f"level1/ColorRed/{place:03}",
            fps=10,
            frames=8 + place,
            seconds=(8 + place) / 10,
            width=64,
            height=48,
            sha256=sha256,
        )
        clip.renditions.update(name=f"round{number}-{place}.mp4", sha256=sha256)
        write_video(settings.MEDIA_ROOT / "clips" / f"round{number}-{place}.mp4", 8 + place)
        for expected in ("yes", "no"):
            make_item(
                pack, clip=clip, expected=expected, variant=expected, public_id=f"r{number:04}{place:03}{expected}"
            )
    return pack


def begin(pack: Any, slug: str, temperature: float, **pace: Any) -> Any:
    """Start a run with a referee, so that both stages are hit by kills."""
    from evaluation.models import Model
    from evaluation.runs.lifecycle import start_run

    model = Model.objects.create(slug=slug, name=slug, kind="scripted", options={"default": "random"} | pace)
    referee, _ = Model.objects.get_or_create(
        slug="judge", defaults={"name": "Judge", "kind": "scripted", "options": REFEREE}
    )
    return start_run(
        model=model,
        pack=pack,
        strategy="binary",
        seeds=SEEDS,
        sampling={"temperature": temperature},
        referee=referee,
        rubric="expected-match",
    )


def kill_until_over(site: Any, run: Any, chance: random.Random, most: int) -> list[str]:
    """Sweep like the scheduler, and kill at random until the run ends; returns what was killed."""
    from django.db import OperationalError

    from evaluation.workers.loop import sweep

    kills: list[str] = []
    most, deadline, due = (
        min(most, chance.randint(3, 5)),
        time.monotonic() + PATIENCE,
        time.monotonic() + chance.uniform(0.5, 2),
    )
    while time.monotonic() < deadline:
        with contextlib.suppress(OperationalError):
            sweep()
        run.refresh_from_db()
        if run.state not in ("queued", "running"):
            break
        busy = holders(run)
        if busy and len(kills) < most and time.monotonic() >= due:
            kills.append(site.kill_one(chance, busy=set() if is_last_attempt(run) else busy))
            due = time.monotonic() + chance.uniform(0.5, 2.5)
        site.revive()
        time.sleep(CLOCK / 2)
    return kills


def holders(run: Any) -> set[int]:
    """Process ids of the workers that hold a shard: killing one that is still starting would test nothing."""
    from evaluation.models import Shard

    held = Shard.objects.filter(run__in=[run.pk, *run.refereeings.values_list("pk", flat=True)], state="leased")
    return {int(holder.split(":")[1]) for holder in held.values_list("holder", flat=True)}


def is_last_attempt(run: Any) -> bool:
    """Whether some shard would fail if its worker died once more; a shard has three attempts."""
    from evaluation.models import Shard
    from evaluation.queue.leases import ATTEMPTS

    runs = [run.pk, *run.refereeings.values_list("pk", flat=True)]
    return Shard.objects.filter(run__in=runs, attempts__gte=ATTEMPTS).exclude(state="done").exists()


def undisturbed_run(pack: Any, slug: str, temperature: float) -> Any:
    """Answer the same questions in this process without interruption and without workers."""
    from unittest.mock import patch

    from evaluation.workers.loop import work_on

    with patch("celery.current_app.send_task"):
        run, deadline = begin(pack, slug, temperature), time.monotonic() + PATIENCE
        while run.state in ("queued", "running") and time.monotonic() < deadline:
            work_on(run.pk)  # on a busy machine even this process may lose a lease of two seconds
            run.refresh_from_db()
            time.sleep(CLOCK / 10)
    return run


def differences(run: Any, undisturbed: Any, page: dict[str, Any]) -> list[str]:
    """Sentences about deviations from the undisturbed run; empty if there are none."""
    from evaluation.models import Cell, ModelResponse, Reading, Score

    problems, cells = [], len(SEEDS) * run.pack.items.count()
    for judged in (run, undisturbed):
        stage = judged.refereeings.first()
        if stage is None:
            return [f"run {judged.pk} was not scored: {judged.state} {judged.reason}, shards {shards_of(judged)}"]
        for each in (judged, stage):
            replies = ModelResponse.objects.filter(cell__run=each).count()
            readings = Reading.objects.filter(response__cell__run=each).count()
            left = Cell.objects.filter(run=each).exclude(state="answered").count()
            if (each.state, replies, readings, left) != ("finished", cells, cells, 0):
                problems.append(
                    f"run {each.pk}: {each.state} {each.reason}, {replies} replies, {readings} readings, "
                    f"{left} unanswered of {cells}"
                )
            counted = each.shards.values_list("answered", flat=True)
            if sum(counted) != cells:
                problems.append(f"run {each.pk}: its shards count {sum(counted)} answers")
        if (given := Score.objects.of_run(judged).count()) != cells:
            problems.append(f"run {judged.pk}: {given} scores")
    for what, of in (("answers", answers), ("scores", scores), ("hashes", hashes)):
        if of(run) != of(undisturbed):
            problems.append(f"other {what} than undisturbed")
    if (page["state"], page["answered"]) != ("finished", cells):
        problems.append(f"the page says {page['state']}, {page['answered']}")
    return problems


def shards_of(run: Any) -> list[tuple]:
    return list(run.shards.values_list("number", "state", "attempts", "reason"))


def answers(run: Any) -> list[tuple]:
    from evaluation.models import ModelResponse

    rows = ModelResponse.objects.filter(cell__run=run)
    fields = ("cell__item__public_id", "cell__seed", "raw", "readings__answer", "frames_hash", "frame_indices")
    return sorted(rows.values_list(*fields), key=repr)


def scores(run: Any) -> list[tuple]:
    from evaluation.models import Score

    cell = "reading__response__cell__"
    rows = Score.objects.filter(reading__response__cell__run=run)
    return sorted(rows.values_list(cell + "item__public_id", cell + "seed", "dimension", "referee", "value"))


def hashes(run: Any) -> tuple:
    return run.card.get("prompts"), run.card.get("frames"), run.refereeings.get().card.get("prompts")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stack", choices=("embedded", "servers"))
    parser.add_argument("rounds", type=int)
    parser.add_argument("--first", type=int, default=0, help="number of the first round")
    parser.add_argument("--clips", type=int, default=16, help="16 make four shards")
    parser.add_argument("--kills", type=int, default=5, help="at most so many in a round")
    given = parser.parse_args()
    sys.exit(main(given.stack, given.rounds, given.first, given.clips, given.kills))
