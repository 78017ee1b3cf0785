"""One reply has one reading, whoever brings it: replies of all shapes by server, program, saved model and file.

Each line of the data is in the shape that its source documents or reports, with the whole `body` of the server's
answer where the source has it; the words are ours.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.adapters.base import REPLY, Request, Turn
from evaluation.adapters.command import _add_reply
from evaluation.adapters.dialogue import Dialogue
from evaluation.adapters.openai.responses import Later, Unanswerable, reply_from
from evaluation.adapters.transformers.adapter import raw_reply
from evaluation.errors import ModelMisused
from evaluation.models import ModelResponse
from evaluation.parsing import PARSERS
from evaluation.replies import COMPLETE, Ending, RawReply, SpokenReply, read, reply_of
from evaluation.replies.sources import reply_in_completion
from evaluation.submissions.files.rows import Spool
from evaluation.submissions.lint.check import lint
from measures.scores.parsed_answers import ParserContext
from tests.evaluation.fault_server import completion
from tests.evaluation.submissions.uploads import header, json_lines, upload, zipped
from tests.factories import make_item, make_pack

NOTHING = {"text": None, "thoughts": "", "finish": None, "error": None, "tokens": None}


def filled(case: dict) -> dict:
    """The case with all fields of a raw reply; where it has a whole body, its thoughts alone are written by hand."""
    if "body" not in case:
        return NOTHING | case
    return NOTHING | vars(reply_in_completion(case["body"])) | {"thoughts": ""} | case


LINES = (Path(__file__).parents[1] / "data" / "raw_replies.jsonl").read_text(encoding="utf-8").splitlines()
CASES = [filled(json.loads(line)) for line in LINES]
INSPECTS_WORDS = ("stop", "max_tokens", "model_length", "tool_calls", "content_filter")
PARSER, QUESTION = PARSERS["grasp-paper"], ParserContext("binary", "Color", ("yes", "no"))
FAILED = "failed"


def wanted(case: dict) -> str:
    return FAILED if case.get("failed") else case.get("answer") or case["problem"]


def found(reply: SpokenReply) -> str:
    """What is read now, and again from what is stored."""
    if reply.has_failed:
        return FAILED
    stored = ModelResponse(raw=reply.text, thoughts=reply.thoughts, ended=reply.ending.value).spoken
    readings = {read(PARSER, each, QUESTION) for each in (reply, stored)}
    return " and ".join(each.answer or each.problem for each in readings)


def by_server(case: dict) -> str:
    body = completion(case["text"], case["finish"] or None, reasoning_content=case["thoughts"])
    body["usage"] = {"prompt_tokens": 100, "completion_tokens": case["tokens"]}
    if case["error"]:
        body = {"error": case["error"]}
    try:
        return found(reply_from(case.get("status", 200), {}, json.dumps(case.get("body", body)).encode()).spoken)
    except (Later, Unanswerable, ModelMisused):
        return FAILED


def by_program(case: dict) -> str:
    dialogue = Dialogue(Request((Turn("Is it red?"), REPLY)))
    fields = {"text": case["text"] or "", "thoughts": case["thoughts"], "finish_reason": case["finish"]}
    _add_reply(dialogue, {"error": case["error"]} if case["error"] else fields)
    reply = dialogue.reply()
    return FAILED if reply.error else found(SpokenReply(reply.text, "".join(reply.thoughts), Ending(reply.ended)))


class Speaker:
    """A tokenizer whose tokens are a text, with one special token at its end."""

    all_special_tokens = ("<|im_end|>",)

    def decode(self, tokens: str, *, skip_special_tokens: bool = False) -> str:
        return tokens.removesuffix("<|im_end|>") if skip_special_tokens else tokens


def by_saved_model(case: dict) -> str:
    end = "<|im_end|>" if case["finish"] == "stop" else ""
    tokens: Any = f"{case['text']}{end}"
    return found(reply_of(raw_reply(tokens, Speaker(), finish=case["finish"], is_opened=False)))


def needs_counts(case: dict) -> bool:
    return bool(case.get("failed")) and not case["error"] and case["finish"] in ("stop", None, "")


def can_lose_its_end(case: dict) -> bool:
    """Whether a format without words for the end holds this reply whole."""
    says_why = case["error"] or str(case["finish"]).casefold() not in COMPLETE
    return not (says_why or needs_counts(case) or (case["thoughts"] and not case["text"]))


def inspect_sample(item: str, case: dict) -> dict:
    content = [{"type": "reasoning", "reasoning": case["thoughts"]}, {"type": "text", "text": case["text"] or ""}]
    choice = {"message": {"role": "assistant", "content": content}, "stop_reason": case["finish"]}
    output = {"choices": [], "error": case["error"]} if case["error"] else {"choices": [choice]}
    return {"id": item, "epoch": 1, "output": output}


def inspect_log(*samples: dict) -> bytes:
    return zipped({f"samples/{each['id']}_epoch_1.json": json.dumps(each).encode() for each in samples})


FORMS = {
    "JSON Lines": (
        can_lose_its_end,
        lambda item, case: {"item": item, "reply": case["text"] or "", "thoughts": case["thoughts"]},
        json_lines,
    ),
    "inspect": (
        lambda case: not needs_counts(case) and (case["error"] or case["finish"] in INSPECTS_WORDS),
        inspect_sample,
        inspect_log,
    ),
    "lmms-eval": (
        lambda case: can_lose_its_end(case) and not case["thoughts"],
        lambda item, case: {"doc_id": 0, "doc": {"id": item}, "resps": [[case["text"] or ""]], "filtered_resps": ["x"]},
        json_lines,
    ),
    "lm-eval": (
        lambda case: can_lose_its_end(case) and not case["thoughts"],
        lambda item, case: {
            "doc_id": item,
            "doc": {"question": "?"},
            "resps": [[case["text"] or ""]],
            "filter": "none",
        },
        json_lines,
    ),
    "Every Eval Ever": (
        lambda case: not needs_counts(case) and case["finish"] in INSPECTS_WORDS and not case["error"],
        lambda item, case: {
            "sample_id": item,
            "interaction_type": "single_turn",
            "output": {"raw": [case["text"] or ""], "reasoning_trace": [case["thoughts"]]},
            "metadata": {"stop_reason": case["finish"]},
        },
        json_lines,
    ),
}


def test_the_corpus_has_every_ending_and_names_its_sources():
    assert len(CASES) >= 200
    assert {wanted(case) for case in CASES} > {"yes", "no", FAILED, "cut off", "thoughts cut off", "refused", "empty"}
    assert all(case["source"].startswith("https://") for case in CASES)


def raw_of(case: dict) -> RawReply:
    return RawReply(*(case[name] for name in ("text", "thoughts", "finish", "error", "tokens")))


def test_thoughts_are_found_wherever_a_server_puts_them():
    bodies = [case for case in CASES if "body" in case]
    assert len(bodies) > 50
    assert not [case for case in bodies if reply_in_completion(case["body"]).thoughts != case["thoughts"]]


def test_every_reply_is_what_it_should_be():
    wrong = [case for case in CASES if found(reply_of(raw_of(case))) != wanted(case)]
    assert not wrong, "\n".join(map(str, wrong))
    endings = [(reply_of(raw_of(case)).ending, case["failed"]) for case in CASES if case.get("failed")]
    assert [ending for ending, _ in endings] == [failed for _, failed in endings]


@pytest.mark.parametrize(
    ("way", "holds"),
    [
        (by_server, lambda case: True),
        (by_program, lambda case: not needs_counts(case)),
        (by_saved_model, lambda case: case["text"] and not case["thoughts"] and case["finish"] in ("stop", "length")),
    ],
)
def test_whoever_gives_the_reply_its_reading_is_the_same(way, holds):
    held = [case for case in CASES if holds(case) and not (way is by_saved_model and needs_counts(case))]
    assert len(held) > 40
    wrong = [f"{way(case)}: {case}" for case in held if way(case) != wanted(case)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.django_db
def test_whatever_file_holds_the_reply_its_reading_is_the_same_or_the_same_problem():
    pack = make_pack(name="raw")
    items = [make_item(pack, facets={"split": ("all", "paper"), "test": ("Color",)}) for _ in CASES]
    wrong = []
    for form, (holds, sample, packed) in FORMS.items():
        held = [(item, case) for item, case in zip(items, CASES, strict=True) if holds(case)]
        spool = Spool()
        file = upload(packed(*(sample(item.public_id, case) for item, case in held)))
        report = lint(file, header(pack), spool=spool)
        got = {each.item: each.answer or each.problem for chunk in spool.chunks() for each in chunk}
        refused = {each.item: FAILED for each in report.problems if each.code == "value"}
        assert len(held) > 50, form
        for item, case in held:
            reading = got.get(item.pk) or refused.get(item.public_id, "nothing")
            wrong += [] if reading == wanted(case) else [f"{form}: {reading}: {case}"]
    assert not wrong, "\n".join(wrong)
