"""The path of one answer: ask, parse, score, save. Read this file to learn how an answer travels.

A shard is asked as one batch in a fixed order. A worker that takes over a half-written shard asks all of it again and
writes only what is missing, so the numbers equal those of an undisturbed run. Replies that a model gives together are
written together, all or none.
"""

import itertools
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from threading import Event
from typing import Any, NamedTuple, Protocol, TypeVar

from django.db import transaction

from benchmarks.disclosure import SCORER, open_answers
from benchmarks.leasing import LeaseHeartbeat, hold
from evaluation.adapters.base import Adapter, Frames, Reply, Request
from evaluation.errors import ClipUnreadable, RunMisused, Stopped
from evaluation.models import Cell, CellState, ModelResponse, Reading, Run, Score, Shard
from evaluation.parsing import PARSERS, Parser
from evaluation.parsing.numeric_replies import margin_in
from evaluation.prompting.requests import Asking, CellRequest, cells_of, parser_context, wording_of
from evaluation.prompting.strategies import Say, find_strategy
from evaluation.queue.leases import finish, heartbeat
from evaluation.replies import read as reading_of
from evaluation.workers.stopwatch import Stopwatch
from measures.scores.parsed_answers import Parsed
from measures.scores.scoring import exact_match


class Puttable(Protocol):
    """A cell with its request: a question, or a reply that a referee judges."""

    @property
    def cell(self) -> Cell: ...

    @property
    def request(self) -> Request: ...


Put = TypeVar("Put", bound=Puttable)


class QuestionReply(NamedTuple):
    """A question with its reply and the seconds it took."""

    question: CellRequest
    reply: Reply
    seconds: float


@dataclass(frozen=True)
class CellReply:
    """A reply to one cell before it is stored: its text, the conversation and the frames shown."""

    cell: Cell
    raw: str
    turns: list[dict[str, Any]] = field(default_factory=list)
    frames: Frames | None = None  # of the item's own clip, for the film strip
    frames_hash: str = ""  # over all frames shown
    seconds: float = 0.0
    thoughts: str = ""  # of the last reply
    tokens_in: int | None = None  # for all turns
    tokens_out: int | None = None
    ended: str = ""


def answer_shard(*, lease: Shard, asking: Asking, adapter: Adapter, watch: Stopwatch, stopping: Event) -> None:
    """Ask the cells of this shard in order, and store every reply as it arrives."""
    with heartbeat(lease) as signs:
        ask_under(adapter, signs)
        cells = cells_of(lease.pk, asking.run)
        if any(cell.state == CellState.OPEN for cell in cells):
            questions = requests_of_shard(adapter, askable(cells, asking, lease, watch))
            for reply in together(replies(adapter, questions, watch)):
                with watch.during("write"):
                    store_replies(lease=lease, replies=reply)
                go_on(stopping)
        finish(lease)


def ask_under(adapter: Adapter, signs: LeaseHeartbeat) -> None:
    """Tell a model that asks many questions ahead by which lease it does so."""
    if tell := getattr(adapter, "ask_under", None):
        tell(signs)


def go_on(stopping: Event) -> None:
    """Raise between two answers if this process must stop; one whose lease is lost can't store its next reply."""
    if stopping.is_set():
        raise Stopped("this worker was asked to end")


def requests_of_shard(adapter: Adapter, questions: Iterable[Put]) -> Iterator[Put]:
    """The whole shard, or only its open cells if the adapter's replies do not depend on the batch."""
    is_whole = not getattr(adapter, "answers_alone", False)
    return (question for question in questions if is_whole or question.cell.state == CellState.OPEN)


def askable(cells: Iterable[Cell], asking: Asking, lease: Shard, watch: Stopwatch) -> Iterator[CellRequest]:
    """The questions that can be asked, each made when the model takes it, which may have to wait for its clip.

    An item whose clip can't be shown fails with the reason and is never asked.
    """
    for cell in cells:
        try:
            with watch.during("decode"):
                question = asking.question(cell)
        except (ClipUnreadable, RunMisused) as error:
            fail_cell(lease=lease, cell=cell, reason=str(error))
        else:
            yield question


