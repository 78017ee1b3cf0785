"""Thoughts are separated from answers: every family's markers, lone, empty and endless ones, and 200 replies."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.parsing import PARSERS
from evaluation.replies import Ending, RawReply, SpokenReply, opens_thoughts, read, reply_of
from measures.scores.parsed_answers import CUT_IN_THOUGHT, Parsed, ParserContext

CORPUS = Path(__file__).parents[1] / "data" / "thinking_replies.jsonl"
CASES = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
ASKED = {
    "yes-no": ("grasp-paper", ParserContext("binary", "Color", ("yes", "no"))),
    "craft": ("craft-vocabulary", ParserContext("descriptive", options=("red", "blue", "true", "false", "2"))),
    "pair": ("pacs-object", ParserContext("pair", options=("object 1", "object 2"))),
    "letter": ("choice-letter", ParserContext("choice", options=("a", "b", "c", "d"))),
    "line": ("last-answer-line", ParserContext("line", options=("yes", "no"))),
}


def spoken(raw: str, *, is_opened: bool = False) -> SpokenReply:
    return reply_of(RawReply(raw, is_opened=is_opened))


@pytest.mark.parametrize(
    ("raw", "answer", "thoughts"),
    [
        ("Yes.", "Yes.", ""),
        ("  Yes.\n", "  Yes.\n", ""),
        ("<think>It is red, so no.</think>\n\nYes.", "Yes.", "It is red, so no."),
        ("<think>\n\n</think>\n\nYes.", "Yes.", ""),
        ("It is red.\n</think>\n\nYes.", "Yes.", "It is red."),
        ("<THINKING>no</THINKING> yes", "yes", "no"),
        ("<thought>no</thought>yes", "yes", "no"),
        ("<seed:think>no</seed:think>yes", "yes", "no"),
        ("◁think▷no◁/think▷yes", "yes", "no"),
        ("[THINK]no[/THINK]yes", "yes", "no"),
        ("<|START_THINKING|>no<|END_THINKING|><|START_RESPONSE|>yes<|END_RESPONSE|>", "yes", "no"),
        ("<|begin_of_thought|>no<|end_of_thought|><|begin_of_solution|>yes<|end_of_solution|>", "yes", "no"),
        ("<|inner_prefix|>no<|inner_suffix|>yes", "yes", "no"),
        ("<|channel>thought\nno<channel|>yes", "yes", "no"),
        (
            "<|channel|>analysis<|message|>no<|end|><|start|>assistant<|channel|>final<|message|>yes<|return|>",
            "yes",
            "no",
        ),
        ("analysisno, or rather…assistantfinalyes", "yes", "no, or rather…"),
        ("Here is my thought process:\nno\nHere is my response:\nyes", "yes", "no"),
        ("<think>no</think><answer>yes</answer>", "yes", "no"),
        ("<think>no</think>It is <|begin_of_box|>yes<|end_of_box|>", "It is yes", "no"),
        ("<think>I close </think> twice</think>yes", "yes", "I close \n\n twice"),
        ("<think>no</think>\nyes\n<think>or no</think>", "yes", "no\nor no"),
    ],
)
def test_every_family_of_markers(raw, answer, thoughts):
    reply = spoken(raw)
    assert (reply.answer, reply.thoughts, reply.ending) == (answer, thoughts, Ending.ANSWERED)


def test_thoughts_that_never_end_leave_no_answer():
    for raw in ("<think>It is red, so yes", "[THINK]yes yes", "◁think▷yes"):
        told = spoken(raw)
        assert (told.answer, told.ending) == ("", Ending.CUT_IN_THOUGHT)
        assert "yes" in told.thoughts
        for name, asked in ASKED.values():
            assert read(PARSERS[name], spoken(raw), asked) == Parsed(None, CUT_IN_THOUGHT)


def test_a_prompt_that_opened_thoughts_makes_all_thought_until_they_are_closed():
    assert spoken("It is red, so yes", is_opened=True) == SpokenReply("", "It is red, so yes", Ending.CUT_IN_THOUGHT)
    assert spoken("Hm.</think>yes", is_opened=True) == SpokenReply("yes", "Hm.")
    assert opens_thoughts("<|im_start|>assistant\n<think>\n")
    assert not opens_thoughts("<|im_start|>assistant\n<think>\n\n</think>\n\n")


def test_replies_with_thoughts_are_read_as_their_answers():
    assert len(CASES) == len({case["reply"] for case in CASES}) == 200
    assert {case["question"] for case in CASES} == set(ASKED)
    wrong = []
    for case in CASES:
        name, asked = ASKED[case["question"]]
        parsed = read(PARSERS[name], spoken(case["reply"]), asked)
        if (parsed.answer, parsed.problem) != (case["answer"], case["problem"]):
            wrong.append(f"{case}: {parsed}")
    assert not wrong, "\n".join(wrong)


MARKS = ["<think>", "</think>", "[THINK]", "◁/think▷", "yes", "no", "\n", "<answer>"]


@given(st.lists(st.sampled_from(MARKS)).map("".join))
def test_no_marker_is_left_and_nothing_is_lost(raw):
    told = spoken(raw)
    assert "think" not in told.answer.lower()
    assert (told.answer + told.thoughts).count("yes") == raw.count("yes")


def test_many_markers_cost_little():
    assert spoken("a</think>" * 20_000).answer == ""


def test_an_official_scorer_gets_the_frames_that_its_authors_did_not_remove():
    context = ParserContext("binary", "Color", ("yes", "no"), "yes")
    for parser, answer in (("grasp-paper", "yes"), ("grasp-official", None)):
        assert read(PARSERS[parser], spoken("<think>no</think><answer>yes</answer>"), context).answer == answer
        assert read(PARSERS[parser], spoken("<think>no</think>yes"), context).answer == "yes"
