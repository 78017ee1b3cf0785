"""Log-probabilities of options: equal to a plain loop of the library, and equal through servers and programs."""

import json
import sys

import numpy as np
import pytest
import torch

from evaluation.adapters.base import REPLY, Request, Turn
from evaluation.adapters.command import CommandModel
from evaluation.adapters.conversation import Talk
from evaluation.adapters.openai.adapter import OpenAIModel
from evaluation.adapters.transformers.adapter import TransformersModel
from evaluation.adapters.transformers.inputs import inputs_of
from evaluation.adapters.transformers.likelihood import FIRST_TOKEN, PER_TOKEN, WHOLE
from evaluation.errors import ModelMisused
from tests.evaluation.fault_server import serving
from tests.evaluation.tiny_model import seen

FAMILIES = ("llava_onevision", "internvl", "qwen2_5_vl", "qwen3_vl", "smolvlm", "text_alone")
YES_NO = ("yes", "no")
SHARED = ("object 1", "object 2")  # begin with the same token


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
def test_first_tokens_and_whole_strings_are_those_of_a_plain_loop(opened, family):
    """Options with a common beginning are distinguished by all their tokens, which continue from the prompt's cache."""
    adapter = opened(family)
    for way, options in ((FIRST_TOKEN, YES_NO), (WHOLE, SHARED)):
        requests = [asked(family, words, options) for words in ("Which one?", "Which one is the ball on the table?")]
        for request, reply in zip(requests, adapter.answer(requests), strict=True):
            wanted = by_a_plain_loop(adapter, request, whole=way == WHOLE)
            assert json.loads(reply.text) == pytest.approx(wanted, abs=2e-5)
        assert adapter.description["likelihood"] == way


@pytest.fixture
def passes(opened):
    """The forward passes of Qwen 2.5 VL."""
    made = []
    hook = opened("qwen2_5_vl").model.register_forward_hook(lambda *_: made.append(1))
    yield made
    hook.remove()


@pytest.mark.parametrize(
    ("options", "calls"), [(("object 1", "object", "the object 2", "red"), 2 * 2), (("1", "2"), 1)]
)
def test_all_strings_are_read_in_one_call_and_single_tokens_in_none(opened, passes, monkeypatch, options, calls):
    """Two questions; of a string and its prefix only the longer one is read."""
    adapter = opened("qwen2_5_vl")
    requests = [asked("qwen2_5_vl", words, options) for words in ("Which?", "Which one is it?")]
    monkeypatch.setattr(adapter, "way", WHOLE)
    replies = list(adapter.answer(requests))
    assert len(passes) == calls
    for request, reply in zip(requests, replies, strict=True):
        assert json.loads(reply.text) == pytest.approx(by_a_plain_loop(adapter, request, whole=True), abs=2e-5)


def test_tokens_can_be_averaged(opened, monkeypatch):
    adapter, request = opened("text_alone"), asked("text_alone", "Which one?", SHARED)
    monkeypatch.setattr(adapter, "way", PER_TOKEN)
    expected = by_a_plain_loop(adapter, request, whole=True, per_token=True)
    assert json.loads(next(adapter.answer([request])).text) == pytest.approx(expected, abs=2e-5)
    with pytest.raises(ModelMisused, match="option likelihood 'last token': one of first token"):
        TransformersModel(path=adapter.model.config._name_or_path, likelihood="last token")


def test_the_last_reply_alone_is_weighed_and_open_thoughts_are_refused(opened):
    request = Request((Turn("Look."), REPLY, Turn("Is it red?"), REPLY), options=YES_NO, by_likelihood=True)
    reply = next(opened("text_alone").answer([request]))
    assert json.loads(reply.turns[1]).keys() == {"yes", "no"}
    assert "{" not in reply.turns[0][:1]
    refused = next(opened("made_to_think").answer([asked("text_alone", "Is it red?")]))
    assert "opens thoughts" in refused.error


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


def test_a_program_writes_them_in_a_field(settings, tmp_path):
    settings.VAR_DIR = tmp_path
    (tmp_path / "weigh.py").write_text(PROGRAM)
    adapter = CommandModel(program=[sys.executable, "-S", str(tmp_path / "weigh.py")], seconds=5, start_seconds=5)
    too_likely = "the program's field log_probs: the log-probability of 'yes' is 0.2: at most 0"
    try:
        for given, error in (
            ({"yes": -0.2, "no": -1.7}, ""),
            ({"yes": 0.2, "no": -1.7}, too_likely),
            ({"yes": -0.2}, "no log-probability of 'no'"),
            ("yes", "no log-probability of 'yes'"),
        ):
            said = next(adapter.answer([asked("text_alone", json.dumps(given))]))
            assert error in said.error
            assert error or json.loads(said.text) == given
    finally:
        adapter._stop()
