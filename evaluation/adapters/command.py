"""Runs a research model in its own environment: a program reads questions as JSON lines and writes answers.

docs/models.md describes the lines. A crashed program is restarted, and one that is silent for too long is
ended. Repeated failures become an error of the question or of the program.
"""

import itertools
import logging
import queue
import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from evaluation.adapters.base import Reply, Request, Turn, options_as
from evaluation.adapters.dialogue import Dialogue
from evaluation.adapters.media_encoding import FORMATS, picture_bytes, wav_bytes
from evaluation.adapters.program import ENDED, CommandOptions, Program
from evaluation.errors import ModelMisused
from evaluation.replies import reply_of
from evaluation.replies.sources import NoReply, reply_of_program

log = logging.getLogger(__name__)

CHANCES = 2  # times that the program may end at one question
IN_VAIN = 5  # consecutive ends of the program after which it is at fault, not the questions
HINT_SECONDS = 5.0  # without a first reply, after which the log says what may be wrong


@dataclass
class PendingConversation:
    """A conversation, its folder of files, and the state of its current question."""

    dialogue: Dialogue
    folder: Path
    number: str = ""  # id of the line that awaits an answer; '' = none
    late_at: float = 0.0
    crashes: int = 0


class CommandModel:
    """A model with the options of CommandOptions; the program starts with the first question and keeps running."""

    answers_alone = True

    def __init__(self, **options: Any) -> None:
        self.options = options_as(CommandOptions, options)
        self._numbers = itertools.count(1)
        self._program: Program | None = None
        self._ending: weakref.finalize[..., CommandModel] | None = None
        self._has_replied = self._ever_replied = False
        self._in_vain = self._starts = self._strays = 0
        self.description: dict[str, Any] = {
            "device": "program",
            "program": Path(self.options.words[0]).name,
            "shown": f"{self.options.image_format} files",
            "at once": self.options.at_once,
        }

    @staticmethod
    def check_options(options: Mapping[str, Any]) -> None:
        """Raise ModelMisused for wrong options, without starting the program."""
        options_as(CommandOptions, options)

    def answer(self, requests: Iterable[Request]) -> Iterator[Reply]:
        """Yield replies in the order of the requests; delete the folder of frames and sound at the end."""
        with tempfile.TemporaryDirectory(prefix="benchsite-") as place:
            all_pending = [
                PendingConversation(Dialogue(request), Path(place) / str(number))
                for number, request in enumerate(requests)
            ]
            try:
                for questions in all_pending:
                    while questions.dialogue.is_open:
                        self._hand_over(all_pending)
                        self._listen(all_pending)
                    shutil.rmtree(questions.folder, ignore_errors=True)
                    self._note()
                    yield questions.dialogue.reply()
            finally:
                if any(questions.number for questions in all_pending):
                    self._stop()  # otherwise the program would go on with abandoned questions

    def _hand_over(self, all_pending: Sequence[PendingConversation]) -> None:
        """Send waiting questions, at most `at_once` at a time; a question at which the program ended is sent alone."""
        out = [questions for questions in all_pending if questions.number]
        waiting = [questions for questions in all_pending if questions.dialogue.is_open and not questions.number]
        for questions in waiting:
            if len(out) >= self.options.at_once or any(one.crashes for one in out) or (out and questions.crashes):
                return
            program = self._running()
            questions.number = str(next(self._numbers))
            questions.late_at = time.monotonic() + self._limit()
            program.send(questions.number, self._line(questions))
            out.append(questions)

    def _listen(self, all_pending: Sequence[PendingConversation]) -> None:
        """Wait for one answer, or handle a program that ended or is late."""
        out = {questions.number: questions for questions in all_pending if questions.number}
        program = self._running()
        late_at = min(questions.late_at for questions in out.values())
        try:
            answer = self._next_answer(program, late_at)
        except queue.Empty:
            silent = program.how_it_is_silent()
            self._stop()
            self._lost(out, silent=silent)
            return
        if answer is ENDED:
            how = program.how_it_ended()
            self._stop()
            self._lost(out, how=how)
            return
        self._has_replied = self._ever_replied = True
        self._in_vain = 0
        if questions := out.get(answer["id"]):
            questions.number, questions.crashes = "", 0
            _add_reply(questions.dialogue, answer)

    def _next_answer(self, program: Program, late_at: float) -> dict[str, Any] | None:
        """The next answer; queue.Empty if it is late. A program that never replied so far is soon told about."""
        left = late_at - time.monotonic()
        if not self._has_replied and left > HINT_SECONDS:
            with suppress(queue.Empty):
                return program.answers.get(timeout=HINT_SECONDS)
            log.warning("no reply of the program for %g s: %s", HINT_SECONDS, program.how_it_is_silent())
        return program.answers.get(timeout=max(0.0, late_at - time.monotonic()))

    def _lost(self, out: Mapping[str, PendingConversation], *, how: str = "", silent: str = "") -> None:
        """Handle a lost program, which ended (`how`) or was late: retry its questions or give them an error."""
        now, limit = time.monotonic(), self._limit()
        self._in_vain += 1
        for questions in out.values():
            questions.number = ""
            questions.crashes += bool(how)
            if not how and questions.late_at <= now:
                questions.dialogue.error = f"the program gave no reply within {limit:g} s"
            elif questions.crashes >= CHANCES:
                questions.dialogue.error = f"the program ended {CHANCES} times at this question: {how}"
        if self._in_vain >= (IN_VAIN if self._ever_replied else CHANCES if how else 1):
            times = f", {self._in_vain} times in a row" if self._in_vain > 1 else ""
            raise ModelMisused(f"the program gave no reply{f' within {limit:g} s' * (not how)}{times}: {how or silent}")

    def _limit(self) -> float:
        return self.options.seconds if self._has_replied else self.options.start_seconds

    def _running(self) -> Program:
        if self._program is None:
            options = self.options
            self._program = Program(options.words, folder=options.place, variables=options.environment())
            self._ending = weakref.finalize(self, self._program.end)  # runs when this process ends, too
            self._has_replied = False
            self._starts += 1
        return self._program

    def _stop(self) -> None:
        if self._program and self._ending:
            self._note()
            self._strays += self._program.stray_count
            self._ending()
            self._program = None

    def _note(self) -> None:
        """Record on the card how often the program started and how many of its lines were no answers."""
        self.description["starts"] = self._starts
        program = self._program
        if count := self._strays + (program.stray_count if program else 0):
            self.description["lines ignored"] = count
            if program and program.strays:  # only in the log: the card is public
                log.info("of %s lines that are no answers, the last: %s", count, program.strays[-1])

    def _line(self, pending: PendingConversation) -> dict[str, Any]:
        request = pending.dialogue.request
        return {
            "id": pending.number,
            "turns": [
                self._turn_facts(pending, place, role, turn)
                for place, (role, turn) in enumerate(pending.dialogue.next_turns())
            ],
            "seed": request.seed,
            "max_new_tokens": request.max_new_tokens,
            "temperature": request.temperature,
            **{name: value for name in ("system", "template") if (value := getattr(request, name))},
            **({"options": list(request.options)} if pending.dialogue.weighs else {}),
            **({"surprise": True} if request.by_surprise else {}),
        }

    def _turn_facts(self, pending: PendingConversation, place: int, role: str, turn: Turn) -> dict[str, Any]:
        folder = pending.folder / str(place)
        form = self.options.image_format
        pictures = turn.frames.pixels if turn.frames else ()
        frames = [
            _file(folder / f"{number:03}.{FORMATS[form]}", partial(picture_bytes, picture, form))
            for number, picture in enumerate(pictures)
        ]
        audio = _file(folder / "sound.wav", partial(wav_bytes, turn.audio)) if turn.audio else None
        return {"role": role, "text": turn.text, "frames": frames, "audio": audio}


def _file(path: Path, content: Callable[[], bytes]) -> str:
    """Write the file unless an earlier question of the conversation has, and return its path."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content())
    return str(path)


def _add_reply(dialogue: Dialogue, answer: Mapping[str, Any]) -> None:
    try:
        reply = reply_of(reply_of_program(answer))
    except NoReply as why:
        dialogue.error = f"the program's answer {why}"
        return
    if reply.has_failed:
        dialogue.error = f"the program's reply {reply.why}"
    elif dialogue.request.by_surprise:
        dialogue.be_surprised(answer.get("surprise"), answer.get("times"))
    elif dialogue.weighs:
        dialogue.weigh(answer.get("log_probs"), "the program's field log_probs")
    elif isinstance(answer.get("text"), str):
        dialogue.hear(reply)
    else:
        dialogue.error = "the program's answer has no text"
