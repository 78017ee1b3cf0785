"""Test data of a million responses: 40 models with six strategies on packs of official size, and a human study.

`DATABASE_URL=… DATA_DIR=… python -m tools.bench.board.million [MODELS]` loads them into an empty database, SQLite or
PostgreSQL. Rows are inserted in bulk into the site's tables under all constraints, every response with its cell,
reading and score: by COPY on PostgreSQL, by prepared inserts on SQLite. All answers are random, so they are no result.
"""

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tools.bench.board.bulk_rows import Table
from tools.bench.board.million_packs import Packs, Question, causes, grounding, physics
from tools.bench.measure import say, start_django

MODELS = 40
SHEETS, REPLICATES = 120, 3
SEED = 20240


@dataclass(frozen=True)
class Way:
    """One strategy with its pack, parser and questions."""

    strategy: str
    pack: int
    parser: str
    questions: tuple[Question, ...]


class Answers:
    """Writes the rows of finished runs, one run after the other, and counts their ids."""

    def __init__(self) -> None:
        from django.db.models import Max

        from evaluation.models import Cell, ModelResponse, Reading, Score

        self.cells = Table(Cell, "run_id", "item_id", "seed", "state")
        self.responses = Table(ModelResponse, "cell_id", "raw")
        self.readings = Table(Reading, "response_id", "parser", "version", "answer", "problem")
        self.scores = Table(Score, "reading_id", "value")
        tables = (Cell, ModelResponse, Reading, Score)
        self.next = 1 + max(table.objects.aggregate(Max("pk"))["pk__max"] or 0 for table in tables)

    def write(self, run: Any, to_ask: Sequence[Question], skill: float, seeds: Sequence[int] | None = None) -> None:
        """Write a reply to each question and seed: right with probability `skill`, more on easy clips; 1 % unparsed.

        `seeds` selects some of the run's seeds if the others are written already; default: all.
        """
        import numpy as np

        wanted = list(run.seeds if seeds is None else seeds)
        questions, every = list(to_ask) * len(wanted), [seed for seed in wanted for _ in to_ask]
        rng = np.random.default_rng([SEED, run.pk, *(seeds or ())])
        ease = np.random.default_rng(SEED).normal(0, 0.15, 1 + max(one.clip for one in questions))
        clips = np.array([one.clip for one in questions])
        is_right = rng.random(len(questions)) < np.clip(skill + ease[clips], 0, 1)
        is_unread = rng.random(len(questions)) < 0.01
        rows = [
            ("", "unread", 0.0) if unread else (one.expected, "", 1.0) if right else (one.other, "", 0.0)
            for one, right, unread in zip(questions, is_right.tolist(), is_unread.tolist(), strict=True)
        ]
        ids, reader = range(self.next, self.next + len(rows)), (run.parser, run.parser_version)
        cells = zip(ids, questions, every, strict=True)
        self.cells.write((pk, run.pk, one.pk, seed, "answered") for pk, one, seed in cells)
        self.responses.write((pk, pk, row[0] or "I see a ball.") for pk, row in zip(ids, rows, strict=True))
        self.readings.write((pk, pk, *reader, *row[:2]) for pk, row in zip(ids, rows, strict=True))
        self.scores.write((pk, pk, row[2]) for pk, row in zip(ids, rows, strict=True))
        self.next += len(rows)


def ways() -> list[Way]:
    """Write the packs and return the six strategies with their questions."""
    packs = Packs()
    level_1 = list(grounding())
    grasp, of_grasp = packs.write("grasp", [*level_1, *physics(1 + level_1[-1].clip)])
    craft, of_craft = packs.write("craft", list(causes()))
    pairs = [(name, grasp, "grasp-paper", of_grasp["binary"]) for name in ("binary", "binary-cot", "binary-oneshot")]
    pairs.append(("plausibility", grasp, "grasp-paper", of_grasp["plausibility"]))
    pairs += [(name, craft, "craft-vocabulary", of_craft["question"]) for name in ("craft", "craft-cot")]
    return [Way(*one) for one in pairs]


