"""Questions that an author asks before and after the items, written as text and read line by line.

Each has a first line NAME: KIND, its words on the next line, then its answers, and ends with an empty line; START shows
all kinds.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from humantrials.errors import BadSetting

HEAD = re.compile(
    r"(?P<name>[a-z][a-z0-9_]{0,29}): *"
    r"(?P<kind>choice|scale|number|text)(?: +(?P<low>-?\d{1,6}) +to +(?P<high>-?\d{1,6}))?(?P<required>, *required)?"
)
LABEL = re.compile(r"(-?\d{1,6}) *= *(.+)")
RIGHT, WHY = "+", "!"  # prefixes of a quiz's right answer, and of the explanation for a wrong one
MOST_QUESTIONS, MOST_OPTIONS, MOST_STEPS = 40, 20, 11
WANTED = "write NAME: choice, scale 1 to 7, number 0 to 99, or text; “, required” may follow"
START = """age: choice, required
How old are you?
- 18 to 29
- 30 to 44
- 45 to 59
- 60 or older
- I prefer not to say

vision: choice
How well do you see, with glasses or lenses if you wear them?
- without difficulty
- with some difficulty
- with great difficulty

hearing: choice
How well do you hear, with a hearing aid if you wear one?
- without difficulty
- with some difficulty
- with great difficulty

experience: scale 1 to 5
How often do you play video games?
1 = never
5 = every day

years: number 0 to 100
For how many years have you studied or taught physics?

comment: text
Is there anything that we should know?
"""


QUIZ_START = """object: choice
A video may show many things. Which of them is the object?
+ the one in the red box
- the largest one
- the loudest one
! The box is drawn on the picture below the video.
"""


class QuestionKind(StrEnum):
    CHOICE = "choice"
    SCALE = "scale"
    NUMBER = "number"
    TEXT = "text"


@dataclass(frozen=True)
class AuthorQuestion:
    """One question; `options` are (value that is stored, words)."""

    name: str
    kind: QuestionKind
    text: str = ""
    options: tuple[tuple[str, str], ...] = ()
    low: int | None = None
    high: int | None = None
    is_required: bool = False
    right: str = ""  # in a quiz, the value of the right option
    why: str = ""  # in a quiz, shown beside a wrong answer


def read_questions(body: str) -> tuple[AuthorQuestion, ...]:
    """Read the questions; raises BadSetting that names the first bad line."""
    return _read(body, _question)


def read_quiz(body: str) -> tuple[AuthorQuestion, ...]:
    """Parse a quiz: choices, each with one answer that begins with + instead of -; a last line may begin with !.

    Raises BadSetting that names the first bad line.
    """
    return _read(body, _quiz_question)


def _read(body: str, read: Callable[[int, list[str]], AuthorQuestion]) -> tuple[AuthorQuestion, ...]:
    found: list[AuthorQuestion] = []
    for number, lines in _blocks(body):
        question = read(number, lines)
        if any(one.name == question.name for one in found):
            raise BadSetting(f"line {number}: there is a question {question.name!r} already")
        found.append(question)
    if len(found) > MOST_QUESTIONS:
        raise BadSetting(f"{len(found)} questions: at most {MOST_QUESTIONS} are asked at once")
    return tuple(found)


def _blocks(body: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of each block's first line, and the lines."""
    lines: list[str] = []
    for number, line in enumerate([*body.splitlines(), ""], start=1):
        if line.strip():
            lines.append(line.strip())
        elif lines:
            yield number - len(lines), lines
            lines = []


