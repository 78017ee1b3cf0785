"""Prompts equal, token by token, the output of the library's own apply_chat_template."""

import json
from dataclasses import replace
from importlib.util import find_spec

import pytest
import torch

from evaluation.adapters.base import REPLY, Request, Turn
from evaluation.adapters.conversation import IMAGES, VIDEO, Talk
from evaluation.adapters.transformers.adapter import THINKING, TransformersModel
from evaluation.adapters.transformers.inputs import at_least, inputs_of, kinds_of_tokens, options_of_clips, own, placed
from evaluation.adapters.transformers.loading import card_of
from evaluation.errors import ModelMisused
from evaluation.replies import SpokenReply
from tests.evaluation import clip_families, tiny_families
from tests.evaluation.adapters.test_families import IN_EVERY_WAY, asked
from tests.evaluation.chosen_families import chosen
from tests.evaluation.families_table import seeing_builds
from tests.evaluation.saved_families import opener, saved_once

SEEING = (*tiny_families.VIDEO, "llava")
WITH_TESTS = ("kimi_k25", "minimax_m3_vl", "molmo2", "nemotron_h_omni", "t5gemma2")  # of their own below
RELATED = chosen((name for name in seeing_builds() if name not in SEEING), always=WITH_TESTS)
TIMM = pytest.mark.skipif(find_spec("timm") is None, reason="SKIPPED LOUDLY: no timm, which these families need")
WITH_TIMM = tuple(clip_families.WITH_TIMM)
ONE_CLIP = ("molmo2",)  # whose processor takes one clip a conversation
READING = ("text_alone", "thinker", "made_to_think")
OPTIONS = (("yes", "no"), ("is red", "is blue"))


@pytest.fixture(scope="module")
def opened():
    builds = tiny_families.BUILDS | seeing_builds() | clip_families.WITH_TIMM
    return opener(builds.__getitem__, dtype="bfloat16", thinking_tokens=0)


def talk_of(request: Request) -> Talk:
    """The conversation up to the second reply, if there is one."""
    talk = Talk.begun(request)
    while len(talk.replies) < request.turns.count(REPLY) - 1:
        talk.hear(SpokenReply("I see a ball."))
    return talk


def by_the_library(talk: Talk, adapter: TransformersModel) -> list[int]:
    """The library's own tokens of the conversation with its clips."""
    return torch.as_tensor(made_by_the_library(talk, adapter)["input_ids"]).flatten().tolist()


def made_by_the_library(talk: Talk, adapter: TransformersModel):
    loaded, clips = adapter.opened, talk.clips()
    messages = talk.messages(loaded.sees, loaded.stills)
    fewest = getattr(getattr(adapter.opened.processor, "video_processor", None), "temporal_patch_size", None) or 1
    films = [at_least(fewest, own(each)) for each in clips]
    are_videos = bool(clips) and not loaded.shows_as_images(clips[0])
    shown = iter(films if are_videos else [own(each)[place] for each in clips for place in range(len(each))])
    for message in messages:
        if not isinstance(message["content"], str):
            message["content"] = [
                part | {part["type"]: next(shown)} if part["type"] in ("video", "image") else part
                for part in message["content"]
            ]
    extra = {"video_metadata": [each.metadata for each in clips], **options_of_clips(loaded.processor)}
    more = {**kinds_of_tokens(loaded), **(extra if are_videos else {})}
    how = {"add_generation_prompt": True, "tokenize": True, "return_dict": True, "return_tensors": "pt"}
    how |= {"processor_kwargs": more} if more else {}
    return adapter.opened.processor.apply_chat_template(messages, **how)


@pytest.mark.parametrize(
    ("family", "way"),
    [
        *((family, way) for family in SEEING for way in IN_EVERY_WAY),
        *((family, "eight frames" if family in ONE_CLIP else "after an example") for family in RELATED),
        *(pytest.param(family, "after an example", marks=TIMM) for family in WITH_TIMM),
        *((family, "words alone") for family in READING),
    ],
)
def test_the_tokens_are_those_of_the_library_and_begin_once(opened, family, way):
    adapter, talk = opened(family), talk_of(IN_EVERY_WAY[way])
    tokens = inputs_of([talk], adapter.opened)["input_ids"][0].tolist()
    assert tokens == by_the_library(talk, adapter)
    assert tokens.count(adapter.opened.tokenizer.bos_token_id) == 1


