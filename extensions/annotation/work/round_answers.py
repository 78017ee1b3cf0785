"""The answers of a qualification round for display: to staff who grade them, and to the person who sent them."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from extensions.annotation.models import QualificationRound, WrittenQuestion
from extensions.annotation.protocol.vocabulary import IRRELEVANT, Text
from extensions.annotation.work.form_fields import SIDES

CHOICES = {**dict(SIDES), IRRELEVANT: _("Irrelevant")}


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
    choice = _("Bad question") if own["bad"] else CHOICES.get(own["choice"], own["choice"])
    is_right = own["choice"] == known[key] if key in known else None
    return RoundAnswer(key, place, own["text"], choice, own.get("why", ""), _grade(one, place), is_right)


def _known(answers: dict, hidden: Sequence[int]) -> dict[int, str]:
    """The answers of the questions' writers, by primary key, without hidden ones."""
    keys = [int(key) for key in answers if int(key) not in hidden]
    return {pk: str(side) for pk, side in WrittenQuestion.objects.filter(pk__in=keys).values_list("pk", "answer")}


def _grade(one: QualificationRound, place: int) -> int | None:
    return one.grades[place] if place < len(one.grades) else None
