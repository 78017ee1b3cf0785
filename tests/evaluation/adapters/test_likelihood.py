"""Log-probabilities of options: equal to a plain loop of the library, and equal through servers and programs."""

import json
import sys
import textwrap
import time

import numpy as np
import pytest
import torch

from evaluation.adapters.base import REPLY, Request, Turn
from evaluation.adapters.command.adapter import CommandModel
from evaluation.adapters.conversation import Talk
from evaluation.adapters.openai.adapter import OpenAIModel
from evaluation.adapters.transformers.adapter import TransformersModel
from evaluation.adapters.transformers.inputs import inputs_of
from evaluation.adapters.transformers.likelihood import FIRST_TOKEN, PER_TOKEN, WHOLE
from evaluation.errors import ModelMisused
from tests.evaluation import tiny_families
from tests.evaluation.fault_server import serving
from tests.evaluation.saved_families import saved_once
from tests.evaluation.tiny_model import seen

FAMILIES = ("llava_onevision", "internvl", "qwen2_5_vl", "qwen3_vl", "smolvlm", "text_alone")
YES_NO = ("yes", "no")
SHARED = ("object 1", "object 2")  # begin with the same token


@pytest.fixture(scope="module")
def opened():
    cache: dict[str, TransformersModel] = {}

    def of(family: str) -> TransformersModel:
        if family not in cache:
            folder = saved_once(getattr(tiny_families, family))
            cache[family] = TransformersModel(path=str(folder), batch_size=4)
        return cache[family]

    return of


def clip(seed: int = 0):
    rng = np.random.default_rng(seed)
    return seen(*(rng.integers(0, 255, (36, 64, 3), dtype=np.uint8) for _ in range(4)))


def asked(family: str, words: str, options=YES_NO) -> Request:
    frames = None if family == "text_alone" else clip(len(words))
    return Request((Turn(words, frames), REPLY), options=options, by_likelihood=True)


def by_a_plain_loop(adapter: TransformersModel, request: Request, *, whole: bool, per_token=False) -> dict[str, float]:
    """Each spelling after the prompt in its own forward pass, without padding, cache or batch."""
    tokenizer, found = adapter.opened.tokenizer, {}
    for option in request.options:
        sums = []
        for text in dict.fromkeys((option, option.capitalize())):
            inputs = dict(inputs_of([Talk.begun(request)], adapter.opened))
            prompt = inputs["input_ids"].shape[1]
            tokens = tokenizer(text, add_special_tokens=False, return_tensors="pt")["input_ids"]
            tokens = tokens if whole else tokens[:, :1]
            added = {"input_ids": tokens, "attention_mask": torch.ones_like(tokens)}
            for name in ("mm_token_type_ids", "token_type_ids"):
                added[name] = torch.zeros_like(tokens)
            for name in added.keys() & inputs.keys():
                inputs[name] = torch.cat([inputs[name], added[name]], 1)
            inputs.pop("token_type_ids", None) if adapter.opened.processor is adapter.opened.tokenizer else None
            with torch.no_grad():
                logits = adapter.model(**inputs).logits[0, prompt - 1 : -1].double()
            each = torch.log_softmax(logits, -1)[range(tokens.shape[1]), tokens[0]]
            sums.append(float(each.mean() if per_token else each.sum()))
        found[option] = float(np.logaddexp.reduce(list(dict.fromkeys(sums)) if not whole else sums))
    return found


@pytest.mark.parametrize("family", FAMILIES)
def test_first_tokens_are_those_of_a_plain_loop(opened, family):
    adapter = opened(family)
    requests = [asked(family, words) for words in ("Is it red?", "Is the ball on the table red? Is this true?")]
    for request, reply in zip(requests, adapter.answer(requests), strict=True):
        assert json.loads(reply.text) == pytest.approx(by_a_plain_loop(adapter, request, whole=False), abs=2e-5)
    assert adapter.description["likelihood"] == FIRST_TOKEN


@pytest.mark.parametrize("family", FAMILIES)
def test_whole_strings_are_those_of_a_plain_loop(opened, family):
    """Options with a common beginning are distinguished by all their tokens, which continue from the prompt's cache."""
    adapter = opened(family)
    requests = [asked(family, words, SHARED) for words in ("Which one?", "Which one is the ball on the table?")]
    for request, reply in zip(requests, adapter.answer(requests), strict=True):
        assert json.loads(reply.text) == pytest.approx(by_a_plain_loop(adapter, request, whole=True), abs=2e-5)
    assert adapter.description["likelihood"] == WHOLE


