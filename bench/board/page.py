"""A board with 100,000 responses: server time cold and warm, queries, size, and requests a second beside a plain page.

Run: python -m bench.board.page (prints JSON lines; creates its data in a temporary folder).
"""

import json
import os
import statistics
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNS, CLIPS_A_TEST, WARM = 40, 78, 60
STRATEGY, ADDRESS, PLAIN = "plausibility", "/leaderboard/grasp/?level=2", "/healthz"
# Targets in milliseconds and bytes.
WARM_LIMIT, COLD_LIMIT, SIZE_LIMIT = 15, 250, 300_000


def set_up(folder: str) -> None:
    """Set up Django on an empty database in this folder."""
    (Path(folder) / "var").mkdir()
    os.environ |= {"DATA_DIR": folder, "DJANGO_SETTINGS_MODULE": "benchsite.settings"}
    os.environ.pop("DATABASE_URL", None)
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def make_items(name: str = "bench", count: int | None = None):
    """Create 2,500 Level-2 items on 16 tests, or the first `count`, each with its own clip."""
    from benchmarks.definitions.grasp_tests import LEVEL_2
    from benchmarks.models import Clip, Item, ItemMedia, Pack

    pack = Pack.objects.create(
        benchmark="grasp", name=name, title=name.title(), origin="generated", manifest_hash="0" * 64
    )
    plan = [(test, number, answer) for test in LEVEL_2 for number in range(CLIPS_A_TEST) for answer in ("yes", "no")]
    plan = plan[:count]
    keys = [f"{test.name}/{answer}/{number}" for test, number, answer in plan]
    clip = {"pack": pack, "width": 320, "height": 240, "fps": 25, "frames": 250, "seconds": 10}
    item = {"pack": pack, "kind": STRATEGY, "text": "?", "answer_kind": "yes-no", "options": ["yes", "no"]}
    clips = [
        Clip(key=key, sha256=sha256(f"{name}/{key}".encode()).hexdigest(), **clip) for place, key in enumerate(keys)
    ]
    items = [
        Item(key=key, public_id=f"{name[:4]}{place:08}", expected=plan[place][2], **item)
        for place, key in enumerate(keys)
    ]
    Clip.objects.bulk_create(clips, batch_size=500)
    Item.objects.bulk_create(items, batch_size=500)
    ItemMedia.objects.bulk_create([ItemMedia(item=i, clip=c) for i, c in zip(items, clips, strict=True)])
    make_facets(items, [test for test, _, _ in plan])
    return pack, items


def make_facets(items, tests) -> None:
    from benchmarks.models import ItemFacet

    facets = []
    for item, test in zip(items, tests, strict=True):
        pairs = [("level", "2"), ("split", "all"), ("test", test.name), *(("concept", name) for name in test.concepts)]
        facets += [ItemFacet(item=item, name=name, value=value) for name, value in pairs]
    ItemFacet.objects.bulk_create(facets, batch_size=1000)


def make_run(pack, items, number: int) -> None:
    """Create a model with a run over all items; its accuracy grows with its number."""
    from evaluation.models import Cell, CellState, Model, ModelResponse, Reading, Run, Score

    model = Model.objects.create(slug=f"model-{number}", name=f"Model {number:02}", kind="random")
    run = Run.objects.create(
        model=model,
        pack=pack,
        strategy=STRATEGY,
        parser="grasp-paper",
        parser_version="1",
        seeds=[0],
        state="finished",
        listing="listed",
        sampler="uniform-8",
    )
    cells = [Cell(run=run, item=item, state=CellState.ANSWERED) for item in items]
    cells = Cell.objects.bulk_create(cells, batch_size=1000)
    replies = ModelResponse.objects.bulk_create([ModelResponse(cell=cell, raw="yes") for cell in cells], batch_size=500)
    answers = [
        item.expected if (place * 37 + number * 11) % 100 < 40 + number else "no" for place, item in enumerate(items)
    ]
    readings = [
        Reading(response=reply, parser="grasp-paper", version="1", answer=answer)
        for reply, answer in zip(replies, answers, strict=True)
    ]
    readings = Reading.objects.bulk_create(readings, batch_size=1000)
    Score.objects.bulk_create(
        [
            Score(reading=reading, value=float(answer == item.expected))
            for reading, answer, item in zip(readings, answers, items, strict=True)
        ],
        batch_size=1000,
    )


def timed(address: str):
    """Request a page through the whole site; return server time in milliseconds and the response."""
    from django.test import Client

    client = Client()
    started = time.perf_counter()
    answer = client.get(address)
    return 1000 * (time.perf_counter() - started), answer


def queries_of(address: str) -> int:
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as queries:
        Client().get(address)
    return len(queries)


def measure() -> list[dict]:
    """Measure pages cold (no cached bodies, but templates loaded, as in a running process) and warm."""
    from django.core.cache import cache
    from django.test import Client

    Client().get("/leaderboard/grasp/?level=1")
    cold = []
    for _ in range(5):
        cache.clear()
        cold.append(timed(ADDRESS)[0])
    cache.clear()
    cold_queries = queries_of(ADDRESS)
    warm = [timed(ADDRESS)[0] for _ in range(WARM)]
    plain = [timed(PLAIN)[0] for _ in range(WARM)]
    size = len(timed(ADDRESS)[1].content)
    found = {
        "warm_ms": round(statistics.median(warm), 2),
        "cold_ms": round(statistics.median(cold), 1),
        "bytes": size,
        "queries_cold": cold_queries,
        "queries_warm": queries_of(ADDRESS),
        "plain_page_ms": round(statistics.median(plain), 2),
    }
    found["times_a_plain_page"] = round(found["warm_ms"] / found["plain_page_ms"], 1)
    found["ok"] = found["warm_ms"] < WARM_LIMIT and found["cold_ms"] < COLD_LIMIT and size < SIZE_LIMIT
    return [found]


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        set_up(folder)
        from django.conf import settings
        from django.db import transaction

        settings.ALLOWED_HOSTS = ["*"]
        settings.DEBUG = False
        started = time.perf_counter()
        with transaction.atomic():
            pack, items = make_items()
            for number in range(RUNS):
                make_run(pack, items, number)
        made = time.perf_counter()
        from leaderboard.standings.refresh import refresh

        refresh()
        computed = time.perf_counter()
        report = {"responses": RUNS * len(items), "made_s": round(made - started, 1)}
        print(json.dumps(report | {"standings_s_a_run": round((computed - made) / RUNS, 3)}), flush=True)
        results = measure()
        for result in results:
            print(json.dumps(result), flush=True)
    return 0 if all(result["ok"] for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
