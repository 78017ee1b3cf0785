"""Content for load tests: a board, a study, a pack for submissions, and runs."""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from itertools import accumulate, chain, cycle
from typing import Any

CLIPS_A_TEST, STRATEGY = 78, "plausibility"
ROWS_ON_BOARD, ITEMS_SENT = 20, 1000
SLOTS_A_CLIP = 2 * 16 * 3  # both sides of sixteen tests, three answers each
SHEET = 16
QUESTIONS = 120
VISITS = 5000  # item pages until readers start again with the first


def make_items(name: str = "bench", count: int | None = None) -> tuple[Any, list[Any]]:
    """Create 2,500 Level-2 items on 16 tests, or the first `count`, each with its own clip."""
    from benchmarks.definitions.papers.grasp_tests import LEVEL_2
    from benchmarks.disclosure.readers import Answer, store_answers
    from benchmarks.models import Clip, Item, ItemFacet, ItemMedia, Pack

    about = {"benchmark": "grasp", "origin": "generated", "manifest_hash": "0" * 64}
    pack = Pack.objects.create(name=name, title=name.title(), **about)
    plan = [(test, number, answer) for test in LEVEL_2 for number in range(CLIPS_A_TEST) for answer in ("yes", "no")]
    clip = {"pack": pack, "width": 320, "height": 240, "fps": 25, "frames": 250, "seconds": 10}
    item = {"pack": pack, "kind": STRATEGY, "text": "?", "answer_kind": "yes-no", "options": ["yes", "no"]}
    clips, items, facets = [], [], []
    for place, (test, number, answer) in enumerate(plan[:count]):
        key = f"{test.name}/{answer}/{number}"
        clips.append(Clip(key=key, sha256=sha256(f"{name}/{key}".encode()).hexdigest(), **clip))
        items.append(Item(key=key, public_id=f"{name[:4]}{place:08}", **item))
        own = [
            ("level", "2"),
            ("split", "all"),
            ("test", test.name),
            *(("concept", concept) for concept in test.concepts),
        ]
        facets += [ItemFacet(item=items[-1], name=facet, value=value) for facet, value in own]
    Clip.objects.bulk_create(clips, batch_size=500)
    Item.objects.bulk_create(items, batch_size=500)
    store_answers({item.pk: Answer(answer) for item, (_test, _number, answer) in zip(items, plan, strict=False)})
    ItemMedia.objects.bulk_create([ItemMedia(item=i, clip=c) for i, c in zip(items, clips, strict=True)])
    ItemFacet.objects.bulk_create(facets, batch_size=1000)
    return pack, items


def make_run(pack: Any, items: Sequence[Any], number: int) -> None:
    """Create a model with a run over all items; its accuracy grows with its number."""
    from benchmarks.disclosure import SCORER, open_answers
    from evaluation.models import Cell, CellState, Model, ModelResponse, Reading, Run, Score

    model = Model.objects.create(slug=f"model-{number}", name=f"Model {number:02}", kind="random")
    how = {"strategy": STRATEGY, "parser": "grasp-paper", "parser_version": "1", "seeds": [0], "sampler": "uniform-8"}
    run = Run.objects.create(model=model, pack=pack, state="finished", listing="listed", **how)
    cells = Cell.objects.bulk_create([Cell(run=run, item=item, state=CellState.ANSWERED) for item in items])
    replies = ModelResponse.objects.bulk_create([ModelResponse(cell=cell, raw="yes") for cell in cells])
    readings, scores = [], []
    known = open_answers(items, to=SCORER)
    for place, (reply, item) in enumerate(zip(replies, items, strict=True)):
        expected = known[item.pk].expected or ""
        answer = expected if (place * 37 + number * 11) % 100 < 40 + number else "no"
        readings.append(Reading(response=reply, parser="grasp-paper", version="1", answer=answer))
        scores.append(Score(reading=readings[-1], value=float(answer == expected)))
    Reading.objects.bulk_create(readings, batch_size=1000)
    Score.objects.bulk_create(scores, batch_size=1000)


def make_board(rows: int = ROWS_ON_BOARD, items: int | None = None) -> list[str]:
    """Create a board with a response to each item in every row; return URLs for readers, boards and items in turn."""
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


def make_study(answers: int) -> None:
    """Create an open trial with room for a few more than so many answers."""
    from tests.humantrials import crash_load

    crash_load.prepare(crash_load.Load(clips=math.ceil((answers + 10 * SHEET) / SLOTS_A_CLIP)))
    crash_load.prepare(crash_load.Load(clips=1), slug="warm", name="warm")


def make_senders(count: int, items: int = ITEMS_SENT) -> tuple[list[str], list[str]]:
    """Create so many submitters; return their API keys and the ids of the items to answer."""
    _, sent = make_items("sent", items)
    return make_keys(count), [item.public_id for item in sent]


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
