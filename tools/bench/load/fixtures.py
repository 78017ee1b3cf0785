"""Content for load tests: a board, a study, a pack for submissions, and runs."""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, chain, cycle
from typing import Any

from tools.bench.board.million import Answers, Packs, Way, make_run, physics

ROWS_ON_BOARD, ITEMS_ON_BOARD, ITEMS_SENT = 20, 2500, 1000
SLOTS_A_CLIP = 2 * 16 * 3  # both sides of sixteen tests, three answers each
SHEET = 16
QUESTIONS = 120
VISITS = 5000  # item pages until readers start again with the first


def make_items(name: str, count: int) -> tuple[Way, list[str]]:
    """A pack of so many Level-2 items, evenly of all tests, each with its own clip; returns the ids, too."""
    from benchmarks.models import Item

    every = list(physics(0))
    items = [every[place * len(every) // count] for place in range(count)]
    pack, questions = Packs().write("grasp", items, name)
    way = Way("plausibility", pack, "grasp-paper", questions["plausibility"])
    return way, list(Item.objects.filter(pack=pack).order_by("pk").values_list("public_id", flat=True))


def make_board(rows: int = ROWS_ON_BOARD, items: int | None = None) -> list[str]:
    """Create a board with a response to each item in every row; return URLs for readers, boards and items in turn."""
    from leaderboard.standings.refresh import refresh

    way, ids = make_items("bench", items or ITEMS_ON_BOARD)
    for number in range(rows):
        make_run(Answers(), way, number, of=rows)
    refresh()
    board = "/leaderboard/grasp/?level=2&pack=bench"
    views = [board, board, f"{board}&sort=-overall", f"{board}&search=Model 01", "/leaderboard/grasp/"]
    return list(chain.from_iterable(zip(cycle(views), looked_at(ids))))


def looked_at(ids: Sequence[str]) -> Iterator[str]:
    """URLs of item pages with popularity by Zipf's law."""
    rng = random.Random(1)
    ranked = rng.sample(ids, len(ids))
    shares = list(accumulate(1 / rank for rank in range(1, len(ranked) + 1)))
    for public_id in rng.choices(ranked, cum_weights=shares, k=VISITS):
        yield f"/benchmarks/grasp/items/{public_id}/"


def make_study(answers: int) -> None:
    """Create an open trial with room for a few more than so many answers."""
    from tests.humantrials import crash_load

    crash_load.prepare(crash_load.Load(clips=math.ceil((answers + 10 * SHEET) / SLOTS_A_CLIP)))
    crash_load.prepare(crash_load.Load(clips=1), slug="warm", name="warm")


def make_senders(count: int, items: int = ITEMS_SENT) -> tuple[list[str], list[str]]:
    """Create so many submitters; return their API keys and the ids of the items to answer."""
    return make_keys(count), make_items("sent", items)[1]


def make_keys(count: int) -> list[str]:
    """Create so many submitters and return their API keys."""
    from accounts.models import User, new_token

    users = [User.objects.create_user(f"sender-{number}") for number in range(count)]
    return [new_token(user=user, name="load") for user in users]


def make_questions(seconds: float, items: int = QUESTIONS) -> Callable[[int], Any]:
    """A function that starts a run for a number, whose model takes so many seconds for each question."""
    from evaluation.runs.lifecycle import start_run
    from tests.factories import make_item, make_model, make_pack

    pack = make_pack(name="asked")
    for number in range(items):
        make_item(pack, expected="yes" if number % 3 else "no")
    model = make_model(slug="slow", kind="scripted", options={"seconds": seconds})

    def start(number: int) -> Any:
        return start_run(model=model, pack=pack, strategy="binary", condition="question-only", seeds=(number,))

    return start
