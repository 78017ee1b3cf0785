"""What the mix needs: a board to read, a study to take part in, a pack to send answers to, a run to be answered."""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, chain, cycle
from typing import Any

ROWS_ON_BOARD, ITEMS_SENT = 20, 1000
SLOTS_A_CLIP = 2 * 16 * 3  # both sides of sixteen tests, three answers each
SHEET = 16
QUESTIONS = 120
VISITS = 5000  # of items, before readers begin again with the first of them


def make_board(rows: int = ROWS_ON_BOARD, items: int | None = None) -> list[str]:
    """Two and a half thousand responses a row, or so many; addresses that readers look at: a board, an item, …"""
    from bench.board import make_items, make_run
    from leaderboard.standings import refresh

    pack, asked = make_items(count=items)
    for number in range(rows):
        make_run(pack, asked, number)
    refresh()
    board = "/leaderboard/grasp/?level=2&pack=bench"
    views = [board, board, f"{board}&sort=-overall", f"{board}&search=Model 01", "/leaderboard/grasp/"]
    return list(chain.from_iterable(zip(cycle(views), looked_at(asked))))


def looked_at(items: Sequence[Any]) -> Iterator[str]:
    """Pages of items as readers choose them, most of them few and few of them often (Zipf's law)."""
    rng = random.Random(1)
    ranked = rng.sample(items, len(items))
    shares = list(accumulate(1 / rank for rank in range(1, len(ranked) + 1)))
    for item in rng.choices(ranked, cum_weights=shares, k=VISITS):
        yield f"/benchmarks/grasp/items/{item.public_id}/"


def make_study(answers: int) -> int:
    """An open trial with places for so many answers and a few more; how many people it takes."""
    from tests.humantrials import siege

    siege.prepare(siege.Load(clips=math.ceil((answers + 10 * SHEET) / SLOTS_A_CLIP)))
    siege.prepare(siege.Load(clips=1), slug="warm", name="warm")
    return math.ceil(answers / SHEET)


def make_senders(count: int, items: int = ITEMS_SENT) -> tuple[list[str], list[str]]:
    """Keys of so many people, and the ids of the items that they answer."""
    from accounts.models import User, new_token
    from bench.board import make_items

    _, sent = make_items("sent", items)
    users = [User.objects.create_user(f"sender-{number}") for number in range(count)]
    return [new_token(user=user, name="load") for user in users], [item.public_id for item in sent]


def make_questions(seconds: float, items: int = QUESTIONS) -> Callable[[int], Any]:
    """What starts a run that a worker takes so many seconds a question for; a run for each number."""
    from evaluation.runs import start_run
    from tests.factories import make_item, make_model, make_pack

    pack = make_pack(name="asked")
    for number in range(items):
        make_item(pack, expected="yes" if number % 3 else "no")
    model = make_model(slug="slow", kind="scripted", options={"seconds": seconds})

    def start(number: int) -> Any:
        return start_run(model=model, pack=pack, strategy="binary", condition="question-only", seeds=(number,))

    return start
