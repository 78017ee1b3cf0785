"""Ceilings of runs: never exceeded, no paid answer lost, and runs resume when they are raised."""

import json
import re
from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command

from benchmarks.commands import CallerMistake
from evaluation.adapters.base import REPLY, Audio, Request, Turn
from evaluation.adapters.dialogue import Dialogue
from evaluation.adapters.openai import limits
from evaluation.adapters.openai.limits import Gate, Need, SpendingLimit, prompts_of
from evaluation.models import ModelResponse, Run
from evaluation.prompting.strategies import Say, conversation_for
from evaluation.queue.leases import claim_within
from evaluation.queue.scheduling import waiting_runs
from evaluation.runs.ceiling import checked_ceiling, set_ceiling
from evaluation.runs.lifecycle import resume_run, start_run
from evaluation.workers.loop import work
from tests.evaluation import fault_server as faults
from tests.evaluation.fault_server import completion, fine, raw, serving
from tests.factories import make_item, make_model

pytestmark = pytest.mark.django_db
EACH = 110  # tokens of one reply of the stand-in
PRICES = {"price_in": 1000.0, "price_out": 1000.0}  # so that a reply costs 0.11
SHORT = {"max_new_tokens": 10}


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(limits, "FIRST_WAIT", 0.004)


@pytest.fixture
def items(pack, monkeypatch):
    monkeypatch.setattr("evaluation.queue.shards.CELLS_A_SHARD", 32)  # two shards
    return [make_item(pack) for _ in range(40)]


def run_over(server, pack, *, slug="paid", condition="question-only", ceiling=None, **options) -> Run:
    own = {"base_url": server.base_url, "model": "tiny", "attempts": 6, "timeout": 20} | PRICES | options
    model = make_model(slug=slug, kind="openai", options=own)
    held = checked_ceiling(model, **({"cost": None, "tokens": None} | (ceiling or {})))
    return start_run(model=model, pack=pack, strategy="binary", condition=condition, sampling=SHORT, ceiling=held)


def ended(run: Run) -> Run:
    work()
    run.refresh_from_db()
    return run


@pytest.mark.parametrize("ceiling", [{"tokens": 20 * EACH + 50}, {"cost": 20 * EACH / 1000 + 0.05}])
def test_a_ceiling_is_never_passed_and_every_paid_answer_is_kept(pack, items, ceiling):
    with serving(fine("Yes")) as server:
        run = ended(run_over(server, pack, ceiling=ceiling))
        assert (run.state, run.code) == ("failed", "ceiling")
        assert "change_run resume goes on with a higher one" in run.reason
        kept = ModelResponse.objects.filter(cell__run=run).count()
        assert kept == len(server.seen) == run.card["usage"]["requests"]
        assert 18 <= kept <= 20  # it stops before the ceiling, never beyond
        assert run.card["ceiling"] == ceiling
        set_ceiling(run=run, **({"cost": None, "tokens": None} | {name: 100 * most for name, most in ceiling.items()}))
        resume_run(run=run)
        assert ended(run).state == "finished"
        assert len(server.seen) == 40  # no question twice
        assert run.card["usage"]["tokens_in"] == 4000


def test_a_first_question_that_could_pass_it_is_not_asked_and_uncounted_replies_cost_their_longest(pack, items):
    with serving(fine("Yes")) as server:
        run = ended(run_over(server, pack, ceiling={"tokens": 5}))
        assert (run.code, len(server.seen)) == ("ceiling", 0)
    uncounted = {name: value for name, value in completion("Yes").items() if name != "usage"}
    with serving(raw(uncounted)) as server:
        run = ended(run_over(server, pack, slug="uncounted", ceiling={"tokens": 500}))
        assert run.code == "ceiling"
        assert 1 <= len(server.seen) <= 5


def test_a_prompt_counts_more_with_pictures_and_every_turn():
    one = Request((Turn("a" * 300), REPLY))
    two = Request((Turn("a" * 300), REPLY, Turn("b" * 300), REPLY))
    assert prompts_of(one, 10) == pytest.approx(150)
    assert prompts_of(two, 10) == pytest.approx(150 + 260)
    heard = Request((Turn("a" * 300, audio=Audio(np.zeros(1600), 800)), REPLY))
    assert prompts_of(heard, 10) == pytest.approx(150 + 100)
    gate = Gate(SpendingLimit(tokens=1000, rate=2.0))
    assert gate.need_of(one, 10).tokens == pytest.approx(2 * 150 + 10)


