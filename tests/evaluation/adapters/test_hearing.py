"""Audio models: their inputs equal their library's for the same sound, and other sound changes them."""

import copy
import re
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest
import torch

from evaluation.adapters.base import REPLY, Audio, Turn
from evaluation.adapters.conversation import APART, IMAGES, WOVEN, Talk
from evaluation.adapters.media_encoding import resampled
from evaluation.adapters.transformers.adapter import TransformersModel
from evaluation.adapters.transformers.inputs import METADATA, inputs_of, kinds_of_tokens, options_of_clips, rate_of
from evaluation.adapters.transformers.loading import ear_of
from evaluation.errors import ModelMisused
from tests.evaluation import packaged_families, tiny_hearing
from tests.evaluation.adapters.test_chat_templates import talk_of
from tests.evaluation.adapters.test_families import IN_EVERY_WAY, asked, clip
from tests.evaluation.chosen_families import chosen
from tests.evaluation.families_table import tiny_builds
from tests.evaluation.saved_families import opener

HEARD = {"qwen2_5_omni": WOVEN, "qwen3_omni_moe": WOVEN, "gemma4": APART, "qwen2_audio": APART}
HEARD |= dict.fromkeys(("muse_spark", "nemotron_h_omni", "phi4_multimodal"), APART)
HEARD |= dict.fromkeys(("gemma4_unified", "dots3_note", "inkling_mm_model", *packaged_families.BUILDS), APART)
LISTENING = (*tiny_hearing.LISTENING, "granite_speech", "granite_speech_plus")


