"""Replies are parsed by rule, without guessing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.parsing import PARSERS
from evaluation.parsing.numeric_replies import surprises_written
from measures.scores.parsed_answers import AMBIGUOUS, UNREAD, Parsed, ParserContext

YES_NO = ParserContext("binary", "Color", ("yes", "no"), "yes")
LABELS = {
    "Shape": ("ball", "cube"),
    "Color": ("red", "green", "blue", "black"),
    "Direction": ("forward", "backward", "left", "right"),
    "RelationalPosition": ("left", "right"),
}


def open_question(test: str, expected: str | None) -> ParserContext:
    return ParserContext("open", test, LABELS[test], expected)


def outcome(parsed: Parsed) -> str:
    return parsed.answer or parsed.problem


@pytest.mark.parametrize(
    ("test", "expected", "reply", "official", "paper"),
    [
        ("Shape", "ball", "It is a sphere.", "ball", "ball"),
        ("Shape", "ball", "A ROUND thing", "ball", "ball"),
        ("Shape", "cube", "A square.", "cube", UNREAD),
        ("Shape", "cube", "a rectangular box", "cube", "cube"),
        ("Shape", "ball", "a ball in a box", AMBIGUOUS, AMBIGUOUS),
        ("Shape", "ball", "spherical, like balls", UNREAD, UNREAD),
        ("Color", "red", "The ball is red.", "red", "red"),
        ("Color", "red", "not red but blue", AMBIGUOUS, AMBIGUOUS),
        ("Color", "red", "blue or green", "green, blue", AMBIGUOUS),
        ("Color", "red", "reddish", UNREAD, UNREAD),
        ("Direction", "forward", "It rolls upwards", "forward", "forward"),
        ("Direction", "backward", "down", "backward", "backward"),
        ("Direction", "left", "from right to left", "left", "left"),
        ("Direction", "left", "from the right to the left", "left", "left"),
        ("Direction", "left", "left to right", AMBIGUOUS, "right"),
        ("Direction", "right", "left to right", "right", "right"),
        ("Direction", "right", "from the left to the right side", "right", "right"),
        ("Direction", "forward", "left to right", "left, right", "right"),
        ("Direction", "left", "right-to-left", UNREAD, "left"),
        ("Direction", "left", "leftward", UNREAD, UNREAD),
        ("Direction", "left", "It moves left, then right.", AMBIGUOUS, AMBIGUOUS),
        ("RelationalPosition", "left", "On the left side.", "left", "left"),
        ("RelationalPosition", "left", "right to left", AMBIGUOUS, AMBIGUOUS),
        ("RelationalPosition", "left", "right.", "right", "right"),
        ("RelationalPosition", "left", "", UNREAD, UNREAD),
    ],
)
def test_open_replies_hold_keywords_of_one_answer(test, expected, reply, official, paper):
    asked = open_question(test, expected)
    assert outcome(PARSERS["grasp-official"].read(reply, asked)) == official
    assert outcome(PARSERS["grasp-paper"].read(reply, asked)) == paper


def test_the_letter_a_is_told_from_the_article():
    asked = ParserContext("choice", options=("a", "b", "c", "d"), expected="b")
    for reply in ("Picture A", "A, because it is smaller.", "option (a)"):
        assert PARSERS["choice-letter"].read(reply, asked) == Parsed("a"), reply
    for reply, outcomes in (("A ball falls.", UNREAD), ("A.\nIt falls.", "a"), ("A\nIt falls.", "a"), ("(A) it", "a")):
        assert outcome(PARSERS["one-option"].read(reply, asked)) == outcomes


def test_a_hidden_answer_is_read_without_being_known():
    asked = open_question("Direction", None)
    assert PARSERS["grasp-official"].read("to the left", asked) == Parsed("left")
    assert PARSERS["grasp-official"].read("left or right", asked) == Parsed(None, AMBIGUOUS)


def test_an_uploaded_answer_is_an_option_or_unread():
    for given_answer, answer in (("yes", "yes"), (" Yes ", "yes"), ("yes, surely", None), ("", None)):
        assert PARSERS["as-given"].read(given_answer, YES_NO).answer == answer


def test_of_options_that_are_named_within_a_sentence_the_longer_one_counts():
    asked = ParserContext("choice", "", ("ball", "red ball", "cube"), None)
    for reply, outcomes in (
        ("I saw the red ball.", "red ball"),
        ("I saw the ball.", "ball"),
        ("I saw a cube and the red ball.", AMBIGUOUS),
        ("I saw a cone.", UNREAD),
        ("ball or cube", AMBIGUOUS),
    ):
        assert outcome(PARSERS["one-option"].read(reply, asked)) == outcomes


def test_a_reply_without_surprises_is_unread():
    for reply in ("hm", "[1.0]", '{"surprise": []}', '{"surprise": [1.0, "much"]}'):
        assert PARSERS["surprise"].read(reply, YES_NO) == Parsed(None, UNREAD)
    assert PARSERS["surprise"].read('{"surprise": [1.0, 2.0]}', YES_NO).problem == ""
    assert surprises_written([0.12345678], [0.12345]) == '{"surprise": [0.123457], "times": [0.123]}'


@pytest.mark.parametrize(
    ("parser", "answers"),
    [
        ("intphys2-official", {"Yes.": "yes", "yes and no": "yes", "I know": "no", "No": "no", "NO": UNREAD}),
        ("intphys2-digits", {"1": "yes", "10": "yes", "0": "no", "two": UNREAD}),
        ("mvp-official", {"(a)": "a", "Answer: B": "b", "A or B": "b", "C": UNREAD}),
        # A mark with a blank beside it vanishes everywhere, as all marks do beside a number; others become a blank.
        ("causalvqa-official", {"(E)": "e", "A,B": "b", "A) x)B": "a", "A (x(B": "a", "1,2 A x(B": "a", "F": UNREAD}),
    ],
)
def test_scorers_of_neighbours_are_followed_with_their_faults(parser, answers):
    context = ParserContext("binary", options=("yes", "no"))
    assert {reply: outcome(PARSERS[parser].read(reply, context)) for reply in answers} == answers


words = st.sampled_from(
    (
        *("yes", "no", "left", "right", "to", "the", "ball", "box", "-", "_", ".", "\n", "Right-to-left", "<SEP>"),
        *("**", "up"),
    )
)
replies = st.text() | st.lists(words, max_size=8).map(" ".join)


@given(reply=replies, test=st.sampled_from(sorted(LABELS)))
def test_the_papers_rule_does_not_look_at_the_truth(reply, test):
    read = PARSERS["grasp-paper"].read
    assert len({read(reply, open_question(test, truth)) for truth in (None, *LABELS[test])}) == 1


@given(reply=replies)
def test_what_the_official_tool_reads_as_yes_or_no_the_paper_reads_the_same(reply):
    official = PARSERS["grasp-official"].read(reply, YES_NO).answer
    paper = PARSERS["grasp-paper"].read(reply, YES_NO).answer
    assert official is None or paper in (official, None)