@pytest.mark.parametrize(
    ("options", "calls"), [(("object 1", "object", "the object 2", "red"), 2 * 2), (("1", "2"), 1)]
)
def test_all_strings_are_read_in_one_call_and_single_tokens_in_none(opened, options, calls):
    """Two questions; of a string and its prefix only the longer one is read."""
    adapter, made = opened("qwen2_5_vl"), []
    requests = [asked("qwen2_5_vl", words, options) for words in ("Which?", "Which one is it?")]
    hook = adapter.model.register_forward_hook(lambda *_: made.append(1))
    adapter.way = WHOLE
    try:
        replies = list(adapter.answer(requests))
    finally:
        adapter.way = FIRST_TOKEN
        hook.remove()
    assert len(made) == calls
    for request, reply in zip(requests, replies, strict=True):
        assert json.loads(reply.text) == pytest.approx(by_a_plain_loop(adapter, request, whole=True), abs=2e-5)


def test_tokens_can_be_averaged(opened):
    adapter, request = opened("text_alone"), asked("text_alone", "Which one?", SHARED)
    adapter.way = PER_TOKEN
    try:
        reply = next(adapter.answer([request]))
    finally:
        adapter.way = FIRST_TOKEN
    expected = by_a_plain_loop(adapter, request, whole=True, per_token=True)
    assert json.loads(reply.text) == pytest.approx(expected, abs=2e-5)
    with pytest.raises(ModelMisused, match="option likelihood 'last token': one of first token"):
        TransformersModel(path=adapter.model.config._name_or_path, likelihood="last token")


def test_the_last_reply_alone_is_weighed_and_open_thoughts_are_refused(opened):
    request = Request((Turn("Look."), REPLY, Turn("Is it red?"), REPLY), options=YES_NO, by_likelihood=True)
    reply = next(opened("text_alone").answer([request]))
    assert json.loads(reply.turns[1]).keys() == {"yes", "no"}
    assert "{" not in reply.turns[0][:1]
    refused = next(opened("made_to_think").answer([asked("text_alone", "Is it red?")]))
    assert "opens thoughts" in refused.error


def test_weighing_costs_one_forward_pass(opened):
    adapter, passes = opened("qwen2_5_vl"), []
    hook = adapter.model.register_forward_hook(lambda *_: passes.append(time.monotonic()))
    try:
        list(adapter.answer([asked("qwen2_5_vl", "Is it red?")] * 4))
    finally:
        hook.remove()
    assert len(passes) == 1


def tops(**log_probs):
    return {"content": [{"top_logprobs": [{"token": token, "logprob": value} for token, value in log_probs.items()]}]}


@pytest.mark.parametrize(
    ("logprobs", "reply", "error"),
    [
        (tops(Yes=-1.0, yes=-1.0, No=-2.0), {"yes": -1.0 + np.log(2), "no": -2.0}, ""),
        (tops(Yes=-0.1, The=-3.0), {"yes": -0.1, "no": -3.0}, ""),  # no more likely than the last one listed
        (tops(The=-0.1), None, "none of yes, no is among the 1 likeliest first tokens"),
        (None, None, "holds no log-probabilities"),
        (tops(Yes=0.5, No=-2.0), None, "'Yes' is 0.5, and not a number up to 0"),
        (tops(Yes=float("nan"), No=-2.0), None, "'Yes' is nan, and not a number up to 0"),
    ],
)
def test_a_server_is_asked_for_its_likeliest_tokens(logprobs, reply, error):
    def act(handler):
        choice = {"message": {"content": "Yes"}, "finish_reason": "length", "logprobs": logprobs}
        handler.send({"choices": [choice], "model": "m"})

    with serving(act) as server:
        said = next(OpenAIModel(base_url=server.base_url, model="m", attempts=1).answer([asked("text_alone", "Red?")]))
        body = server.seen[0].body
    assert (body["logprobs"], body["top_logprobs"], body["max_tokens"]) == (True, 20, 1)
    assert error in said.error
    assert bool(said.error) == bool(error)
    assert error or json.loads(said.text) == pytest.approx(reply, abs=1e-5)


PROGRAM = """
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    said = json.loads(question["turns"][-1]["text"])
    print(json.dumps({"id": question["id"], "log_probs": said, "text": question["options"][0]}), flush=True)
"""


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"yes": -0.2, "no": -1.7}, ""),
        ({"yes": 0.2, "no": -1.7}, "the program's field log_probs: the log-probability of 'yes' is 0.2: at most 0"),
        ({"yes": -0.2}, "no log-probability of 'no'"),
        ("yes", "no log-probability of 'yes'"),
    ],
)
def test_a_program_writes_them_in_a_field(settings, tmp_path, given, error):
    settings.VAR_DIR = tmp_path
    script = tmp_path / "weigh.py"
    script.write_text(textwrap.dedent(PROGRAM))
    adapter = CommandModel(program=[sys.executable, "-S", str(script)], seconds=5, start_seconds=5)
    try:
        said = next(adapter.answer([asked("text_alone", json.dumps(given))]))
    finally:
        adapter._stop()
    assert error in said.error
    assert error or json.loads(said.text) == given
