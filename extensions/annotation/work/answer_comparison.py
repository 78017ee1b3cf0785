"""Compares an annotator's answers with others' answers to the same questions, and finds answers that nobody shares."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import QuerySet

from extensions.annotation.models import Candidate, CandidateOrigin, CandidateState, Stage, TaskAnswer
from extensions.annotation.protocol.vocabulary import REASONS, Text
from extensions.annotation.work.round_answers import CHOICES
from humantrials.models import Trial

AT_ODDS = ("disagreement", "flagged")
BAD = "bad"


@dataclass(frozen=True)
class ComparedAnswer:
    """One person's answer to a question; `answer` is the primary key of their TaskAnswer."""

    answer: int
    stage: str
    code: str
    choice: str

    @property
    def text(self) -> Text:
        return "Bad question" if self.choice == BAD else CHOICES.get(self.choice, self.choice)


@dataclass(frozen=True)
class ComparedLine:
    """A question about a pair, everybody's answers to it, and its state."""

    question: str
    voices: tuple[ComparedAnswer, ...]
    state: str
    reason: str

    @property
    def alone(self) -> ComparedAnswer | None:
        """The one answer of three that differs from the two others, or None."""
        counts = Counter(voice.choice for voice in self.voices)
        if len(self.voices) != 3 or len(counts) != 2:
            return None
        return next(voice for voice in self.voices if counts[voice.choice] == 1)


def compared(candidates: Iterable[Candidate]) -> Mapping[int, list[ComparedLine]]:
    """Primary key of each TaskAnswer -> its compared lines, for these questions about pairs."""
    found = list(candidates)
    voices = _voices({one.pair_id for one in found})
    lines: dict[int, list[ComparedLine]] = defaultdict(list)
    for one in found:
        own = (*_writer(one), *voices[one.pair_id, one.question_id])
        line = ComparedLine(one.question.text, own, one.state, REASONS.get(one.reason, one.reason))
        for voice in own:
            lines[voice.answer].append(line)
    return lines


def candidates_of(trial: Trial) -> QuerySet[Candidate]:
    """The trial's questions about pairs, with the rows that a comparison needs."""
    return trial.candidates.select_related("question__source__participant__first")


def alone_in(trial: Trial) -> list[int]:
    """Primary keys of answers that two others contradict, on questions that were dropped for this reason."""
    dropped = candidates_of(trial).filter(state=CandidateState.DROPPED, reason__in=AT_ODDS)
    lines = {line for own in compared(dropped).values() for line in own}
    return sorted({line.alone.answer for line in lines if line.alone})


def _writer(one: Candidate) -> tuple[ComparedAnswer, ...]:
    if one.origin != CandidateOrigin.WRITTEN:
        return ()
    source = one.question.source
    return (ComparedAnswer(source.pk, Stage.QUESTIONS, _code(source), str(one.question.answer)),)


def _voices(pairs: Iterable[int]) -> Mapping[tuple[int, int], list[ComparedAnswer]]:
    """The counted answers of stages C and D by (pair, question), in the order of the stages."""
    found: dict[tuple[int, int], list[ComparedAnswer]] = defaultdict(list)
    answers = TaskAnswer.objects.filter(
        task__pair__in=list(pairs), task__stage__in=(Stage.ANSWERS, Stage.CHECKS), counts=True
    )
    for answer in answers.select_related("task", "participant__first").order_by("task__stage", "pk"):
        for question, answer_to in answer.content["answers"].items():
            choice = BAD if answer_to["bad"] else answer_to["choice"]
            voice = ComparedAnswer(answer.pk, answer.task.stage, _code(answer), choice)
            found[answer.task.pair_id or 0, int(question)].append(voice)
    return found


def _code(answer: TaskAnswer) -> str:
    person = answer.participant
    return (person.first or person).code
