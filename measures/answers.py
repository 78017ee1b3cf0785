"""The vocabulary of answering: what is asked for, and what a reply was read as."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Asked:
    """What a parser may know of a question.

    `kind` is the question kind (`binary`, `open`, `plausibility`, `text`), `test` the benchmark's name of the test,
    `options` the possible answers, `expected` the true one or None (only scorers that need it look at it).
    """

    kind: str
    test: str = ""
    options: tuple[str, ...] = ()
    expected: str | None = None


@dataclass(frozen=True)
class Parsed:
    """What a reply was read as. `answer` is None exactly when `problem` says why."""

    answer: str | None
    problem: str = field(default="")


UNREAD = "unread"
AMBIGUOUS = "ambiguous"
REFUSED = "refused"
CUT_OFF = "cut off"
PROBLEMS = (UNREAD, AMBIGUOUS, REFUSED, CUT_OFF)
