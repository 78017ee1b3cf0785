"""The path of one verdict: the kept reply goes to the referee, its points become scores of the judged run.

Like an answer, a verdict is written once under the shard's lease; unlike one, a reply that can't be read is asked for
again, with another seed and some chance, before the item counts as unscored.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from threading import Event
from typing import Any

from django.db import transaction
from django.db.models import F

from evaluation.adapters.base import REPLY, Adapter, Reply, Request, Turn
from evaluation.asking import cells_of, seed_of
from evaluation.errors import RunMisused
from evaluation.leasing import Heartbeat, Lease, finish, hold
from evaluation.models import Cell, CellState, ModelResponse, Reading, Run, Score
from evaluation.recording import asked_for, fail_cell, go_on, replies, storable
from evaluation.refereeing.choosing import facts_of, rubric_of
from evaluation.refereeing.reading import PARSER, UNSCORED, VERSION, Verdict, verdict_of
from evaluation.refereeing.rubrics import ANSWER, Rubric
from evaluation.timing import Stopwatch

TRIES = 3
LATER_TEMPERATURE = 0.7  # at 0 a second try would say the same again


@dataclass(frozen=True)
class Judging:
    """One reply on its way to the referee; `number` counts the tries from 0."""

    cell: Cell
    judged: ModelResponse
    rubric: Rubric
    request: Request
    number: int = 0

    def again(self) -> "Judging":
        """The same prompt with the next try's chance."""
        number = self.number + 1
        request = replace(
            self.request, seed=seed_of(self.cell.seed, f"{self.cell.item.public_id}/try {number}"),
            temperature=self.request.temperature or LATER_TEMPERATURE,
        )  # fmt: skip
        return replace(self, request=request, number=number)


def judge_shard(*, lease: Lease, run: Run, adapter: Adapter, watch: Stopwatch, stopping: Event) -> None:
    """Ask the referee about the replies of this shard, in their order, and keep every verdict as it comes."""
    with Heartbeat(lease) as heartbeat:
        cells = cells_of(lease.shard_id)
        questions = asked_for(adapter, list(judgings(cells, run, lease))) if _has_open(cells) else []
        while questions:
            unread = []
            for question, reply, seconds in replies(adapter, questions, watch):
                verdict = verdict_of(reply.text, question.rubric)
                if verdict.problem and not reply.error and question.number + 1 < TRIES:
                    unread.append(question.again())
                else:
                    with watch.during("write"):
                        keep_verdict(lease=lease, question=question, reply=reply, verdict=verdict, seconds=seconds)
                go_on(heartbeat, stopping)
            questions = unread
        finish(lease)


def judgings(cells: Iterable[Cell], run: Run, lease: Lease) -> Iterator[Judging]:
    """What the referee is asked; an item without the facts that its rubric needs is failed with the reason."""
    cells = list(cells)
    judged = responses_of(run, [cell.item_id for cell in cells])
    for cell in cells:
        try:
            rubric = rubric_of(cell.item, run.rubric)
            response = judged[cell.item_id, cell.seed]
            prompt = rubric.fill(facts_of(cell.item, rubric) | {ANSWER: response.raw})
        except RunMisused as error:
            fail_cell(lease=lease, cell=cell, reason=str(error))
        else:
            yield Judging(cell, response, rubric, _request(cell, run, prompt))


def responses_of(run: Run, items: Any) -> dict[tuple[int, int], ModelResponse]:
    """The judged replies to these items, by item and seed."""
    found = ModelResponse.objects.filter(cell__run=run.judged_id, cell__item__in=items)
    return {(each.cell.item_id, each.cell.seed): each for each in found.select_related("cell")}


@transaction.atomic
def keep_verdict(*, lease: Lease, question: Judging, reply: Reply, verdict: Verdict, seconds: float) -> None:
    """Write what the referee said and what it gives; a cell that already has its verdict stays as it is."""
    if reply.error:
        fail_cell(lease=lease, cell=question.cell, reason=reply.error)
        return
    hold(lease)
    problem = why_unscored(verdict, tries=TRIES)
    open_cell = Cell.objects.filter(pk=question.cell.pk, state=CellState.OPEN)
    if not open_cell.update(state=CellState.ANSWERED, reason=problem):
        return
    response = ModelResponse.objects.create(
        cell=question.cell, raw=storable(reply.text), turns=_turns(question, reply), seconds=seconds
    )
    Reading.objects.create(
        response=response, parser=PARSER, version=VERSION, answer=points_told(verdict),
        problem=UNSCORED if verdict.problem else "",
    )  # fmt: skip
    _score(question, verdict)


def _score(question: Judging, verdict: Verdict) -> None:
    """The points count for every reading of the reply: the referee saw the reply itself."""
    stage = question.cell.run
    rows = scores_of(question.judged, verdict, referee=stage.model.slug)
    Score.objects.bulk_create(rows, ignore_conflicts=True)
    for pk in filter(None, (stage.pk, stage.judged_id)):  # always in this order: two workers can't lock each other out
        Run.objects.filter(pk=pk).update(answers_version=F("answers_version") + 1)


def scores_of(judged: ModelResponse, verdict: Verdict, *, referee: str) -> list[Score]:
    """A row for each reading of the judged reply and each dimension."""
    return [
        Score(reading=reading, dimension=name, referee=referee, value=value)
        for reading in judged.readings.all()
        for name, value in verdict.scores.items()
    ]


def points_told(verdict: Verdict) -> str:
    """The points in one line; '' where the reply was not read."""
    return ", ".join(f"{name} {value:.3g}" for name, value in verdict.scores.items())


def why_unscored(verdict: Verdict, *, tries: int) -> str:
    """What stands beside a reply that could not be read; '' where it was."""
    return f"{verdict.problem} ({tries} tries)"[:300] if verdict.problem else ""


def _request(cell: Cell, run: Run, prompt: str) -> Request:
    return Request(
        turns=(Turn(prompt), REPLY), seed=seed_of(cell.seed, cell.item.public_id),
        temperature=float(run.sampling["temperature"]), max_new_tokens=int(run.sampling["max_new_tokens"]),
        key=cell.item.public_id,
    )  # fmt: skip


def _turns(question: Judging, reply: Reply) -> list[dict[str, object]]:
    prompt = str(question.request.turns[0].text)  # type: ignore[union-attr]
    said: dict[str, object] = {
        "role": "model",
        "text": storable(reply.text),
        **({"ended": reply.ended} if reply.ended else {}),
    }
    asked: dict[str, object] = {"role": "user", "text": storable(prompt), "frames": 0, "try": question.number + 1}
    return [asked, said]


def _has_open(cells: Iterable[Cell]) -> bool:
    return any(cell.state == CellState.OPEN for cell in cells)