def replies(adapter: Adapter, questions: Iterator[Put], watch: Stopwatch) -> Iterator[tuple[Put, Reply, float]]:
    """Each question with its reply and the seconds that the model took for it."""
    taken: deque[Put] = deque()

    def requests() -> Iterator[Request]:
        for question in questions:
            taken.append(question)
            yield question.request

    answers = adapter.answer(requests())
    while True:
        before = watch.spent("model")
        with watch.during("model"):
            reply = next(answers, None)
        if reply is None:
            break
        yield taken.popleft(), reply, watch.spent("model") - before
    for question in itertools.chain(taken, questions):
        raise ValueError(f"the model gave no reply to item {question.cell.item.public_id}")


def together(answered: Iterable[tuple[CellRequest, Reply, float]]) -> Iterator[list[QuestionReply]]:
    """Replies in groups: replies that an adapter has ready at once form one list and are written together."""
    waiting: list[QuestionReply] = []
    for reply in map(QuestionReply._make, answered):
        waiting.append(reply)
        if not reply.reply.more:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


@transaction.atomic
def store_replies(*, lease: Shard, replies: Sequence[QuestionReply]) -> None:
    """Store these replies under our lease, all or none; an existing reply of a cell stays."""
    hold(lease)
    record(
        [
            CellReply(
                each.question.cell,
                each.reply.text,
                turns_as_they_went(each.question, each.reply),
                each.question.frames,
                each.question.frames_hash,
                each.seconds,
                "".join(each.reply.thoughts[-1:]),
                each.reply.tokens_in,
                each.reply.tokens_out,
                each.reply.ended,
            )
            for each in replies
            if not each.reply.error
        ]
    )
    for each in replies:
        if each.reply.error:
            _fail(each.question.cell, each.reply.error, is_lasting=each.reply.is_lasting)


@transaction.atomic(savepoint=False)
def record(replies: Sequence[CellReply]) -> int:
    """Store, parse and score the replies to cells that are still open; return their number."""
    still_open = Cell.objects.filter(pk__in=[one.cell.pk for one in replies], state=CellState.OPEN).order_by("pk")
    taken = set(still_open.select_for_update().values_list("pk", flat=True))
    if not taken:
        return 0
    Cell.objects.filter(pk__in=taken).update(state=CellState.ANSWERED, reason="")
    responses = ModelResponse.objects.bulk_create([_response(reply) for reply in replies if reply.cell.pk in taken])
    _read_new(responses)
    Run.objects.filter(pk__in={one.cell.run_id for one in replies}).change_answers()
    return len(taken)


def _response(reply: CellReply) -> ModelResponse:
    frames = None if reply.frames and reply.frames.address else reply.frames  # frames chosen by a server are unknown
    return ModelResponse(
        cell=reply.cell,
        raw=storable(reply.raw),
        thoughts=storable(reply.thoughts),
        ended=reply.ended,
        turns=reply.turns,
        seconds=reply.seconds,
        frames_hash=reply.frames_hash,
        frame_indices=list(frames.indices) if frames else [],
        frame_times=list(frames.times) if frames else [],
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        margin=_margin(reply),
    )


def _margin(reply: CellReply) -> float | None:
    strategy = find_strategy(reply.cell.run.pack.benchmark, reply.cell.run.strategy)
    return margin_in(reply.raw, reply.cell.item.options) if strategy and strategy.by_likelihood else None


def _read_new(responses: Sequence[ModelResponse]) -> None:
    """Create the first reading of each reply; a referee's scores come later."""
    known = open_answers((response.cell.item for response in responses), to=SCORER)
    readings = [
        _reading(PARSERS[response.cell.run.parser], response, known[response.cell.item_id].expected)
        for response in responses
    ]
    scores = [
        Score(reading=reading, value=exact_match(reading.answer or None, expected))
        for reading in Reading.objects.bulk_create(readings)
        if (expected := known[reading.response.cell.item_id].expected) is not None
        and not reading.response.cell.run.referee
        and not _is_scored_apart(reading.response.cell)
    ]
    Score.objects.bulk_create(scores)


def _reading(parser: Parser, response: ModelResponse, expected: str | None) -> Reading:
    parsed = parsed_by(parser, response, expected)
    found = {"answer": parsed.answer or "", "problem": parsed.problem}
    return Reading(response=response, parser=parser.name, version=parser.version, **found)


