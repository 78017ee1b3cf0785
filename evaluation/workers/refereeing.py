"""The path of one verdict: the referee gets the stored reply, and its points become scores of the judged run.

Like an answer, a verdict is written once under the shard's lease. Unlike an answer, an unparsed reply is requested
again with another seed and a higher temperature before the item counts as unscored.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from threading import Event
from typing import Any

from django.db import transaction

from benchmarks.leasing import hold
from evaluation.adapters.base import REPLY, Adapter, Reply, Request, Turn
from evaluation.errors import RunMisused
from evaluation.models import Cell, CellState, ModelResponse, Reading, Run, Score, Shard
from evaluation.prompting.requests import cells_of, seed_of
from evaluation.queue.leases import finish, heartbeat
from evaluation.referees.parse import PARSER, UNSCORED, VERSION, RefereeScores, verdict_of
from evaluation.referees.rubric_selection import facts_of, rubric_of
from evaluation.referees.rubrics import ANSWER, Rubric
from evaluation.workers.recording import ask_under, fail_cell, go_on, model_turn, replies, requests_of_shard, storable
from evaluation.workers.stopwatch import Stopwatch

TRIES = 3
LATER_TEMPERATURE = 0.7  # at 0 a second try would give the same reply


@dataclass(frozen=True)
class Judging:
    """A reply to judge, with the referee's request; `number` counts the tries from 0."""

    cell: Cell
    judged: ModelResponse
    rubric: Rubric
    request: Request
    number: int = 0

    def again(self) -> "Judging":
        """The same prompt for the next try, with another seed and some randomness."""
        number = self.number + 1
        request = replace(
            self.request,
            seed=seed_of(self.cell.seed, f"{self.cell.item.draw_key}/try {number}"),
            temperature=self.request.temperature or LATER_TEMPERATURE,
        )
        return replace(self, request=request, number=number)


def judge_shard(*, lease: Shard, run: Run, adapter: Adapter, watch: Stopwatch, stopping: Event) -> None:
    """Ask the referee about the replies of this shard in order, and store every verdict as it arrives."""
    with heartbeat(lease) as signs:
        ask_under(adapter, signs)
        cells = cells_of(lease.pk, run)
        is_open = any(cell.state == CellState.OPEN for cell in cells)
        questions = list(requests_of_shard(adapter, judgings(cells, run, lease))) if is_open else []
        while questions:
            unread = []
            for question, reply, seconds in replies(adapter, iter(questions), watch):
                verdict = verdict_of(reply.text, question.rubric)
                if verdict.problem and not reply.error and question.number + 1 < TRIES:
                    unread.append(question.again())
                else:
                    with watch.during("write"):
                        store_verdict(lease=lease, question=question, reply=reply, verdict=verdict, seconds=seconds)
                go_on(stopping)
            questions = unread
        finish(lease)


def judgings(cells: Iterable[Cell], run: Run, lease: Shard) -> Iterator[Judging]:
    """The referee's questions; an item that lacks facts for its rubric fails with the reason."""
    cells = list(cells)
    judged = responses_of(run, [cell.item_id for cell in cells])
    for cell in cells:
        try:
            rubric = rubric_of(cell.item, run.rubric)
            response = judged[cell.item_id, cell.seed]
            prompt = rubric.fill(facts_of(cell.item, rubric) | {ANSWER: response.spoken.answer})
        except RunMisused as error:
            fail_cell(lease=lease, cell=cell, reason=str(error))
        else:
            yield Judging(cell, response, rubric, _request(cell, run, prompt))


def responses_of(run: Run, items: Any) -> dict[tuple[int, int], ModelResponse]:
    """The judged replies to these items, by (item, seed)."""
    found = ModelResponse.objects.filter(cell__run=run.judged_id, cell__item__in=items)
    return {(each.cell.item_id, each.cell.seed): each for each in found.select_related("cell")}


@transaction.atomic
def store_verdict(*, lease: Shard, question: Judging, reply: Reply, verdict: RefereeScores, seconds: float) -> None:
    """Store the referee's reply and its points; an existing verdict of a cell stays."""
    if reply.error:
        fail_cell(lease=lease, cell=question.cell, reason=reply.error)
        return
    hold(lease)
    problem = why_unscored(verdict, tries=TRIES)
    open_cell = Cell.objects.filter(pk=question.cell.pk, state=CellState.OPEN)
    if not open_cell.update(state=CellState.ANSWERED, reason=problem):
        return
    response = ModelResponse.objects.create(
        cell=question.cell,
        raw=storable(reply.text),
        thoughts=storable("".join(reply.thoughts[-1:])),
        turns=_turns(question, reply),
        ended=reply.ended,
        seconds=seconds,
    )
    Reading.objects.create(response=response, parser=PARSER, version=VERSION, **reading_of(verdict))
    _score(question, verdict)


def _score(question: Judging, verdict: RefereeScores) -> None:
    """Store the points for every reading of the reply, since the referee judged the reply itself."""
    stage = question.cell.run
    rows = scores_of(question.judged, verdict, referee=stage.model.slug)
    Score.objects.bulk_create(rows, ignore_conflicts=True)
    for pk in filter(None, (stage.pk, stage.judged_id)):  # always in this order, so that two workers can't deadlock
        Run.objects.filter(pk=pk).change_answers()


def scores_of(judged: ModelResponse, verdict: RefereeScores, *, referee: str) -> list[Score]:
    """One score for each reading of the judged reply and each dimension."""
    return [
        Score(reading=reading, dimension=name, referee=referee, value=value)
        for reading in judged.readings.all()
        for name, value in verdict.scores.items()
    ]


def reading_of(verdict: RefereeScores) -> dict[str, str]:
    """Answer and problem of the reading of a referee's reply."""
    return {"answer": points_line(verdict), "problem": UNSCORED if verdict.problem else ""}


def points_line(verdict: RefereeScores) -> str:
    """The points in one line; '' if the referee's reply is unparsed."""
    return ", ".join(f"{name} {value:.3g}" for name, value in verdict.scores.items())


def why_unscored(verdict: RefereeScores, *, tries: int) -> str:
    """The reason why the referee's reply is unparsed; '' if it was parsed."""
    return f"{verdict.problem} ({tries} tries)"[:300] if verdict.problem else ""


def _request(cell: Cell, run: Run, prompt: str) -> Request:
    return Request(
        turns=(Turn(prompt), REPLY),
        seed=seed_of(cell.seed, cell.item.draw_key),
        temperature=float(run.sampling["temperature"]),
        max_new_tokens=int(run.sampling["max_new_tokens"]),
        key=cell.item.public_id,
    )


def _turns(question: Judging, reply: Reply) -> list[dict[str, object]]:
    prompt = str(question.request.turns[0].text)  # type: ignore[union-attr]
    turn: dict[str, object] = {"role": "user", "text": storable(prompt), "frames": 0, "try": question.number + 1}
    return [turn, model_turn(reply.text, *reply.thoughts[-1:])]
