"""Reply -> Parsed: named, versioned rules. A parser reads, or says why it could not; it never guesses."""

from collections.abc import Callable
from dataclasses import dataclass

from evaluation.parsing.choice import read_letter
from evaluation.parsing.craft import read_vocabulary
from evaluation.parsing.enumerated import read_enumerated
from evaluation.parsing.grasp import read_by_official_tool, read_by_paper
from evaluation.parsing.last_line import read_last_line
from evaluation.parsing.pacs import read_object
from measures.answers import PROBLEMS, UNREAD, Asked, Parsed

__all__ = ["PARSERS", "Parser"]


@dataclass(frozen=True)
class Parser:
    """One rule under one name; bump `version` whenever a reply could be read differently."""

    name: str
    version: str
    title: str
    read: Callable[[str, Asked], Parsed]


def read_as_given(raw: str, asked: Asked) -> Parsed:
    """For uploaded answers: the whole text is one of the options."""
    given = raw.strip().casefold()
    return Parsed(given) if given in {option.casefold() for option in asked.options} else Parsed(None, UNREAD)


def read_as_predicted(raw: str, asked: Asked) -> Parsed:
    """For official result files: an option, or the word for why there is none; another answer is none."""
    given = raw.strip().casefold()
    return Parsed(None, given) if given in PROBLEMS else read_as_given(raw, asked)


PARSERS = {
    parser.name: parser
    for parser in (
        Parser("grasp-paper", "1", "Appendix F of the GRASP paper", read_by_paper),
        Parser("grasp-official", "1", "GRASP's official scorer", read_by_official_tool),
        Parser("craft-vocabulary", "1", "one possible answer of CRAFT and no other", read_vocabulary),
        Parser("pacs-object", "1", "object 1 or object 2", read_object),
        Parser("enumerated", "1", "a numbered list of free answers", read_enumerated),
        Parser("choice-letter", "1", "one of the letters A to D", read_letter),
        Parser("last-answer-line", "1", "the answer alone on the last line", read_last_line),
        Parser("as-given", "1", "the answer as uploaded", read_as_given),
        Parser("as-predicted", "1", "the prediction of an official result file", read_as_predicted),
    )
}
