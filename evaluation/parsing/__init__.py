"""Parsers: named, versioned rules that find the answer in a reply, or say why there is none; they never guess."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from evaluation.parsing.choice import read_letter, read_object
from evaluation.parsing.craft import read_vocabulary
from evaluation.parsing.enumerated import read_enumerated
from evaluation.parsing.grasp import read_by_official_tool, read_by_paper
from evaluation.parsing.last_line import read_last_line, read_moment, read_number, read_which
from evaluation.parsing.official_readings import read_causalvqa, read_intphys2, read_intphys2_digits, read_mvp
from evaluation.parsing.one_option import read_one_option
from measures.scores.parsed_answers import PROBLEMS, UNREAD, Parsed, ParserContext

__all__ = ["PARSERS", "Parser"]


def _numeric(name: str) -> Callable[[str, ParserContext], Parsed]:
    """A rule of `numeric_replies`, imported on use: it needs numpy, and the scorer in a pack's archive has none."""

    def read(raw: str, context: ParserContext) -> Parsed:
        found: Parsed = getattr(import_module("evaluation.parsing.numeric_replies"), name)(raw, context)
        return found

    return read


@dataclass(frozen=True)
class Parser:
    """One rule under one name; bump `version` whenever a reply could be read differently."""

    name: str
    version: str
    title: str
    rule: Callable[[str, ParserContext], Parsed]
    # An official scorer gets frames as well: it does not remove `<answer>`, and published figures were counted so.
    # Thoughts are removed for it, too, since a server with thoughts apart would never have sent them to it.
    keeps_frames: bool = False

    def read(self, answer: str, context: ParserContext) -> Parsed:
        """Apply the rule to the answer of a reply, freed of thoughts and, unless they are kept, of frames."""
        return self.rule(answer, context)


def read_whole_answer(raw: str, context: ParserContext) -> Parsed:
    """Read an uploaded answer: the whole text must be one of the options."""
    answer = raw.strip().casefold()
    return Parsed(answer) if answer in {option.casefold() for option in context.options} else Parsed(None, UNREAD)


def read_as_predicted(raw: str, context: ParserContext) -> Parsed:
    """Read a prediction of an official result file: an option or the name of a problem; anything else is unparsed."""
    answer = raw.strip().casefold()
    return Parsed(None, answer) if answer in PROBLEMS else read_whole_answer(raw, context)


PARSERS = {
    parser.name: parser
    for parser in (
        Parser("grasp-paper", "2", "Appendix F of the GRASP paper", read_by_paper),
        Parser("grasp-official", "3", "GRASP's official scorer", read_by_official_tool, keeps_frames=True),
        Parser("craft-vocabulary", "2", "one possible answer of CRAFT and no other", read_vocabulary),
        Parser("pacs-object", "2", "object 1 or object 2", read_object),
        Parser("enumerated", "2", "a numbered list of free answers", read_enumerated),
        Parser("choice-letter", "2", "one of the letters A to D", read_letter),
        Parser("likelihood", "1", "the option with the highest log-probability", _numeric("read_most_likely")),
        Parser("surprise", "1", "numbers without an answer", _numeric("read_surprise")),
        Parser("moment", "1", "a number of seconds or nothing, alone on the last line", read_moment),
        Parser("number", "1", "a number alone on the last line", read_number),
        Parser("which-of-two", "1", "first or second, alone on the last line", read_which),
        Parser("last-answer-line", "2", "the answer alone on the last line", read_last_line),
        Parser("one-option", "1", "the only one of the question's options that is named", read_one_option),
        Parser("intphys2-official", "2", "IntPhys 2's official scorer", read_intphys2, keeps_frames=True),
        Parser(
            "intphys2-digits", "1", "IntPhys 2's official scorer of 1 and 0", read_intphys2_digits, keeps_frames=True
        ),
        Parser("mvp-official", "2", "MVP's official scorer", read_mvp, keeps_frames=True),
        Parser("causalvqa-official", "2", "CausalVQA's official scorer", read_causalvqa, keeps_frames=True),
        Parser("as-given", "1", "the answer as uploaded", read_whole_answer),
        Parser("as-predicted", "1", "the prediction of an official result file", read_as_predicted),
    )
}