@pytest.mark.parametrize(
    "family", [*SEEING, *RELATED, *(pytest.param(family, marks=TIMM) for family in WITH_TIMM), "text_alone"]
)
def test_replies_are_those_of_a_plain_loop(opened, family):
    adapter, heard = opened(family), []
    for way in (
        "words alone",
        *(("eight frames", "two clips at once", "a row of pictures") if family in SEEING else ()),
        *(("eight frames", "a row of pictures") if family in (*RELATED, *WITH_TIMM) else ()),
    ):
        made = made_by_the_library(talk_of(IN_EVERY_WAY[way]), adapter)
        given = {
            name: value.bfloat16() if "pixel" in name and value.is_floating_point() else value
            for name, value in made.items()
            if name != "video_metadata"
        }
        with torch.inference_mode():
            tokens = adapter.model.generate(**given, max_new_tokens=4, do_sample=False)[0]
        start = 0 if adapter.model.config.is_encoder_decoder else made["input_ids"].shape[1]
        said = adapter.speaker.decode(tokens[start:], skip_special_tokens=True).strip()
        assert next(adapter.answer([IN_EVERY_WAY[way]])).text == said, way
        heard.append(said)
    assert any(heard), "two silent loops agree on anything"


def test_a_conversation_that_the_processor_refuses_is_refused_with_its_reason(opened):
    with pytest.raises(ModelMisused, match="refuses the conversation: At most one video is supported per sample"):
        list(opened("molmo2").answer([IN_EVERY_WAY["two clips at once"]]))


@pytest.mark.parametrize(
    ("family", "error", "said"),
    [("kimi_k25", RuntimeError, "split_sizes"), ("nemotron_h_omni", AttributeError, "'list' object has no attribute")],
)
def test_the_library_still_cannot_show_these_families_clips_as_videos(opened, family, error, said):
    adapter = opened(family)
    assert (adapter.opened.sees, adapter.description["shown"]) == (IMAGES, IMAGES)
    loaded = replace(adapter.opened, sees=VIDEO)

    def written():
        inputs = inputs_of([talk_of(IN_EVERY_WAY["eight frames"])], loaded)
        return adapter.model.generate(**placed(inputs, adapter.device, adapter.dtype), max_new_tokens=1)

    with pytest.raises(error, match=said):
        written()


def test_a_model_that_padding_moves_answers_prompts_of_other_lengths_one_by_one(opened):
    adapter = opened("minimax_m3_vl")
    requests = [asked(Turn(f"Is it red?{' Look again.' * count}"), REPLY) for count in (0, 9, 9)]
    together = [reply.text for reply in adapter.answer(requests)]
    assert together == [next(adapter.answer([request])).text for request in requests]


def test_a_decoder_apart_from_its_encoder_weighs_options_by_their_first_tokens_alone(opened):
    first, whole = (asked(Turn("Is it red?"), REPLY, options=options, by_likelihood=True) for options in OPTIONS)
    assert not next(opened("t5gemma2").answer([first])).error
    error = next(opened("t5gemma2").answer([whole])).error
    assert error == "an encoder-decoder model weighs options by their first tokens alone"


@pytest.mark.parametrize("family", ["llava_onevision", "text_alone"])
def test_a_template_without_a_start_token_is_tokenised_as_the_library_does(opened, monkeypatch, family):
    adapter, talk = opened(family), talk_of(IN_EVERY_WAY["words alone"])
    bare = adapter.opened.processor.chat_template.removeprefix("{{ bos_token }}")
    monkeypatch.setattr(adapter.opened.processor, "chat_template", bare)
    tokens = inputs_of([talk], adapter.opened)["input_ids"][0].tolist()
    assert tokens == by_the_library(talk, adapter)
    assert tokens.count(adapter.opened.tokenizer.bos_token_id) == (family == "llava_onevision")


def test_pictures_take_the_models_dtype_and_times_keep_theirs():
    inputs = {"pixel_values_videos": torch.ones(2), "second_per_grid_ts": torch.tensor([1.003])}
    there = placed(inputs | {"input_ids": torch.ones(1)}, torch.device("cpu"), torch.bfloat16)
    assert there["pixel_values_videos"].dtype == torch.bfloat16
    assert there["second_per_grid_ts"].item() == pytest.approx(1.003, abs=1e-6)


# --- thoughts ---


