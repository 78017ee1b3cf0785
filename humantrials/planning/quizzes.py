"""The quiz on the instructions: the author's in the person's language, else the protocol's own."""

from dataclasses import dataclass

from humantrials.models import AuthoredText, TextPart, Trial
from humantrials.planning.authored_texts import text_of
from humantrials.planning.questionnaires import AuthorQuestion, read_quiz
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Option, QuizQuestion
from humantrials.protocols.settings import setting


@dataclass(frozen=True)
class Quiz:
    """The questions, how often one may try, and the author's text that they are from; None: the protocol's own."""

    questions: tuple[QuizQuestion, ...]
    attempts: int
    text: AuthoredText | None = None

    @property
    def version(self) -> str:
        """Language and version of the author's text; "" of a protocol's quiz."""
        return f"{self.text.language} {self.text.version}" if self.text else ""


def quiz_in(trial: Trial, language: str, number: str = "") -> Quiz:
    """The quiz in this language, or the author's version of this number where a form was made from it."""
    protocol = find_protocol(trial.protocol)
    attempts = setting(trial.settings, "quiz_attempts", protocol)
    text = _version(trial, number) or text_of(trial, TextPart.QUIZ, language)
    if text is None:
        return Quiz(protocol.screening.quiz, attempts)
    return Quiz(tuple(map(_question, read_quiz(text.body))), attempts, text)


def _version(trial: Trial, number: str) -> AuthoredText | None:
    if not number.isdecimal() or len(number) > 12:
        return None
    return trial.texts.filter(part=TextPart.QUIZ, pk=int(number)).exclude(body="").first()


def _question(one: AuthorQuestion) -> QuizQuestion:
    return QuizQuestion(one.text, tuple(Option(*option) for option in one.options), one.right, one.why)
