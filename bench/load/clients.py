"""Readers and submitters at a fixed rate; times are measured from the moment when a request was due."""

import json
import random
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import httpx

from bench.trials.timing import Timings

READERS = 16  # threads
TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # sites are asked by http; certificates would be read for each client


def at_pace(rate: float, seconds: float, threads: int, act: Callable[[int, float], None], seed: int = 1) -> None:
    """Call `act(number, due)` at this rate for so many seconds, at the moments of a Poisson process."""
    rng, due, moments = random.Random(seed), time.perf_counter(), []
    end = due + seconds
    while (due := due + rng.expovariate(rate)) < end:
        moments.append(due)
    numbered, lock = iter(enumerate(moments)), threading.Lock()

    def work() -> None:
        while True:
            with lock:
                number, moment = next(numbered, (0, 0.0))
            if not moment:
                return
            time.sleep(max(0.0, moment - time.perf_counter()))
            act(number, moment)

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def read(base: str, addresses: Sequence[str], rate: float, seconds: float, clock: Timings) -> None:
    """Request these pages at this rate, timing boards and items separately."""
    limits = httpx.Limits(max_connections=READERS)
    with httpx.Client(base_url=base, timeout=60, limits=limits, verify=TLS) as reader:

        def look(number: int, due: float) -> None:
            address = addresses[number % len(addresses)]
            try:
                status = reader.get(address).status_code
            except httpx.HTTPError as error:
                clock.fail(f"GET {address}: {error!r}")
                return
            clock.note("board" if address.startswith("/leaderboard/") else "item", time.perf_counter() - due)
            if status != 200:
                clock.fail(f"GET {address}: status {status}")

        at_pace(rate, seconds, READERS, look)


@dataclass
class Sent:
    """Number of tried submissions, and those that the site acknowledged: submission -> rows."""

    acknowledged: dict[str, int] = field(default_factory=dict)
    tried: int = 0


def file_of(number: int, ids: Sequence[str]) -> bytes:
    header = {
        "benchmark": "grasp",
        "pack": "sent",
        "model": f"Sent {number}",
        "strategy": "plausibility",
        "condition": "video",
        "split": "all",
    }
    rows = ({"item": each, "reply": "Yes, it is." if place % 2 else "No."} for place, each in enumerate(ids))
    return "".join(json.dumps(record) + "\n" for record in (header, *rows)).encode()


def send_one(base: str, key: str, number: int, ids: Sequence[str], sent: Sent, clock: Timings) -> bool:
    """Send one submission; return whether it was acknowledged."""
    files, headers = {"file": ("answers.jsonl", file_of(number, ids))}, {"Authorization": f"Token {key}"}
    began = time.perf_counter()
    sent.tried += 1
    try:
        answer = httpx.post(f"{base}/api/v1/submissions/", files=files, headers=headers, timeout=120, verify=TLS)
    except httpx.HTTPError as error:
        clock.fail(f"POST submissions: {error!r}")
        return False
    if answer.status_code not in (201, 202):
        clock.fail(f"POST submissions: status {answer.status_code} {answer.text[:100]}")
        return False
    clock.note("submission", time.perf_counter() - began)
    sent.acknowledged[f"Sent {number}"] = len(ids)
    return True


def send(base: str, keys: Sequence[str], ids: Sequence[str], every: float, clock: Timings, sent: Sent) -> None:
    """Send one submission with each key, at even intervals."""
    began = time.perf_counter()
    for number, key in enumerate(keys):
        time.sleep(max(0.0, began + number * every - time.perf_counter()))
        send_one(base, key, number, ids, sent, clock)