def test_counts_of_a_conversation_add_up_and_an_uncounted_one_is_charged_its_most():
    dialogue = Dialogue(Request(()), counts=[(0, 0), (100, 10), (30, 2)])
    assert dialogue.tokens == (130, 12)
    limit, need = SpendingLimit(tokens=1000, cost=5.0, price_in=1e3, price_out=1e4), Need(10, 300, 2.0)
    limit.note(need, *dialogue.tokens)
    assert (limit.tokens, limit.cost) == (858, pytest.approx(4.75))
    dialogue.counts += [(5, None), (5, 5)]
    assert dialogue.tokens == (140, None)
    limit.note(need, *dialogue.tokens)
    assert (limit.tokens, limit.cost) == (558, pytest.approx(2.75))


def test_one_worker_at_a_time_holds_a_run_to_its_ceiling(pack, items):
    with serving(fine("Yes")) as server:
        run = run_over(server, pack, ceiling={"tokens": 10**6})
        assert claim_within(run=run, holder="first")
        assert claim_within(run=run, holder="second") is None
        assert not waiting_runs().filter(pk=run.pk).exists()
        free = start_run(model=run.model, pack=pack, strategy="binary", condition="question-only")
        assert claim_within(run=free, holder="first")
        assert claim_within(run=free, holder="second")


# --- by command ---


def say(*words: str) -> dict:
    out = StringIO()
    call_command(*words, "--json", stdout=out)
    return json.loads(out.getvalue())


ASK = ("start_run", "--benchmark", "grasp", "--strategy", "binary", "--condition", "question-only", "--model")


def test_a_ceiling_is_given_and_raised_by_command(pack, items):
    with serving(fine("Yes")) as server:
        options = [f"base_url={server.base_url}", "model=tiny", "price_in=1000", "price_out=1000"]
        call_command("add_model", "paid", kind="openai", option=options, stdout=StringIO())
        assert say(*ASK, "paid", "--estimate", "--max-new-tokens", "10")["tokens_in"] is None
        found = say(*ASK, "paid", "--most-cost", "1.2", "--max-new-tokens", "10")
        assert ended(Run.objects.get()).code == "ceiling"
        say("change_run", "resume", str(found["run"]), "--most-cost", "50")
        assert ended(Run.objects.get()).state == "finished"
        expected = say(*ASK, "paid", "--estimate", "--max-new-tokens", "10")
    assert (expected["questions"], expected["tokens_in"], expected["tokens_out"], expected["by"]) == (40, 4000, 400, 1)
    assert expected["cost"] == pytest.approx(4.4)
    assert expected["seconds"] > 0


def test_a_ceiling_that_cannot_be_held_is_refused(pack, items):
    make_model(slug="paid", kind="openai", options={"base_url": "http://127.0.0.1:9/v1", "model": "tiny"})
    for words, said in (
        (("always-yes", "--most-tokens", "10"), r"held for models behind a server \(kind openai\); always-yes is"),
        (("paid", "--most-cost", "2"), "has no prices"),
        (("paid", "--most-tokens", "0"), "the most tokens is 0: a number above 0"),
    ):
        with pytest.raises(CallerMistake, match=said):
            say(*ASK, *words)
    assert not Run.objects.exists()


def test_an_estimate_goes_by_runs_asked_alike_and_else_by_others(pack, items):
    """Tokens are those of stored answers, for any kind of model; uncounted tokens are not estimated."""
    assert say(*ASK, "always-yes", "--estimate")["seconds"] is None
    say(*ASK, "always-yes")
    work()
    found = say(*ASK, "always-yes", "--estimate")
    assert (found["questions"], found["tokens_in"], found["cost"], found["by"]) == (40, None, None, 1)
    ModelResponse.objects.update(tokens_in=90, tokens_out=2)
    for length, is_alike in (("64", True), ("8", False)):
        found = say(*ASK, "always-yes", "--estimate", "--max-new-tokens", length)
        assert (found["tokens_in"], found["tokens_out"], found["alike"]) == (3600, 80, is_alike)
    words = StringIO()
    call_command(*ASK, "always-yes", "--estimate", "--max-new-tokens", "8", stdout=words)
    assert "(by 1 finished run of this model, asked otherwise)" in words.getvalue()