def skipped_without(package: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(find_spec(package) is None, reason=f"SKIPPED LOUDLY: the package {package} is missing")


OPENED = chosen(HEARD, always=packaged_families.BUILDS)
EVERY = [pytest.param(name, marks=skipped_without(packaged_families.NEEDS.get(name, "torch"))) for name in OPENED]


@pytest.fixture(scope="module")
def opened():
    return opener((tiny_builds() | packaged_families.BUILDS).__getitem__, batch_size=4)


def sound(seed: int, seconds: float = 2.0, rate: int = 44100) -> Audio:
    noise = np.random.default_rng(seed).normal(0, 0.2, int(seconds * rate))
    return Audio(noise.astype(np.float32), rate)


def filmed(seconds: float = 2.0):
    """Eight frames of a clip at 25 frames a second with the length of its sound."""
    count = round(seconds * 25)
    places = tuple(round(place) for place in np.linspace(0, count - 1, 8))
    times = tuple(place / 25 for place in places)
    return replace(clip(8), indices=places, times=times, fps=25.0, duration_seconds=seconds)


FILM = filmed()
SOUND = re.compile("(input_(features|values)|audio_input_ids)$")
TO_HEAR = {
    "a sound alone": asked(Turn("Is it loud?", None, sound(1)), REPLY),
    "a longer sound": asked(Turn("Is it loud, and what was it?", None, sound(2, 3.3)), REPLY),
    "words alone": IN_EVERY_WAY["words alone"],
    "two sounds": asked(Turn("One.", None, sound(1)), Turn("Two. Which?", None, sound(2)), REPLY),
}
LONG = ("phi4_multimodal",)  # 300 tokens a picture
TO_WATCH = {
    "a clip with sound": asked(Turn("Is it loud?", FILM, sound(1)), REPLY),
    "a clip without": asked(Turn("Is it loud?", FILM), REPLY),
    "two clips": asked(Turn("One.", FILM, sound(1)), Turn("Two?", filmed(3.0), sound(2, 3.0)), REPLY),
    "after a look": asked(Turn("What is there?", FILM, sound(1)), REPLY, Turn("Is it loud?"), REPLY),
}


def ways(family: str):
    watched = () if family in LISTENING else ("a clip with sound",) if family in LONG else TO_WATCH
    return TO_HEAR | {way: TO_WATCH[way] for way in watched}


def by_the_library(talk: Talk, adapter: TransformersModel) -> dict:
    """The inputs that the library's own call makes of the conversation; for Omni by its own option `fps`."""
    loaded, clips = adapter.opened, talk.clips()
    rate = ear_of(loaded.processor).sampling_rate
    given: dict = (
        {"audio": [resampled(turn.audio, rate) for turn in talk.played() if turn.audio]} if talk.played() else {}
    )
    given |= kinds_of_tokens(loaded)
    if clips and loaded.sees == IMAGES:
        given |= {"images": [[picture for each in clips for picture in np.array(each.pixels)]]}
    elif clips:
        given |= {"videos": [np.array(each.pixels) for each in clips], **options_of_clips(loaded.processor)}
        given |= {METADATA: [each.metadata for each in clips]}
        if loaded.hears == WOVEN:
            given |= {"fps": rate_of(clips[0])}
            if talk.played():
                given |= {"load_audio_from_video": True, "audio_from_video_indices": list(range(len(clips)))}
    made = loaded.processor(text=[loaded.rendered(talk)], return_tensors="pt", add_special_tokens=False, **given)
    return {name: value for name, value in made.items() if name != METADATA}


@pytest.mark.parametrize("family", EVERY)
def test_tokens_and_replies_are_those_of_a_plain_loop(opened, family):
    adapter = opened(family)
    assert adapter.description["heard"] == HEARD[family]
    for way, request in ways(family).items():
        if way == "two clips" and HEARD[family] == WOVEN:
            continue  # the library has one rate for both
        made = by_the_library(talk := talk_of(request), adapter)
        assert inputs_of([talk], adapter.opened)["input_ids"].tolist() == made["input_ids"].tolist(), way
        if request.turns.count(REPLY) > 1:
            continue
        woven = {"use_audio_in_video": True} if HEARD[family] == WOVEN and talk.clips() and talk.played() else {}
        with torch.inference_mode():
            tokens = adapter.model.generate(**made, **woven, max_new_tokens=4, do_sample=False)
        said = tokens[0, made["input_ids"].shape[1] :]
        assert next(adapter.answer([request])).text == adapter.speaker.decode(said, skip_special_tokens=True).strip()


@pytest.mark.parametrize("family", EVERY)
def test_a_reply_hangs_on_its_request_alone_whatever_sounds_are_beside_it(opened, family):
    adapter, requests = opened(family), list(ways(family).values())
    together = [reply.turns for reply in adapter.answer(requests)]
    assert all(together)
    assert together == [next(adapter.answer([request])).turns for request in requests]


@pytest.mark.parametrize("family", EVERY)
def test_another_sound_and_silence_reach_the_model(opened, family):
    adapter = opened(family)

    def features(audio):
        frames = FILM if family not in LISTENING else None
        made = inputs_of([Talk.begun(asked(Turn("Is it loud?", frames, audio), REPLY))], adapter.opened)
        return next(value for name, value in made.items() if SOUND.search(name) and value.ndim > 1)

    own = sound(1)
    given = [features(one) for one in (own, sound(2), Audio(np.zeros_like(own.samples), own.rate))]
    assert torch.equal(given[0], features(sound(1)))
    assert not any(torch.equal(given[0], other) for other in given[1:])


@pytest.mark.parametrize("family", ["qwen2_5_omni", "qwen3_omni_moe"])
def test_each_clip_of_an_omni_model_has_its_own_seconds(opened, family):
    made = inputs_of([Talk.begun(TO_WATCH["two clips"])], opened(family).opened)
    seconds = [2 / rate_of(FILM), 2 / rate_of(filmed(3.0))]
    assert made["video_second_per_grid"].tolist() == pytest.approx(seconds)
    assert made["use_audio_in_video"] is True


def test_a_sound_that_the_model_would_cut_is_an_error_of_its_question_alone(opened):
    long, short = asked(Turn("Loud?", None, sound(1, 4.5)), REPLY), TO_HEAR["a sound alone"]
    replies = list(opened("qwen2_audio").answer([short, long, short]))
    assert replies[1].error == "the sound has 4.5 s, the model hears 4 s at most"
    assert replies[0].turns == replies[2].turns


def test_sound_is_heard_in_bfloat16_while_times_stay_exact(tmp_path):
    adapter = TransformersModel(path=str(tiny_hearing.qwen2_5_omni(tmp_path / "m")), dtype="bfloat16")
    assert next(adapter.answer([TO_WATCH["a clip with sound"]])).turns


def test_a_model_that_only_hears_refuses_clips_and_says_what_to_ask(opened):
    with pytest.raises(ModelMisused, match="hears alone and can't be shown clips: use the condition audio-only"):
        list(opened("qwen2_audio").answer([TO_WATCH["a clip with sound"]]))


def test_a_folder_without_its_processor_is_refused(tmp_path):
    for family in ("qwen2_audio", "gemma4"):
        folder = tiny_builds()[family](tmp_path / family)
        for path in folder.glob("*processor*"):
            path.unlink()
        with pytest.raises(ModelMisused, match="sees or hears, and the folder has no processor") as refused:
            TransformersModel(path=str(folder))
        assert "\n" not in str(refused.value)


def test_a_processor_that_lays_out_tokens_alone_is_refused(opened):
    loaded = replace(opened("qwen2_audio").opened, processor=copy.copy(opened("qwen2_audio").opened.processor))
    loaded.processor.apply_chat_template = lambda *given, **options: {"input_ids": [[1]]}
    with pytest.raises(ModelMisused, match="Qwen2AudioProcessor lays out conversations as tokens, never as text"):
        loaded.rendered(Talk.begun(IN_EVERY_WAY["words alone"]))
