"""Ten concurrent uploads of 40,000 rows, and the board's response time meanwhile, on the site as `serve` runs it.

`python -m tools.bench.submissions.concurrent_uploads` prints one JSON object; its data are in a temporary folder.
Target: the board's 95th percentile under 300 ms while the files arrive and are checked.
"""

import statistics
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx

from tools.bench.load.clients import Timings, file_of, send_one
from tools.bench.load.fixtures import make_board, make_keys
from tools.bench.measure import say, set_up

UPLOADS, SEEDS, LIMIT_MS = 10, 16, 300
PAUSE = 0.1  # seconds between two requests of a reader
WITHIN = 400.0


def read_board(address: str, over: threading.Event) -> list[float]:
    """Request views that no page cache holds until it is over; return the milliseconds of each request."""
    waits: list[float] = []
    with httpx.Client(base_url=address, timeout=60) as reader:
        while not over.is_set():
            began = time.monotonic()
            reader.get(f"/leaderboard/grasp/?level=2&pack=bench&search=Model {len(waits) % 20}").raise_for_status()
            waits.append((time.monotonic() - began) * 1000)
            time.sleep(PAUSE)
    return waits


def measure(address: str, keys: list[str]) -> bool:
    """Send all files at once and read the board until the last one is stored."""
    from benchmarks.models import Item
    from evaluation.models import Upload

    ids = list(Item.objects.values_list("public_id", flat=True))
    contents = [file_of(number, ids, pack="bench", seeds=SEEDS) for number in range(len(keys))]
    waits, over = list[float](), threading.Event()
    reader = threading.Thread(target=lambda: waits.extend(read_board(address, over)))
    reader.start()
    facts = send_all(address, keys, contents)
    over.set()
    reader.join()
    states = sorted(Upload.objects.values_list("state", flat=True))
    p95 = statistics.quantiles(waits, n=20)[-1]
    board = {"p50": statistics.median(waits), "p95": p95, "max": max(waits)}
    return say(
        p95 < LIMIT_MS and states == ["stored"] * len(keys),
        what="ten uploads at once",
        rows_each=contents[0].count(b"\n") - 1,
        states=sorted(set(states)),
        looks=len(waits),
        **{f"board_{name}_ms": round(value) for name, value in board.items()},
        limit_ms=LIMIT_MS,
        **facts,
    )


def send_all(address: str, keys: list[str], contents: list[bytes]) -> dict[str, float]:
    """Seconds until the last sender was answered, and until all files were stored."""
    from evaluation.models import Upload

    clock, began = Timings(), time.monotonic()
    with ThreadPoolExecutor(len(keys)) as pool:
        list(pool.map(send_one, [address] * len(keys), keys, contents, [clock] * len(keys)))
    while Upload.objects.filter(ended_at=None).exists() and time.monotonic() - began < WITHIN:
        time.sleep(1)
    stored = time.monotonic() - began
    return {"sender_waits_s": round(max(clock.times["submission"]), 1), "all_stored_s": round(stored, 1)}


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        set_up(folder)
        make_board()
        keys = make_keys(UPLOADS)
        from tests.site import running_site

        with running_site(Path(folder)) as site:
            with suppress(httpx.HTTPError):
                httpx.get(f"{site.address}/leaderboard/grasp/?level=2&pack=bench", timeout=60)
            return 0 if measure(site.address, keys) else 1


if __name__ == "__main__":
    sys.exit(main())