def make_runs(found: list[Way], models: int) -> int:
    """Write the runs of so many models and return the number of responses."""
    from django.db import transaction

    from evaluation.models import Listing, Model, Run, RunState

    answers, common = Answers(), {"parser_version": "1", "seeds": [0], "sampler": "uniform-8", "answers_version": 1}
    common |= {"state": RunState.FINISHED, "listing": Listing.LISTED}
    for number in range(models):
        with transaction.atomic():
            model = Model.objects.create(slug=f"model-{number}", name=f"Model {number:02}", kind="random")
            for way in found:
                own = {"model": model, "pack_id": way.pack, "strategy": way.strategy, "parser": way.parser}
                answers.write(Run.objects.create(**own, **common), way.questions, 0.42 + 0.5 * number / models)
    return answers.next - 1


def make_people(pack: int, questions: Sequence[Question]) -> int:
    """Write a closed study of 120 people, 40 clips a test, three judgments a clip; return the number of judgments."""
    import numpy as np
    from django.db import transaction

    from benchmarks.models import ItemFacet
    from humantrials.models import Judgment, Slot, Trial, TrialState

    human = ItemFacet.objects.filter(name="split", value="human", item__pack=pack)
    sampled = set(human.values_list("item_id", flat=True))
    slots = [(one, replicate) for one in questions if one.pk in sampled for replicate in range(REPLICATES)]
    # An item's slots go to different sheets, so nobody sees an item twice.
    slots.sort(key=lambda slot: (slot[1], slot[0].pk))
    is_right = np.random.default_rng(SEED).random(len(slots)) < 0.8
    with transaction.atomic():
        known = {"slug": "people", "title": "People", "protocol": "grasp-plausibility", "pack_id": pack}
        trial = Trial.objects.create(**known, state=TrialState.CLOSED, answers_version=1)
        people, sheets = _seats(trial)
        rows = [
            Slot(trial=trial, sheet=sheets[n % SHEETS], item_id=one.pk, replicate=replicate, position=n // SHEETS)
            for n, (one, replicate) in enumerate(slots)
        ]
        Slot.objects.bulk_create(rows)
        said = [one.expected if right else one.other for (one, _), right in zip(slots, is_right.tolist(), strict=True)]
        common = {"trial": trial, "epoch": 0, "counts": True}
        Judgment.objects.bulk_create(
            Judgment(slot=slot, item_id=slot.item_id, participant=people[n % SHEETS], answer=answer, **common)
            for n, (slot, answer) in enumerate(zip(rows, said, strict=True))
        )
    return len(slots)


def _seats(trial: Any) -> tuple[list[Any], list[Any]]:
    """Participants who have finished, and their sheets."""
    from humantrials.models import Participant, ParticipantState, Sheet, SheetState

    people = [
        Participant(trial=trial, token=f"token-{n}", code=f"code-{n}", state=ParticipantState.FINISHED)
        for n in range(SHEETS)
    ]
    Participant.objects.bulk_create(people)
    sheets = [Sheet(trial=trial, order=n, state=SheetState.DONE, holder=one) for n, one in enumerate(people)]
    Sheet.objects.bulk_create(sheets)
    return people, sheets


def analyse() -> None:
    """Update the planner's statistics, as the database's own maintenance does in time."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def load(models: int = MODELS) -> dict[str, Any]:
    """Write everything but the standings; return the counts and the time it took."""
    from django.db import connection, transaction

    began = time.perf_counter()
    with transaction.atomic():
        found = ways()
    facts = {"database": connection.vendor, "models": models, "responses": make_runs(found, models)}
    facts |= {"judgments": make_people(found[3].pack, found[3].questions)}
    analyse()
    return facts | {"load_s": round(time.perf_counter() - began, 1)}


if __name__ == "__main__":
    start_django()
    say(**load(int(sys.argv[1]) if len(sys.argv) > 1 else MODELS))
