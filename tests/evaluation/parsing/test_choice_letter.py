"""The parser reads a letter from a reply that names one, and guesses nothing."""

from hypothesis import given
from hypothesis import strategies as st

from evaluation.parsing import PARSERS
from measures.scores.parsed_answers import AMBIGUOUS, REFUSED, UNREAD, Parsed, ParserContext

ASKED = ParserContext("choice", options=("a", "b", "c", "d"), expected="b")
read = PARSERS["choice-letter"].read


LETTERS = {
    "a": ["Picture A", "A, because it is smaller.", "option (a)"],
    "b": [
        *("B", "b.", "The answer is B.", "B because it turns clockwise."),
        *("A key turns clockwise, so the answer is B.", "The correct answer is (B) with seven apples."),
    ],
    "c": ["(C)", "Answer: C\n\nbecause the clock goes on", "I choose C.", "Image C."],
    "d": ["**D**", "The next image is D, since the apple falls.", "It must be picture D"],
}
PROBLEMS = {
    UNREAD: [
        *("A key turns clockwise.", "", "E", "Five apples.", "A and B, both"),
        "A: a ball.\nB: a star.\nC: a car.",
    ],
    AMBIGUOUS: ["Picture A or picture B", "not picture A", "Either picture C or D"],
    REFUSED: ["I cannot see any image."],
}


def test_a_letter_is_read_and_what_names_none_or_several_is_not():
    wanted = {reply: Parsed(letter) for letter, replies in LETTERS.items() for reply in replies}
    wanted |= {reply: Parsed(None, problem) for problem, replies in PROBLEMS.items() for reply in replies}
    assert {reply: read(reply, ASKED) for reply in wanted} == wanted


def test_long_replies_are_read_at_once():
    for piece in ("{", " ", "\n", "the ", "(a) ", "a.\n"):
        read(piece * 60_000, ASKED)


@given(st.text(max_size=300))
def test_no_reply_raises(reply):
    found = read(reply, ASKED)
    assert (found.answer in ASKED.options) != bool(found.problem)
