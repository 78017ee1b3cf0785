"""Packs of predictions that people rate by the referee's own rubric, blind to the model.

Such a pack is made from finished runs: one question per reply and dimension, answered with the rubric's points. It
stays sealed because it shows gold answers, and it has no board.
"""

import re
from collections.abc import Iterator, Sequence
from random import Random

from django.db import transaction

from benchmarks.definitions.definition import ItemRow
from benchmarks.definitions.registry import find_benchmark
from benchmarks.disclosure.seals import hide_alone
from benchmarks.models import RATING, AnswerKind, Pack
from benchmarks.packs.import_release import save_questions
from evaluation.errors import RunMisused
from evaluation.models import ModelResponse, Run, RunKind, RunState
from evaluation.referees.rubric_selection import facts_of, rubric_of
from evaluation.referees.rubrics import ANSWER, Dimension, Rubric

SEAL = "rating"
TITLES = {
    "pattern": "Pattern",
    "pred": "Next image",
    "captions": "What is seen",
    "truth": "True label",
    "attributes": "Objects in the last image",
    "actions": "Previous actions",
    ANSWER: "Prediction",
    "question": "Question",
    "expected": "Expected answer",
}
ENDS = ("Note:", "For each", "Your primary task", "Required", "Your score")  # text after a rubric's last dimension


def criterion(rubric: Rubric, dimension: Dimension) -> str:
    """The section of the rubric's prompt on this dimension, verbatim."""
    names = [r"[\s_-]*".join(map(re.escape, each.label.split())) for each in rubric.dimensions]
    own = r"[\s_-]*".join(map(re.escape, dimension.label.split()))
    heads = "|".join(rf"\d\.\s*(?:{name})" for name in names)
    ends = "|".join((heads, *map(re.escape, ENDS), r"\Z"))
    found = re.search(
        rf"\d\.\s*(?:{own})\W*(.*?)\s*(?=\n\s*(?:{ends})|(?:{'|'.join(map(re.escape, ENDS[2:]))}))",
        rubric.prompt,
        re.DOTALL,
    )
    return found[1] if found else ""


def make_ratings(*, runs: Sequence[Run], count: int, seed: int, name: str) -> Pack:
    """A pack about `count` replies, drawn evenly from these runs; raises RunMisused if they can't be rated."""
    if count < 1:
        raise RunMisused(f"count {count}: at least 1")
    for run in runs:
        if run.kind == RunKind.REFEREE or run.state != RunState.FINISHED:
            raise RunMisused(f"run {run.pk} has no finished replies to rate")
    benchmark = _benchmark_of(runs)
    replies = random_replies(runs, count, seed)
    if not replies:
        raise RunMisused("these runs have no reply")
    rows = [row for number, reply in enumerate(replies) for row in questions_about(reply, number)]
    with transaction.atomic():
        title = "Predictions to be rated"
        pack = save_questions(find_benchmark(benchmark), name=name, title=title, profile=RATING, rows=rows)
        hide_alone(pack.items.values_list("pk", flat=True), by=SEAL)
    return pack


def random_replies(runs: Sequence[Run], count: int, seed: int) -> list[ModelResponse]:
    """`count` replies, taken from the runs in turn and in random order."""
    chance = Random(seed)  # noqa: S311
    by_run = []
    for run in runs:
        own = list(ModelResponse.objects.filter(cell__run=run).order_by("cell__item__draw_key", "cell__seed"))
        chance.shuffle(own)
        by_run.append(own)
    most = max(map(len, by_run), default=0)
    in_turn = [own[place] for place in range(most) for own in by_run if place < len(own)][:count]
    chance.shuffle(in_turn)
    return in_turn


def questions_about(reply: ModelResponse, number: int) -> Iterator[ItemRow]:
    """One question per dimension; none of them reveals the model."""
    item = reply.cell.item
    rubric = rubric_of(item, reply.cell.run.rubric)
    facts = facts_of(item, rubric) | {ANSWER: reply.spoken.answer.strip() or "(nothing was said)"}
    listing = "\n\n".join(f"{title_of(rubric, fact)}: {facts[fact]}" for fact in rubric.slots.values())
    dataset = next(iter(item.facet_values("test")), "")
    for dimension in rubric.dimensions:
        yield ItemRow(
            key=f"reply {reply.pk}",
            kind=RATING,
            variant=dimension.name,
            answer_kind=AnswerKind.LABEL,
            text=f"{dimension.label}\n\n{criterion(rubric, dimension)}\n\n{listing}",
            expected=None,
            options=tuple(str(points) for points in range(dimension.highest + 1)),
            facets={"test": (dataset,), "prediction": (f"prediction {number:05}",), "dimension": (dimension.name,)},
        )


def title_of(rubric: Rubric, fact: str) -> str:
    """The title before a fact, with the punctuation that the rubric uses."""
    sign = "<A>" if fact == ANSWER else "<P>"
    return f"{TITLES[fact]} {sign}" if sign in rubric.prompt else TITLES[fact]


def reply_of(key: str) -> int:
    """The primary key of the reply that the question is about."""
    return int(key.removeprefix("reply "))


def _benchmark_of(runs: Sequence[Run]) -> str:
    found = {run.pack.benchmark for run in runs}
    if len(found) != 1:
        raise RunMisused(f"name runs of one benchmark; these are of {', '.join(sorted(found)) or 'none'}")
    return found.pop()
