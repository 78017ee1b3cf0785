"""Run cards differ for any two runs whose options could change replies."""

import inspect
import json
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.models import ItemSeal
from evaluation.adapters import start_tokens
from evaluation.adapters.command.options import CommandOptions
from evaluation.adapters.openai.adapter import OpenAIModel
from evaluation.adapters.openai.options import UNTOLD, ServerOptions
from evaluation.adapters.transformers.adapter import TransformersModel
from evaluation.adapters.transformers.sizing import Sizing
from evaluation.adapters.vllm.options import VllmOptions, vllm_options
from evaluation.models import ModelResponse, Run
from evaluation.runs.completion import card_of, options_hash, site
from evaluation.runs.known_issues import issue_of
from evaluation.runs.lifecycle import start_run
from evaluation.runs.pages import card_rows
from evaluation.workers.loop import work_on
from tests.evaluation import tiny_families
from tests.factories import make_item, make_model, make_run

# Another value for every option of models run here. A new option must be added here and to the card.
SAVED = {
    "batch_size": 3,
    "dtype": "bfloat16",
    "threads": 3,  # the default is one or two
    "template_options": {"enable_thinking": False},
    "thinking_tokens": 7,
    "likelihood": "whole string",
    "device_map": "auto",
    "attention": "eager",
}
SERVER = {
    "model": "another",
    "system": "Look closely.",
    "frames_as": "video",
    "image_format": "png",
    "times": False,
    "audio": True,
    "thinking_tokens": 7,
    "choice_as": "regex",
    "thinking_as": "effort",
    "length_field": "max_completion_tokens",
    "extra": {"top_p": 0.9},
}
VLLM = {
    "tensor_parallel": 2,
    "dtype": "float16",
    "quantise": "fp8",
    "max_model_len": 2048,
    "gpu_memory": 0.5,
    "media_per_prompt": 3,
    "processor_options": {"fps": 1},
    "arguments": ["--enforce-eager"],
}
# Only in the hash of options: no reply depends on them, or they are private. Prices are beside the cost.
HASHED = {
    "transformers": {"path", "device", "ahead"},
    "openai": {*UNTOLD, "price_in", "price_out"},
    "vllm": {"path", "program", "start_seconds"},
}
OF_THEIR_OWN_TEST = {"processor_options", "quantise"}  # need eyes and a package: adapters/test_sizing.py
ADDRESS = {"base_url": "http://127.0.0.1:9/v1", "model": "one"}


@pytest.fixture(scope="module")
def thinker(tmp_path_factory):
    return str(tiny_families.thinker(tmp_path_factory.mktemp("card") / "model"))


def described(kind: str, options: dict, path: str) -> dict:
    """The adapter's facts for the card; no vLLM server is started."""
    if kind == "transformers":
        return dict(TransformersModel(path=path, **options).description)
    if kind == "openai":
        return dict(OpenAIModel(**{**ADDRESS, **options}).description)
    own = vllm_options({"path": path, **options})
    return own.facts() | dict(OpenAIModel(**vars(own.server(ADDRESS["base_url"]))).description)


@pytest.mark.parametrize(("kind", "others"), [("transformers", SAVED), ("openai", SERVER), ("vllm", VLLM)])
def test_every_option_has_its_place_on_the_card_and_equal_ones_are_equal(thinker, kind, others):
    plain = described(kind, {}, thinker)
    assert plain == described(kind, {}, thinker)
    for name, value in others.items():
        changed = described(kind, {name: value}, thinker)
        assert changed != plain, name
        assert changed == described(kind, {name: value}, thinker), name


def test_no_option_is_left_out():
    saved = {*inspect.signature(TransformersModel).parameters, *(each.name for each in fields(Sizing))} - {"sizing"}
    assert saved == {*SAVED, *HASHED["transformers"], *OF_THEIR_OWN_TEST}
    assert {each.name for each in fields(ServerOptions)} == {*SERVER, *HASHED["openai"]}
    assert {each.name for each in fields(VllmOptions)} - {"asked"} == {*VLLM, *HASHED["vllm"]}


def test_the_card_names_fields_of_extra_and_not_what_they_hold():
    told = described("openai", {"extra": {"user": "hunter2"}, "key_variable": ""}, "")
    assert told["asked with"] == {"extra": ["user"]}


PLAIN = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
VALUES = PLAIN | st.dictionaries(st.text(max_size=5), PLAIN)
KINDS = (ServerOptions, CommandOptions, Sizing, VllmOptions)
NAMES = sorted({*SAVED, *(each.name for kind in KINDS for each in fields(kind))})


