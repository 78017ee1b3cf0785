"""Content for load tests: a board, a study, a pack for submissions, and runs."""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, chain, cycle
from typing import Any

ROWS_ON_BOARD, ITEMS_SENT = 20, 1000
SLOTS_A_CLIP = 2 * 16 * 3  # both sides of sixteen tests, three answers each
SHEET = 16
QUESTIONS = 120
VISITS = 5000  # item pages until readers start again with the first


def make_board(rows: int = ROWS_ON_BOARD, items: int | None = None) -> list[str]:
    """Create a board with a response to each item in every row; return URLs for readers, boards and items in turn."""
    from bench.board.page import make_items, make_run
    from leaderboard.standings.refresh import refresh

    pack, items_made = make_items(count=items)
    for number in range(rows):
        make_run(pack, items_made, number)
    refresh()
    board = "/leaderboard/grasp/?level=2&pack=bench"
    views = [board, board, f"{board}&sort=-overall", f"{board}&search=Model 01", "/leaderboard/grasp/"]
    return list(chain.from_iterable(zip(cycle(views), looked_at(items_made))))


def looked_at(items: Sequence[Any]) -> Iterator[str]:
    """URLs of item pages with popularity by Zipf's law."""
    rng = random.Random(1)
    ranked = rng.sample(items, len(items))
    shares = list(accumulate(1 / rank for rank in range(1, len(ranked) + 1)))
    for item in rng.choices(ranked, cum_weights=shares, k=VISITS):
        yield f"/benchmarks/grasp/items/{item.public_id}/"


def make_study(answers: int) -> int:
    """Create an open trial with room for a few more than so many answers; return the number of people it takes."""
    from tests.humantrials import crash_load

    crash_load.prepare(crash_load.Load(clips=math.ceil((answers + 10 * SHEET) / SLOTS_A_CLIP)))
    crash_load.prepare(crash_load.Load(clips=1), slug="warm", name="warm")
    return math.ceil(answers / SHEET)


def make_senders(count: int, items: int = ITEMS_SENT) -> tuple[list[str], list[str]]:
    """Create so many submitters; return their API keys and the ids of the items to answer."""
    from accounts.models import User, new_token
    from bench.board.page import make_items

    _, sent = make_items("sent", items)
    users = [User.objects.create_user(f"sender-{number}") for number in range(count)]
    return [new_token(user=user, name="load") for user in users], [item.public_id for item in sent]


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
