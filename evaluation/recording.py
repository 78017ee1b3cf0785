"""The path of one answer: ask, read, score, save. Read this file to learn how an answer travels.

A shard is asked as one batch in one fixed order. A worker that takes over a half-written shard asks all of it again
and writes only what is missing, so that numbers equal those of an undisturbed run. Replies that a model gives together
are written together, all of them or none.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Any, NamedTuple, Protocol, TypeVar

from django.db import transaction
from django.db.models import F

from evaluation.adapters.base import Adapter, Frames, Reply, Request
from evaluation.ahead import decode_together
from evaluation.asking import Asking, Question, asked_of, cells_of
from evaluation.errors import ClipUnreadable, RunMisused, Stopped
from evaluation.leasing import Heartbeat, Lease, finish, hold
from evaluation.models import Cell, CellState, ModelResponse, Reading, Run, Score
from evaluation.parsing import PARSERS, Parser
from evaluation.prompting import Say
from evaluation.timing import Stopwatch
from measures.answers import UNREAD, Parsed
from measures.scoring import exact_match


class Puttable(Protocol):
    """A cell and the request made of it: a question, or a reply that is put to a referee."""

    @property
    def cell(self) -> Cell: ...

    @property
    def request(self) -> Request: ...


Put = TypeVar("Put", bound=Puttable)


class Given(NamedTuple):
    """A question that was put, with its reply and the seconds that it took."""

    question: Question
    reply: Reply
    seconds: float


@dataclass(frozen=True)
class Heard:
    """What was said to one cell, before it is kept: word for word, with the conversation and the frames shown."""

    cell: Cell
    raw: str
    turns: list[dict[str, Any]] = field(default_factory=list)
    frames: Frames | None = None  # of the item's own clip, for the film strip
    frames_hash: str = ""  # over all that was shown
    seconds: float = 0.0


def answer_shard(*, lease: Lease, asking: Asking, adapter: Adapter, watch: Stopwatch, stopping: Event) -> None:
    """Ask the cells of this shard, in their order, and keep every reply as it comes."""
    with Heartbeat(lease) as heartbeat:
        cells = cells_of(lease.shard_id)
        if any(cell.state == CellState.OPEN for cell in cells):
            with watch.during("decode"):
                decode_together((clip for cell in cells for clip in asking.clips(cell)), asking.run.sampler)
                questions = asked_for(adapter, list(askable(cells, asking, lease)))
            for given in together(replies(adapter, questions, watch)):
                with watch.during("write"):
                    keep_replies(lease=lease, given=given)
                go_on(heartbeat, stopping)
        finish(lease)


def go_on(heartbeat: Heartbeat, stopping: Event) -> None:
    """Between two answers: raises when the lease is gone or this process was asked to end."""
    heartbeat.check()
    if stopping.is_set():
        raise Stopped("this worker was asked to end")


def asked_for(adapter: Adapter, questions: list[Put]) -> list[Put]:
    """The whole shard, or, where no reply hangs on the others of its batch, what has no answer yet."""
    if getattr(adapter, "answers_alone", False):
        return [question for question in questions if question.cell.state == CellState.OPEN]
    return questions


def askable(cells: Iterable[Cell], asking: Asking, lease: Lease) -> Iterator[Question]:
    """The questions that can be put; an item whose clip can't be shown is failed with the reason, never asked blind."""
    for cell in cells:
        try:
            yield asking.question(cell)
        except (ClipUnreadable, RunMisused) as error:
            fail_cell(lease=lease, cell=cell, reason=str(error))


def replies(adapter: Adapter, questions: list[Put], watch: Stopwatch) -> Iterator[tuple[Put, Reply, float]]:
    """Each question with its reply and the seconds that it took."""
    answers = adapter.answer([question.request for question in questions])
    for question in questions:
        before = time.monotonic()
        with watch.during("model"):
            reply = next(answers, None)
        if reply is None:
            raise ValueError(f"the model gave no reply to item {question.request.key}")
        yield question, reply, time.monotonic() - before


def together(answered: Iterable[tuple[Question, Reply, float]]) -> Iterator[list[Given]]:
    """Replies as they come; those that an adapter has at hand at once are one list, so that they cost one write."""
    waiting: list[Given] = []
    for given in map(Given._make, answered):
        waiting.append(given)
        if not given.reply.more:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


@transaction.atomic
def keep_replies(*, lease: Lease, given: Sequence[Given]) -> None:
    """Write these under our lease, all or none; a cell that already has its reply stays as it is."""
    hold(lease)
    record([
        Heard(each.question.cell, each.reply.text, turns_as_they_went(each.question, each.reply),
              each.question.frames, each.question.frames_hash, each.seconds)
        for each in given if not each.reply.error
    ])  # fmt: skip
    for each in given:
        if each.reply.error:
            _fail(each.question.cell, each.reply.error)