@given(st.dictionaries(st.sampled_from(NAMES), VALUES), st.sampled_from(NAMES), VALUES)
def test_models_of_other_options_have_other_cards(options, name, value):
    changed = options | {name: value}
    is_same = json.dumps(options, sort_keys=True) == json.dumps(changed, sort_keys=True)
    assert (options_hash(options) == options_hash(changed)) == is_same


def test_the_hash_tells_nobody_an_address(settings):
    options = {"base_url": "http://10.0.0.5:8000/v1"}
    here = options_hash(options)
    settings.SECRET_KEY = "another-site"
    assert options_hash(options) != here


CHANGES = {
    "strategy": "binary-cot",
    "condition": "question-only",
    "split": "other",
    "sampler": "uniform-16",
    "sampling": {"temperature": 0.0, "max_new_tokens": 64, "thinking": 512},
    "seeds": [0, 1],
    "parser": "grasp-official",
    "parser_version": "99",
    "rubric": "expected-match",
    "limit": 3,
    "only": {"test": ["Color"]},
}


@pytest.mark.django_db
@pytest.mark.parametrize("name", CHANGES)
def test_runs_that_were_asked_otherwise_have_other_cards(pack, name):
    make_item(pack)
    run = start_run(model=make_model(), pack=pack, strategy="binary", condition="question-only", limit=1)
    run.condition, run.limit = "video", None
    before = card_of(run)
    assert card_of(run) == before
    setattr(run, name, CHANGES[name])
    assert card_of(run) != before


def test_every_setting_of_a_run_is_looked_at():
    told_elsewhere = {"model", "pack", "revision", "referee", "kind", "judged", "owner", "priority", "listing", "marks"}
    bookkeeping = {"id", "state", "code", "reason", "served_at", "busy_since", "rest_until", "card", "results"}
    bookkeeping |= {"results_version", "answers_version", "created_at", "started_at", "finished_at"}
    names = {field.name for field in Run._meta.fields}
    assert names - told_elsewhere - bookkeeping == set(CHANGES)


@pytest.mark.django_db
def test_the_card_names_the_site_and_the_options(pack):
    make_item(pack)
    model = make_model(kind="scripted", options={"default": "yes"})
    run = start_run(model=model, pack=pack, strategy="binary", condition="question-only")
    work_on(run.pk)
    run.refresh_from_db()
    assert run.card["site"] == site()
    assert run.card["model"]["options"] == options_hash(model.options)
    assert "Version of this site" in dict(card_rows(run))


def test_a_commit_that_an_image_names_is_taken(settings):
    site.cache_clear()
    settings.COMMIT = "0123abc"
    assert site() == {"version": settings.VERSION, "commit": "0123abc"}
    site.cache_clear()


@pytest.mark.django_db
def test_the_first_prompt_stands_on_the_card_unless_its_answer_is_hidden(pack):
    for _ in range(2):
        make_item(pack)
    model = make_model(kind="scripted", options={"default": "yes"})
    run = start_run(model=model, pack=pack, strategy="binary", condition="question-only")
    work_on(run.pk)
    assert "First prompt as sent" not in dict(card_rows(run))
    for response in ModelResponse.objects.filter(cell__run=run):
        response.turns[0]["prompt"] = f"<s>{response.cell.item.draw_key}"
        response.save()
    first = run.pack.items.earliest("draw_key")
    assert dict(card_rows(run))["First prompt as sent"] == f"<s>{first.draw_key}"
    ItemSeal.objects.create(item=first, by="withheld")
    assert "First prompt as sent" not in dict(card_rows(run))


# --- runs with two start tokens ---

GEMMA = {"bos_token": "<bos>", "add_bos_token": True}
LLAMA = {"bos_token": {"content": "<|begin|>"}}
ADDS = {"post_processor": {"type": "Sequence", "processors": [{"single": [{"SpecialToken": {"id": "<|begin|>"}}]}]}}


