"""The parser reads a letter from a reply that names one, and guesses nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.parsing import PARSERS
from measures.parsed_answers import AMBIGUOUS, REFUSED, UNREAD, Parsed, ParserContext

ASKED = ParserContext("choice", options=("a", "b", "c", "d"), expected="b")
read = PARSERS["choice-letter"].read


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("B", "b"),
        ("b.", "b"),
        ("(C)", "c"),
        ("**D**", "d"),
        ("Picture A", "a"),
        ("The answer is B.", "b"),
        ("Answer: C\n\nbecause the clock goes on", "c"),
        ("The next image is D, since the apple falls.", "d"),
        ("A, because it is smaller.", "a"),
        ("B because it turns clockwise.", "b"),
        ("I choose C.", "c"),
        ("A key turns clockwise, so the answer is B.", "b"),
        ("It must be picture D", "d"),
        ("option (a)", "a"),
        ("The correct answer is (B) with seven apples.", "b"),
        ("Image C.", "c"),
    ],
)
def test_a_letter_is_read(reply, letter):
    assert read(reply, ASKED) == Parsed(letter)


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("A key turns clockwise.", UNREAD),
        ("", UNREAD),
        ("E", UNREAD),
        ("Five apples.", UNREAD),
        ("Picture A or picture B", AMBIGUOUS),
        ("not picture A", AMBIGUOUS),
        ("A and B, both", UNREAD),
        ("A: a ball.\nB: a star.\nC: a car.", UNREAD),
        ("I cannot see any image.", REFUSED),
        ("Either picture C or D", AMBIGUOUS),
    ],
)
def test_what_names_none_or_several_is_not_read(reply, problem):
    assert read(reply, ASKED) == Parsed(None, problem)


@given(st.text(max_size=300))
def test_no_reply_raises(reply):
    found = read(reply, ASKED)
    assert (found.answer in ASKED.options) != bool(found.problem)


@pytest.mark.parametrize("piece", ["{", " ", "\n", "the ", "(a) ", "a.\n"])
def test_long_replies_are_read_at_once(piece):
    read(piece * 60_000, ASKED)
