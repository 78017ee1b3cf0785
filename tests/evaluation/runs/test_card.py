"""Run cards differ for any two runs whose options could change replies."""

import inspect
import json
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.models.answers import ItemSeal
from evaluation.adapters.openai.adapter import OpenAIModel
from evaluation.adapters.openai.options import UNTOLD, ServerOptions
from evaluation.adapters.program import CommandOptions
from evaluation.adapters.transformers.adapter import TransformersModel
from evaluation.adapters.transformers.sizing import Sizing
from evaluation.inputs import frames
from evaluation.models import ModelResponse, Run
from evaluation.runs.completion import card_of, options_hash, site
from evaluation.runs.lifecycle import start_run
from evaluation.runs.pages.rows import card_rows
from evaluation.workers.loop import work_on
from tests.evaluation import tiny_families
from tests.factories import make_item, make_model

SAVED = {"batch_size": 3, "dtype": "bfloat16", "template_options": {"enable_thinking": False}, "thinking_tokens": 7}
SAVED |= {"threads": 3, "likelihood": "whole string", "device_map": "auto", "attention": "eager"}
SERVER = {"model": "another", "system": "Look closely.", "frames_as": "video", "image_format": "png", "times": False}
SERVER |= {"audio": True, "thinking_tokens": 7, "choice_as": "regex", "thinking_as": "effort", "extra": {"top_p": 0.9}}
SERVER |= {"length_field": "max_completion_tokens"}
# Only in the hash of options: no reply depends on them, or they are private. Prices are beside the cost.
HASHED = {"transformers": {"path", "device"}, "openai": {*UNTOLD, "price_in", "price_out"}}
OF_THEIR_OWN_TEST = {"processor_options", "quantise"}  # need eyes and a package: adapters/test_sizing.py
ADDRESS = {"base_url": "http://127.0.0.1:9/v1", "model": "one"}


@pytest.fixture(scope="module")
def thinker(tmp_path_factory):
    return str(tiny_families.thinker(tmp_path_factory.mktemp("card") / "model"))


def described(kind: str, options: dict, path: str) -> dict:
    """The adapter's facts for the card."""
    if kind == "transformers":
        return dict(TransformersModel(path=path, **options).description)
    return dict(OpenAIModel(**{**ADDRESS, **options}).description)


@pytest.mark.parametrize(("kind", "others"), [("transformers", SAVED), ("openai", SERVER)])
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
    told = described("openai", {"extra": {"user": "hunter2"}, "key_variable": ""}, "")
    assert told["asked with"] == {"extra": ["user"]}  # never what its fields hold


PLAIN = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
VALUES = PLAIN | st.dictionaries(st.text(max_size=5), PLAIN)
KINDS = (ServerOptions, CommandOptions, Sizing)
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


@pytest.fixture
def run(pack):
    """A run of two questions, whose card and replies are of the site's making."""
    make_item(pack), make_item(pack)
    model = make_model(kind="scripted", options={"default": "yes"})
    return start_run(model=model, pack=pack, strategy="binary", condition="question-only")


@pytest.mark.django_db
def test_runs_that_were_asked_otherwise_have_other_cards(run, monkeypatch):
    run.condition, run.sampler = "video", "uniform-8"
    before = card_of(run)
    assert card_of(run) == before
    for name, value in CHANGES.items():
        own = getattr(run, name)
        setattr(run, name, value)
        assert card_of(run) != before, name
        setattr(run, name, own)
    monkeypatch.setattr(frames, "SAMPLER_VERSION", frames.SAMPLER_VERSION + 1)
    assert card_of(run) != before


def test_every_setting_of_a_run_is_looked_at():
    told_elsewhere = {"model", "pack", "revision", "referee", "kind", "judged", "owner", "priority", "listing", "marks"}
    bookkeeping = {"id", "role", "state", "code", "reason", "served_at", "busy_since", "rest_until", "card", "results"}
    bookkeeping |= {"results_version", "answers_version", "created_at", "started_at", "finished_at"}
    names = {field.name for field in Run._meta.fields}
    assert names - told_elsewhere - bookkeeping == set(CHANGES)


@pytest.mark.django_db
def test_the_card_names_the_site_and_the_options(run):
    work_on(run.pk)
    run.refresh_from_db()
    assert run.card["site"] == site()
    assert run.card["model"]["options"] == options_hash(run.model.options)
    assert "Version of this site" in dict(card_rows(run))


def test_a_commit_that_an_image_names_is_taken(settings):
    site.cache_clear()
    settings.COMMIT = "0123abc"
    assert site() == {"version": settings.VERSION, "commit": "0123abc"}
    site.cache_clear()


@pytest.mark.django_db
def test_the_first_prompt_stands_on_the_card_unless_its_answer_is_hidden(run):
    work_on(run.pk)
    assert "First prompt as sent" not in dict(card_rows(run))
    for response in ModelResponse.objects.filter(cell__run=run):
        response.turns[0]["prompt"] = f"<s>{response.cell.item.draw_key}"
        response.save()
    first = run.pack.items.earliest("draw_key")
    assert dict(card_rows(run))["First prompt as sent"] == f"<s>{first.draw_key}"
    ItemSeal.objects.create(item=first, by="withheld")
    assert "First prompt as sent" not in dict(card_rows(run))