@pytest.mark.parametrize(
    ("template", "tokenizer", "rules", "is_doubled"),
    [
        ("{{ bos_token }}{% for m in messages %}", GEMMA, {}, True),
        ("{{- bos_token }}", LLAMA, ADDS, True),
        ("<|begin|>{% for m in messages %}", LLAMA, ADDS, True),
        ("{% for m in messages %}", GEMMA, {}, False),
        ("{{ bos_token }}", GEMMA | {"add_bos_token": False}, {}, False),
        ("{{ bos_token }}", LLAMA, {"post_processor": None}, False),
        ("{% for m in messages %}", {"bos_token": None}, {}, False),
        ("{{ bos_token }}", [], {}, False),
    ],
)
def test_a_folder_tells_whether_its_prompts_began_twice(tmp_path, template, tokenizer, rules, is_doubled):
    (tmp_path / start_tokens.TEMPLATE).write_text(template)
    (tmp_path / start_tokens.TOKENIZER).write_text(json.dumps(tokenizer))
    (tmp_path / start_tokens.RULES).write_text(json.dumps(rules))
    assert start_tokens.was_doubled(str(tmp_path)) is is_doubled


def gguf(file, template, **facts):
    """A file with metadata only, written by llama.cpp's own library."""
    writer = pytest.importorskip("gguf").GGUFWriter(file, "qwen2")
    writer.add_token_list(["<unk>", "<s>", "a"])
    writer.add_token_scores([0.0, 0.0, 0.0])
    writer.add_chat_template(template)
    for name, value in facts.items():
        getattr(writer, name)(value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


@pytest.mark.parametrize(
    ("template", "facts", "is_doubled"),
    [
        ("{{ bos_token }}a", {"add_bos_token_id": 1, "add_add_bos_token": True}, True),
        ("<s>a", {"add_bos_token_id": 1, "add_tokenizer_model": "llama"}, True),
        ("{{ bos_token }}a", {"add_bos_token_id": 1, "add_tokenizer_model": "gpt2"}, False),
        ("{{ bos_token }}a", {"add_bos_token_id": 1, "add_add_bos_token": False}, False),
        ("a", {"add_bos_token_id": 1, "add_add_bos_token": True}, False),
        ("{{ bos_token }}a", {"add_bos_token_id": 9, "add_add_bos_token": True}, False),
        ("{{ bos_token }}a", {"add_add_bos_token": True}, False),
    ],
)
def test_a_gguf_file_tells_whether_its_prompts_began_twice(tmp_path, template, facts, is_doubled):
    """As in transformers 5: without `add_bos_token`, SentencePiece models get a start token."""
    gguf(tmp_path / "model.gguf", template, **facts)
    assert start_tokens.was_doubled(str(tmp_path / "model.gguf")) is is_doubled


@pytest.mark.parametrize("content", [b"", b"GGUF", b"GGUF\x03\0\0\0" + b"\xff" * 40, b"no weights"])
def test_a_file_that_is_no_gguf_tells_nothing(tmp_path, content):
    (tmp_path / "model.gguf").write_bytes(content)
    assert not start_tokens.was_doubled(str(tmp_path / "model.gguf"))


@pytest.mark.django_db
def test_an_older_referee_that_was_asked_wrongly_is_named_on_both_cards(pack, tmp_path):
    gguf(tmp_path / "old.gguf", "{{ bos_token }}", add_bos_token_id=1, add_add_bos_token=True)
    referee = make_model(name="referee", kind="transformers", options={"path": str(tmp_path / "old.gguf")})
    run = make_run(pack, referee=referee.slug)
    stage = make_run(pack, model=referee, kind="referee", judged=run, card={"model": {"family": "Llama"}})
    assert issue_of(stage) == "asked with a doubled start token; ask again"
    assert issue_of(run) == "its referee was asked with a doubled start token; have it scored again"


def test_a_folder_that_is_not_here_tells_nothing(tmp_path):
    assert not start_tokens.was_doubled(str(tmp_path / "none"))
    assert not start_tokens.was_doubled("")


@pytest.mark.django_db
def test_only_an_older_run_of_such_a_model_is_said_to_be_asked_wrongly(pack, tmp_path, client):
    (tmp_path / start_tokens.TEMPLATE).write_text("{{ bos_token }}")
    (tmp_path / start_tokens.TOKENIZER).write_text(json.dumps(GEMMA))
    make_item(pack)
    model = make_model(kind="transformers", options={"path": str(tmp_path)})
    run = start_run(model=model, pack=pack, strategy="binary", condition="question-only")
    assert "Known issue" not in dict(card_rows(run))  # nothing was asked yet
    run.card = {"model": {"family": "Gemma3ForConditionalGeneration"}}
    assert dict(card_rows(run))["Known issue"] == "asked with a doubled start token; ask again"
    run.save()
    assert client.get(f"/runs/{run.pk}/card.json").json()["issue"] == "asked with a doubled start token; ask again"
    run.card["model"]["tokenizer"] = "0" * 64
    assert "Known issue" not in dict(card_rows(run))