def _quiz_question(number: int, lines: list[str]) -> AuthorQuestion:
    why = lines[-1].removeprefix(WHY).strip() if lines[-1].startswith(WHY) else ""
    answers = lines[:-1] if lines[-1].startswith(WHY) else lines
    plain = [*answers[:2], *(f"-{line[1:]}" if line.startswith(RIGHT) else line for line in answers[2:])]
    question = _question(number, plain)
    if question.kind != QuestionKind.CHOICE:
        raise BadSetting(f"line {number}: a quiz has choices only, this is a {question.kind}")
    right = [str(place) for place, line in enumerate(answers[2:], start=1) if line.startswith(RIGHT)]
    if len(right) != 1:
        raise BadSetting(f"line {number}: one answer is right and begins with +, here {len(right) or 'none'} do")
    return replace(question, right=right[0], why=why)


def _question(number: int, lines: Sequence[str]) -> AuthorQuestion:
    head = HEAD.fullmatch(lines[0])
    if head is None:
        raise BadSetting(f"line {number}: “{lines[0][:60]}” is not the first line of a question; {WANTED}")
    if len(lines) < 2:
        raise BadSetting(f"line {number}: the question {head['name']!r} has no text; write it below")
    question = AuthorQuestion(
        name=head["name"],
        kind=QuestionKind(head["kind"]),
        text=lines[1],
        low=int(head["low"]) if head["low"] else None,
        high=int(head["high"]) if head["high"] else None,
        is_required=bool(head["required"]),
    )
    _check_range(number, question)
    rest = list(enumerate(lines[2:], start=number + 2))
    if question.kind == QuestionKind.CHOICE:
        return replace(question, options=_choices(number, rest))
    if question.kind == QuestionKind.SCALE:
        return replace(question, options=_steps(question, rest))
    if rest:
        raise BadSetting(f"line {rest[0][0]}: a {question.kind} has no answers to choose from; leave this line out")
    return question


def _check_range(number: int, question: AuthorQuestion) -> None:
    has_range = question.low is not None and question.high is not None
    if question.kind in (QuestionKind.CHOICE, QuestionKind.TEXT) and has_range:
        raise BadSetting(f"line {number}: a {question.kind} has no range")
    if question.kind == QuestionKind.SCALE and not has_range:
        raise BadSetting(f"line {number}: a scale needs its ends, such as scale 1 to 7")
    if question.low is None or question.high is None:
        return
    steps = question.high - question.low + 1
    if steps < 2:
        raise BadSetting(f"line {number}: {question.low} to {question.high} has fewer than two steps")
    if question.kind == QuestionKind.SCALE and steps > MOST_STEPS:
        raise BadSetting(f"line {number}: a scale has at most {MOST_STEPS} steps, this one has {steps}")


def _choices(number: int, rest: Sequence[tuple[int, str]]) -> tuple[tuple[str, str], ...]:
    """The options, each stored under its number from 1, so that languages share the values."""
    for at, line in rest:
        if not line.startswith("-") or not line[1:].strip():
            raise BadSetting(f"line {at}: “{line[:60]}” is not an answer option; write - and the answer")
    words = [line[1:].strip() for _at, line in rest]
    if not 2 <= len(words) <= MOST_OPTIONS:
        raise BadSetting(f"line {number}: a choice has 2 to {MOST_OPTIONS} answers, this one has {len(words)}")
    if len(set(words)) < len(words):
        raise BadSetting(f"line {number}: two answers are the same")
    return tuple((str(place), text) for place, text in enumerate(words, start=1))


def _steps(question: AuthorQuestion, rest: Sequence[tuple[int, str]]) -> tuple[tuple[str, str], ...]:
    """Each step with its number and, where it has one, its label."""
    assert question.low is not None
    assert question.high is not None
    labels: dict[int, str] = {}
    for at, line in rest:
        label = LABEL.fullmatch(line)
        if label is None or not question.low <= int(label[1]) <= question.high:
            raise BadSetting(f"line {at}: “{line[:60]}” labels no step; write such as {question.low} = not at all")
        labels[int(label[1])] = label[2]
    steps = range(question.low, question.high + 1)
    return tuple((str(step), f"{step} {labels.get(step, '')}".strip()) for step in steps)