@pytest.mark.parametrize(("strategy", "replies"), [("binary", 1), ("binary-cot", 2)])
def test_an_estimate_without_a_run_bounds_what_is_known(pack, items, strategy, replies):
    make_model(slug="server", kind="openai", options={"base_url": "http://127.0.0.1:9/v1", "model": "tiny"})
    how = ("--strategy", strategy, "--max-new-tokens", "8", "--estimate")
    found = say(*ASK, "server", *how)
    texts = [part.text for part in conversation_for(strategy, pack.items.first()) if isinstance(part, Say)]
    assert found["text_in"] == pytest.approx(40 * len("".join(texts)) / 4, abs=40)
    assert (found["most_out"], found["tokens_in"]) == (40 * replies * 8, None)
    words = StringIO()
    call_command(*ASK, "server", *how, stdout=words)
    assert f"at most {40 * replies * 8} out; time: not measured (no finished run to go by" in words.getvalue()
    assert say(*ASK, "always-yes", *how)["most_out"] is None
    assert not Run.objects.exists()


# --- all faults at once ---


def vllm(words: str) -> dict:
    return completion(words, reasoning_content="I look.")


def ollama(words: str) -> dict:
    return completion(words, reasoning="I look.") | {"system_fingerprint": "fp_ollama", "usage": faults.USAGE}


def llama_cpp(words: str) -> dict:
    return completion(f"<think>I look.</think>{words}") | {"timings": {"prompt_n": 1}, "__verbose": {}}


def sglang(words: str) -> dict:
    return completion(words, tool_calls=None, reasoning_content=None) | {"metadata": {"weight_version": "default"}}


def hosted(words: str) -> dict:
    return completion([{"type": "text", "text": words}]) | {"provider": "X"}


DIALECTS = (vllm, ollama, llama_cpp, sglang, hosted)
FAULTS = (
    raw({"error": {"message": "Rate limit", "type": "rate_limit"}}, 429, Retry_After="0"),
    raw({"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}, 503),
    raw({"error": "overloaded"}, 529),
    raw({"error": {"message": "upstream", "code": 502}}, 200),
    raw(b'{"choices": [{"message": {"content": "ye', 200),
    raw(b"<html>bad gateway</html>", 502),
    raw({"object": "error", "choices": []}, 200),
    faults.closes_in_mid_reply,
)


def bad_and_good_in_turns(handler):
    """Every second request gets a fault; the others answer in changing dialects, and requests are recorded."""
    if handler.number % 2:
        FAULTS[handler.number // 2 % len(FAULTS)](handler)
        return
    handler.send(DIALECTS[handler.number // 2 % len(DIALECTS)](f"said of {number_in(handler.said)}"))


def number_in(words: str) -> str:
    return re.findall(r"case (\d+)", words)[0]


@pytest.mark.parametrize("ceiling", [None, {"tokens": 10**6}])
def test_under_all_faults_no_answer_is_lost_doubled_or_given_to_another_question(pack, ceiling):
    for number in range(48):
        make_item(pack, text=f"Is case {number} plausible? Answer only with yes or no.")
    with serving(bad_and_good_in_turns) as server:
        run = ended(run_over(server, pack, ceiling=ceiling, attempts=20, concurrency=16))
        while run.state != "finished":  # a question with only faulty attempts is asked again
            assert run.code == "unanswered"
            resume_run(run=run)
            run = ended(run)
    responses = list(ModelResponse.objects.filter(cell__run=run).select_related("cell__item"))
    assert len(responses) == 48 == len({response.cell_id for response in responses})
    for response in responses:
        assert response.raw == f"said of {number_in(str(response.turns))}"
    used = run.card["usage"]
    assert used["requests"] == len(server.seen)
    assert used["tokens_in"] == 48 * 100  # failures were not counted, answers were counted once
