"""A corpus of replies with the right reading of each parser, and properties of parsers for any text."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.definitions.papers.craft import OPTIONS
from benchmarks.definitions.papers.pacs import OPTIONS as OBJECTS
from evaluation.parsing import PARSERS
from evaluation.parsing.enumerated import LONGEST, answers_in
from measures.scores.parsed_answers import AMBIGUOUS, PROBLEMS, REFUSED, UNREAD, ParserContext

CORPUS = Path(__file__).parents[1] / "data" / "replies.tsv"
EXAMPLES = int(os.environ.get("EXAMPLES", "60"))  # `make soak PART=properties` takes more
SHORT = {"u": UNREAD, "a": AMBIGUOUS, "r": REFUSED}
ASKED = {
    "yes-no": ParserContext("binary", "Color", ("yes", "no"), "yes"),
    "truth": ParserContext("question", "Cause", OPTIONS["Boolean"], "true"),
    "color": ParserContext("question", "Descriptive", OPTIONS["Color"], "red"),
    "shape": ParserContext("question", "Descriptive", OPTIONS["Shape"], "cube"),
    "count": ParserContext("question", "Descriptive", OPTIONS["Count"], "2"),
    "letter": ParserContext("choice", "automated", ("a", "b", "c", "d"), "b"),
    "pair": ParserContext("pair", "pacs", OBJECTS, "object 1"),
    "free": ParserContext("images", "automated", (), None),
}


def replies() -> Iterator[tuple[str, str, dict[str, str]]]:
    """(question, reply, outcome by parser) of every row."""
    question, parsers = "", []
    for line in CORPUS.read_text(encoding="utf-8").splitlines():
        if line.startswith("@ "):
            question, *parsers = line.removeprefix("@ ").split("\t")
        elif parsers:
            reply, *outcomes = line.split("\t")
            assert len(outcomes) == len(parsers), line
            reply = reply.replace("\\\\", "\0").replace("\\n", "\n").replace("\0", "\\")
            yield question, reply, dict(zip(parsers, outcomes, strict=True))


CASES = list(replies())


def test_the_corpus_is_large_and_every_reply_stands_once_a_question():
    assert len({reply for _, reply, _ in CASES}) >= 300
    assert len({(question, reply) for question, reply, _ in CASES}) == len(CASES)
    # Parsers with tests of their own: of what is no reply, and of other benchmarks.
    others = {"as-given", "as-predicted", "likelihood", "surprise", "moment", "number", "which-of-two", "one-option"}
    others |= {"intphys2-official", "intphys2-digits", "mvp-official", "causalvqa-official"}
    assert {name for _, _, outcomes in CASES for name in outcomes} == set(PARSERS) - others


@pytest.mark.requirement("M13")
def test_every_reply_is_read_as_it_should_be():
    wanted = {(*case, name): SHORT.get(outcome, outcome) for *case, all_of in CASES for name, outcome in all_of.items()}
    read = {case: PARSERS[case[2]].read(case[1], ASKED[case[0]]) for case in wanted}
    outcomes = {case: parsed.answer or parsed.problem for case, parsed in read.items()}
    wrong = [f"{case}: {outcomes[case]}, not {wanted[case]}" for case in wanted if outcomes[case] != wanted[case]]
    assert not wrong, "\n".join(wrong)


WORDS = st.sampled_from(
    (
        *(
            "yes",
            "no",
            "true",
            "false",
            "red",
            "grey",
            "blue",
            "cube",
            "ball",
            "two",
            "2",
            "10",
            "object",
            "1",
            "first",
        ),
        *("second", "or", "not", "answer:", "**", "\n", ".", ",", "(", "1.", "2)", "the", "is", "-", "object 2"),
    )
)
REPLIES = st.text() | st.lists(WORDS).map(" ".join)


OF_ONE_WORD = ("craft-vocabulary", "pacs-object", "last-answer-line")


@pytest.mark.parametrize("question", ASKED)
@settings(max_examples=EXAMPLES)
@given(reply=REPLIES)
def test_no_text_breaks_a_parser_and_what_it_gives_is_an_answer_or_a_problem(question, reply):
    """Each text is read by all parsers: finding a text takes ten times as long as reading it."""
    asked = ASKED[question]
    for name, parser in PARSERS.items():
        parsed = parser.read(reply, asked)
        assert (parsed.answer is None) == (parsed.problem in PROBLEMS), name
        if name in ("craft-vocabulary", "last-answer-line"):
            assert parsed.answer is None or parsed.answer in asked.options, name
        if name == "pacs-object":
            assert parsed.answer in (None, *OBJECTS), name
        if name == "enumerated" and parsed.answer:
            assert len(parsed.answer) <= LONGEST, name


@pytest.mark.parametrize("question", ["truth", "color", "shape", "count", "pair"])
@settings(max_examples=EXAMPLES)
@given(reply=REPLIES)
def test_what_is_read_does_not_hang_on_what_is_true(question, reply):
    asked = ASKED[question]
    for name in OF_ONE_WORD:
        readings = {
            PARSERS[name].read(reply, ParserContext(asked.kind, asked.test, asked.options, expected))
            for expected in (*asked.options, None)
        }
        assert len(readings) == 1, name


@settings(max_examples=EXAMPLES)
@given(reply=st.text(alphabet=st.characters(exclude_categories=("L", "N"))))
def test_a_reply_without_letters_and_digits_has_no_answer(reply):
    for name in OF_ONE_WORD:
        assert {PARSERS[name].read(reply, asked).answer for asked in ASKED.values()} == {None}, name


def test_long_replies_are_read_at_once():
    for piece in ("{", " ", "\n", "the ", "(a) ", "a.\n"):
        for question, asked in ASKED.items():
            for name in {name for case, _, outcomes in CASES if case == question for name in outcomes}:
                PARSERS[name].read(piece * 60_000, asked)


def test_a_long_list_is_kept_in_short_and_known_whole():
    raw = "\n".join(f"{number}. He walks to the door number {number}." for number in range(1, 21))
    assert len(answers_in(raw)) == 20
    read = PARSERS["enumerated"].read
    assert read(raw, ASKED["free"]).answer.endswith("…")
    longest = "x" * LONGEST
    assert [read(text, ASKED["free"]).answer for text in (longest, f"{longest}x")] == [longest, f"{longest[1:]}…"]
