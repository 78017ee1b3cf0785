"""Answers as staff and people see them: those of a qualification round, and those to a question beside each other."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from extensions.annotation.models import (
    Candidate,
    CandidateOrigin,
    CandidateState,
    QualificationRound,
    Stage,
    WrittenQuestion,
)
from extensions.annotation.protocol.vocabulary import IRRELEVANT, REASONS
from extensions.annotation.work.form_parsing import SIDES
from extensions.annotation.work.outcomes import counted_votes
from extensions.annotation.work.sittings import root_of
from humantrials.models import Trial
from humantrials.protocols.protocol import Text

BAD = "bad"
CHOICES = {**SIDES, IRRELEVANT: _("Irrelevant"), BAD: _("Bad question")}


def choice_of(vote: Mapping[str, Any]) -> str:
    """What was chosen in a list of questions; a bad question has no other answer."""
    return BAD if vote["bad"] else str(vote["choice"])


@dataclass(frozen=True)
class RoundAnswer:
    """One answer of a round; `key` is the number of its pair, or the primary key of its question.

    `grade` is 1 to 4, or None; `is_right` is None unless its known answer may be shown.
    """

    key: int
    place: int
    text: str
    said: Text
    why: str
    grade: int | None = None
    is_right: bool | None = None


def answers_of(one: QualificationRound, hidden: Sequence[int] = ()) -> list[RoundAnswer]:
    """The answers in the order in which they were sent, with their grades.

    If a round's answers are known, each says whether it was right, except for questions with a primary key in `hidden`.
    """
    written = one.content.get("questions", ())
    if written:
        return [
            RoundAnswer(
                own["pair"],
                place,
                own["text"],
                CHOICES[str(own["answer"])],
                ", ".join(own["properties"]),
                _grade(one, place),
            )
            for place, own in enumerate(written)
        ]
    answers = one.content.get("answers", {})
    known = {} if one.grades or one.number > 1 else _known(answers, hidden)
    return [_answered(one, place, int(key), own, known) for place, (key, own) in enumerate(answers.items())]


def _answered(one: QualificationRound, place: int, key: int, own: dict, known: dict[int, str]) -> RoundAnswer:
    choice = CHOICES[choice_of(own)]
    is_right = own["choice"] == known[key] if key in known else None
    return RoundAnswer(key, place, own["text"], choice, own.get("why", ""), _grade(one, place), is_right)


def _known(answers: dict, hidden: Sequence[int]) -> dict[int, str]:
    """The answers of the questions' writers, by primary key, without hidden ones."""
    keys = [int(key) for key in answers if int(key) not in hidden]
    return {pk: str(side) for pk, side in WrittenQuestion.objects.filter(pk__in=keys).values_list("pk", "answer")}


def _grade(one: QualificationRound, place: int) -> int | None:
    return one.grades[place] if place < len(one.grades) else None


AT_ODDS = ("disagreement", "flagged")


@dataclass(frozen=True)
class ComparedAnswer:
    """One person's answer to a question; `answer` is the primary key of their TaskAnswer."""

    answer: int
    stage: str
    code: str
    choice: str

    @property
    def text(self) -> Text:
        return CHOICES[self.choice]


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
    return (ComparedAnswer(source.pk, Stage.QUESTIONS, root_of(source.participant).code, str(one.question.answer)),)


def _voices(pairs: Iterable[int]) -> Mapping[tuple[int, int], list[ComparedAnswer]]:
    """The counted answers of stages C and D by (pair, question), in the order of the stages."""
    found: dict[tuple[int, int], list[ComparedAnswer]] = defaultdict(list)
    for answer, question, vote in counted_votes(pairs):
        code = root_of(answer.participant).code
        found[question].append(ComparedAnswer(answer.pk, answer.task.stage, code, choice_of(vote)))
    return found