def folder_of(name):
    return str(saved_once(tiny_families.BUILDS[name]))


def test_options_of_a_template_reach_it_and_others_are_refused():
    folder = folder_of("thinker")
    off = TransformersModel(path=folder, template_options={"enable_thinking": False})
    on = TransformersModel(path=folder, template_options={"enable_thinking": True})
    talk = Talk.begun(IN_EVERY_WAY["words alone"])
    assert off.opened.rendered(talk) == on.opened.rendered(talk) + "<think>\n\n</think>\n\n"
    for name in ("enable_thoughts", "tokenize", "messages"):
        with pytest.raises(ModelMisused, match=f"template option '{name}'"):
            TransformersModel(path=folder, template_options={name: False})


def test_a_model_that_thinks_has_room_for_it():
    for family, options, room in (
        ("thinker", {}, THINKING),
        ("thinker", {"template_options": {"enable_thinking": False}}, 0),
        ("thinker", {"thinking_tokens": 7}, 7),
        ("made_to_think", {}, THINKING),
        ("text_alone", {}, 0),
    ):
        assert TransformersModel(path=folder_of(family), **options).description["thinking tokens"] == room
    with pytest.raises(ModelMisused, match="thinking tokens -1: use auto"):
        TransformersModel(path=folder_of("thinker"), thinking_tokens=-1)


@pytest.mark.parametrize("family", ["thinker", "made_to_think"])  # as words, and as special tokens
def test_thoughts_are_told_apart_and_the_talk_goes_on_from_the_answer(opened, monkeypatch, family):
    adapter = opened(family)
    words = adapter.opened.tokenizer
    said = words("<think>It is red.</think>Yes.<|im_end|>", add_special_tokens=False)["input_ids"]

    def generate(input_ids, **options):
        return torch.cat([input_ids, torch.tensor([said] * len(input_ids))], 1)

    monkeypatch.setattr(adapter.model, "generate", generate)
    talk = asked(Turn("What is there?"), REPLY, Turn("Is it red?"), REPLY)
    (reply,) = adapter.answer([talk])
    assert (reply.turns, reply.thoughts, reply.ended) == (("Yes.", "Yes."), ("It is red.",) * 2, "")
    begun = Talk.begun(talk)
    begun.hear(SpokenReply("Yes.", "It is red."))
    assert "It is red." not in adapter.opened.rendered(begun)


# --- the card ---


def test_the_first_prompt_is_told_as_the_template_lays_it_out(opened):
    adapter = opened("text_alone")
    first, second = adapter.answer([IN_EVERY_WAY["words alone"], IN_EVERY_WAY["words alone"]])
    assert first.prompt == "<s><|im_start|>user\nA ball falls. Is it true?<|im_end|>\n<|im_start|>assistant\n"
    assert second.prompt == ""


EDGE = {"height": 42, "width": 42}
CHANGES = {
    "template": lambda adapter: setattr(adapter.opened.processor, "chat_template", "{{ bos_token }}"),
    "penalty": lambda adapter: setattr(adapter.model.generation_config, "repetition_penalty", 1.5),
    "drawing": lambda adapter: setattr(adapter.model.generation_config, "top_p", 0.8),
    "tokens": lambda adapter: adapter.opened.tokenizer.add_tokens(["never before"]),
    "pictures": lambda adapter: setattr(adapter.opened.processor.image_processor, "size", EDGE),
    "attention": lambda adapter: setattr(adapter.model.config, "_attn_implementation", "eager"),
}


def test_what_could_move_a_number_moves_the_card():
    for name, change in CHANGES.items():
        adapter = TransformersModel(path=folder_of("llava_onevision"))
        before = card_of(adapter.opened)
        next(adapter.answer([IN_EVERY_WAY["one frame"]]))
        assert card_of(adapter.opened) == before
        change(adapter)
        assert card_of(adapter.opened) != before, name
        assert json.dumps(card_of(adapter.opened))


def test_the_card_says_which_settings_of_the_makers_are_used():
    adapter = TransformersModel(path=folder_of("text_alone"))
    settings = adapter.model.generation_config
    settings.temperature, settings.top_p, settings.repetition_penalty = 0.6, 0.8, 1.05
    card = card_of(adapter.opened)
    assert card["generation settings used"] == {"repetition_penalty": 1.05}
    assert card["generation settings not used"] == {"temperature": 0.6, "top_p": 0.8}
