"""The worked example of docs/architecture.md, a provider in under fifteen lines: added, and asked by a run."""

import sys
from types import SimpleNamespace

import pytest

from evaluation.adapters import registry
from evaluation.models import ModelResponse
from evaluation.runs.add_model import add_model
from evaluation.runs.lifecycle import start_run
from evaluation.workers.loop import work
from tests.factories import make_item
from tests.worked_examples import module_under

pytestmark = pytest.mark.django_db


class Llama:
    """Stands in for the library's class: its completions have these fields."""

    received: list[tuple] = []

    def __init__(self, *, model_path: str) -> None:
        self.path = model_path

    def create_chat_completion(self, messages, *, seed: int, temperature: float, max_tokens: int):
        assert 0 <= seed < 2**32
        self.received.append((self.path, [message["role"] for message in messages], temperature, max_tokens))
        text = "<think>Nothing falls.</think>Yes" if len(messages) > 1 else "A red ball."
        message = {"role": "assistant", "content": text}
        return {"choices": [{"message": message, "finish_reason": "stop"}], "usage": {"completion_tokens": 3}}


@pytest.fixture
def kind(monkeypatch) -> str:
    """The kind of the example, with the library that it needs."""
    monkeypatch.setattr(Llama, "received", [])
    monkeypatch.setitem(sys.modules, "llama_cpp", SimpleNamespace(Llama=Llama))
    made = module_under("A provider of models", monkeypatch, "evaluation.adapters.llama")
    monkeypatch.setitem(registry.ADAPTERS, "llama", f"{made.__name__}.{made.LlamaCpp.__name__}")
    return "llama"


def test_the_example_answers_a_run_of_one_item(kind, pack, visitor):
    make_item(pack, expected="yes")
    model, _is_new = add_model(slug="small", kind=kind, options={"path": "small.gguf"})
    run = start_run(model=model, pack=pack, strategy="binary-cot", condition="question-only")
    work()
    run.refresh_from_db()
    response = ModelResponse.objects.get()
    assert (run.state, response.raw, response.thoughts) == ("finished", "Yes", "Nothing falls.")
    assert (response.readings.get().answer, response.readings.get().scores.get().value) == ("yes", 1.0)
    limits = (run.sampling["temperature"], run.sampling["max_new_tokens"])
    assert Llama.received == [("small.gguf", ["user"], *limits), ("small.gguf", ["user", "assistant", "user"], *limits)]
    assert run.card["model"]["weights"] == "small.gguf"
    assert "small" in visitor.get(f"/runs/{run.pk}/").content.decode()
