"""A model server that waits as one bound by its card does, and notices whoever asks for an answer that is stored."""

import hashlib
import re
import threading
import time
from collections import Counter
from collections.abc import Iterable

import psycopg

from evaluation.adapters.openai.adapter import SEEDS
from evaluation.prompting.requests import seed_of
from tests.evaluation.fault_server import Handler, completion

STORED = """SELECT count(*) FROM evaluation_modelresponse r JOIN evaluation_cell c ON c.id = r.cell_id
JOIN benchmarks_item i ON i.id = c.item_id WHERE c.run_id = %s AND i.public_id = %s AND c.seed = %s"""
Question = tuple[str, int]  # id of the item, the run's seed


class WaitingModel:
    """Replies after so many seconds, to the same question always the same. `asked_in_vain` must stay empty."""

    def __init__(self, database: str, seeds: Iterable[int], seconds: float) -> None:
        self.database, self.seeds, self.seconds = database, tuple(seeds), seconds
        self._lock = threading.Lock()
        self.begin()

    def begin(self) -> None:
        """Forget the last run; the next one is named once it is known."""
        self.run: int | None = None
        self.times: list[float] = []  # of requests, and of their replies
        self.requests, self.asked_in_vain = Counter[Question](), list[Question]()

    def __call__(self, handler: Handler) -> None:
        question = self._question(handler)
        with self._lock:
            self.requests[question] += 1
            self.times.append(time.monotonic())
            is_again = self.requests[question] > 1
        if is_again and self._is_stored(question):
            self.asked_in_vain.append(question)
        time.sleep(self.seconds)
        handler.send(completion(reply_to(question)))
        self.times.append(time.monotonic())
        handler.server.seen.clear()  # with the frames of each request

    def _question(self, handler: Handler) -> Question:
        key = re.search(r"\[(\d+(?:yes|no))\]", handler.said)
        assert key, handler.said
        seed = handler.body["seed"]
        return key[1], next(one for one in self.seeds if seed_of(one, key[1]) % SEEDS == seed)

    def _is_stored(self, question: Question) -> bool:
        with psycopg.connect(self.database) as database:
            found = database.execute(STORED, [self.run, *question]).fetchone()
        return bool(found and found[0])


def reply_to(question: Question) -> str:
    return ("Yes", "No")[hashlib.sha256(repr(question).encode()).digest()[0] % 2]