@transaction.atomic(savepoint=False)
def record(heard: Sequence[Heard]) -> int:
    """Keep what was said to each of these cells, read it and score it; how many had no reply yet."""
    still_open = Cell.objects.filter(pk__in=[one.cell.pk for one in heard], state=CellState.OPEN).order_by("pk")
    taken = set(still_open.select_for_update().values_list("pk", flat=True))
    if not taken:
        return 0
    Cell.objects.filter(pk__in=taken).update(state=CellState.ANSWERED, reason="")
    responses = ModelResponse.objects.bulk_create([_response(one) for one in heard if one.cell.pk in taken])
    _read_new(responses)
    Run.objects.filter(pk__in={one.cell.run_id for one in heard}).update(answers_version=F("answers_version") + 1)
    return len(taken)


def _response(heard: Heard) -> ModelResponse:
    frames = heard.frames
    return ModelResponse(
        cell=heard.cell, raw=storable(heard.raw), turns=heard.turns, seconds=heard.seconds,
        frames_hash=heard.frames_hash,
        frame_indices=list(frames.indices) if frames else [], frame_times=list(frames.times) if frames else [],
    )  # fmt: skip


def _read_new(responses: Sequence[ModelResponse]) -> None:
    """The first reading of each; where a referee scores, the points come later."""
    readings = [_reading(PARSERS[response.cell.run.parser], response) for response in responses]
    scores = [
        Score(reading=reading, value=exact_match(reading.answer or None, reading.response.cell.item.expected))
        for reading in Reading.objects.bulk_create(readings)
        if _is_scored_by_rule(reading.response.cell)
    ]
    Score.objects.bulk_create(scores)


def _reading(parser: Parser, response: ModelResponse) -> Reading:
    parsed = parsed_by(parser, response)
    return Reading(response=response, parser=parser.name, version=parser.version, answer=parsed.answer or "",
                   problem=parsed.problem)  # fmt: skip


def _is_scored_by_rule(cell: Cell) -> bool:
    return cell.item.expected is not None and not cell.run.referee


def read(*, response: ModelResponse, parser: Parser, referee: str = "") -> Reading:
    """Read the kept reply with this parser and score it; an earlier reading of the same version is given back."""
    item = response.cell.item
    parsed = parsed_by(parser, response)
    reading, is_new = Reading.objects.get_or_create(
        response=response, parser=parser.name, version=parser.version,
        defaults={"answer": parsed.answer or "", "problem": parsed.problem},
    )  # fmt: skip
    if is_new and referee:
        _carry_over(response, reading)
    elif is_new and item.expected is not None:
        Score.objects.create(reading=reading, value=exact_match(parsed.answer, item.expected))
    return reading


def _carry_over(response: ModelResponse, reading: Reading) -> None:
    """A referee saw the reply itself: its points hold for every reading of it."""
    given = Score.objects.filter(reading__response=response).exclude(referee="").order_by()
    rows = [
        Score(reading=reading, dimension=dimension, referee=by, value=value)
        for dimension, by, value in given.values_list("dimension", "referee", "value").distinct()
    ]
    Score.objects.bulk_create(rows)


def parsed_by(parser: Parser, response: ModelResponse) -> Parsed:
    """What this parser makes of the reply; where it finds nothing, how the reply ended is the better reason."""
    parsed = parser.read(response.raw, asked_of(response.cell.item))
    ended = response.turns[-1].get("ended", "") if response.turns else ""
    return Parsed(None, ended) if ended and parsed.problem == UNREAD else parsed


def fail_cell(*, lease: Lease, cell: Cell, reason: str) -> None:
    """This one item can't be asked; the run goes on without it."""
    with transaction.atomic():
        hold(lease)
        _fail(cell, reason)


def _fail(cell: Cell, reason: str) -> None:
    if Cell.objects.filter(pk=cell.pk, state=CellState.OPEN).update(state=CellState.FAILED, reason=reason[:300]):
        Run.objects.filter(pk=cell.run_id).update(answers_version=F("answers_version") + 1)


def turns_as_they_went(question: Question, reply: Reply) -> list[dict[str, Any]]:
    """The conversation, word for word, with what was shown at each turn."""
    said = iter(reply.turns or (reply.text,))
    turns = [
        _said_by_us(part, question) if isinstance(part, Say) else {"role": "model", "text": storable(next(said, ""))}
        for part in question.conversation
    ]
    if reply.ended:
        turns[-1]["ended"] = reply.ended
    return turns


def _said_by_us(part: Say, question: Question) -> dict[str, Any]:
    frames = question.shown[part.clip] if part.clip else None
    item = question.example if part.clip == "example" else question.cell.item
    if not frames:  # an example is told even where its clip is not shown: its answer stands in the words
        told = {"item": item.public_id} if item and part.clip == "example" else {}
        return {"role": "user", "text": part.text, "frames": 0, **told}
    shown: dict[str, Any] = {"frames": len(frames), "hash": frames.digest, "item": item.public_id if item else ""}
    if sound := question.heard.get(part.clip or ""):
        of = {"whose": sound.whose, "seconds": round(sound.audio.seconds, 3), "hash": sound.audio.digest}
        shown["sound"] = of
    return {"role": "user", "text": part.text, **shown}


def storable(text: str) -> str:
    """PostgreSQL keeps no NUL in a text, so neither do we."""
    return text.replace("\x00", "\ufffd")