def _is_scored_apart(cell: Cell) -> bool:
    strategy = find_strategy(cell.run.pack.benchmark, cell.run.strategy)
    return strategy is not None and strategy.is_scored_apart


def read(*, response: ModelResponse, parser: Parser, expected: str | None, referee: str = "") -> Reading:
    """Parse the stored reply with this parser and score it; an existing reading of the same version is returned."""
    new = _reading(parser, response, expected)
    found = {"answer": new.answer, "problem": new.problem}
    reading, is_new = Reading.objects.get_or_create(
        response=response, parser=new.parser, version=new.version, defaults=found
    )
    if is_new and referee:
        _carry_over(response, reading)
    elif is_new and expected is not None and not _is_scored_apart(response.cell):
        Score.objects.create(reading=reading, value=exact_match(reading.answer or None, expected))
    return reading


def _carry_over(response: ModelResponse, reading: Reading) -> None:
    """Copy the referee's scores to a new reading: it judged the reply itself, so they hold for every reading."""
    scores = Score.objects.filter(reading__response=response).exclude(referee="").order_by()
    rows = [
        Score(reading=reading, dimension=dimension, referee=by, value=value)
        for dimension, by, value in scores.values_list("dimension", "referee", "value").distinct()
    ]
    Score.objects.bulk_create(rows)


def parsed_by(parser: Parser, response: ModelResponse, expected: str | None) -> Parsed:
    """The parser's result for the reply; if it found nothing, the way the reply ended is the better reason."""
    cell = response.cell
    parsed = reading_of(parser, response.spoken, parser_context(cell.item, expected))
    if (wording := wording_of(cell.run, cell.seed)) and wording.rotated:
        return Parsed(wording.option_meant(parsed.answer, tuple(cell.item.options)), parsed.problem)
    return parsed


def fail_cell(*, lease: Shard, cell: Cell, reason: str) -> None:
    """Mark this cell as failed because its item can't be asked; the run continues."""
    with transaction.atomic():
        hold(lease)
        _fail(cell, reason)


def _fail(cell: Cell, reason: str, *, is_lasting: bool = False) -> None:
    if Cell.objects.filter(pk=cell.pk, state=CellState.OPEN).update(
        state=CellState.FAILED, reason=storable(reason)[:300], is_lasting=is_lasting
    ):
        Run.objects.filter(pk=cell.run_id).change_answers()


def turns_as_they_went(question: CellRequest, reply: Reply) -> list[dict[str, Any]]:
    """The conversation with all texts, and what each turn showed."""
    texts = zip_longest(reply.turns or (reply.text,), reply.thoughts, fillvalue="")
    turns = [
        _user_turn(part, question) if isinstance(part, Say) else model_turn(*next(texts, ("", "")))
        for part in question.conversation
    ]
    if system := question.request.system:
        turns.insert(0, {"role": "system", "text": storable(system)})
    if reply.prompt:
        turns[0]["prompt"] = storable(reply.prompt)
    return turns


def model_turn(text: str, thoughts: str = "") -> dict[str, Any]:
    """One turn of the model: its answer and, separately, its thoughts."""
    apart = {"thoughts": storable(thoughts)} if thoughts else {}
    return {"role": "model", "text": storable(text), **apart}


def _user_turn(part: Say, question: CellRequest) -> dict[str, Any]:
    frames = question.clip_frames[part.clip] if part.clip else None
    item = question.example if part.clip == "example" else question.cell.item
    if not frames:  # the prompt contains the example and its answer even if its clip is not shown
        example = {"item": item.draw_key} if item and part.clip == "example" else {}
        return {"role": "user", "text": part.text, "frames": 0, **example}
    fields: dict[str, Any] = {"frames": len(frames), "hash": frames.digest, "item": item.draw_key if item else ""}
    if sound := question.sounds.get(part.clip or ""):
        of = {"whose": sound.whose, "seconds": round(sound.audio.seconds, 3), "hash": sound.audio.digest}
        fields["sound"] = of
    return {"role": "user", "text": part.text, **fields}


def storable(text: str) -> str:
    """The text without NUL, which PostgreSQL can't store."""
    return text.replace("\x00", "\ufffd")
