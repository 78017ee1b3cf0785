"""A question as seen by parsers, and the answer or problem that they return."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class ParserContext:
    """The facts about a question that a parser may use.

    `kind` is the question kind (`binary`, `open`, `plausibility`, `text`), `test` the benchmark's name of the test,
    `options` the possible answers, `expected` the correct one or None (read only by scorers that need it).
    """

    kind: str
    test: str = ""
    options: tuple[str, ...] = ()
    expected: str | None = None


@dataclass(frozen=True)
class Parsed:
    """A parsed reply: `answer` is None if and only if `problem` says why."""

    answer: str | None
    problem: str = field(default="")


UNREAD = "unread"
AMBIGUOUS = "ambiguous"
REFUSED = "refused"
CUT_OFF = "cut off"
CUT_IN_THOUGHT = "thoughts cut off"
EMPTY = "empty"  # nothing was said, though the reply ended as it should
PROBLEMS = (UNREAD, AMBIGUOUS, REFUSED, CUT_OFF, CUT_IN_THOUGHT, EMPTY)
