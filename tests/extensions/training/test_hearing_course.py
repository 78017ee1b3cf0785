"""A tiny Omni model learns from sound: two pitches here, materials of Tapped's things in `make soak PART=hearing`."""

import os

import numpy as np
import pytest

from evaluation.adapters.base import Audio
from evaluation.adapters.conversation import Talk
from evaluation.adapters.transformers.inputs import inputs_of
from tests.evaluation import tiny_hearing
from tests.extensions.training import hearing_course
from tests.extensions.training.hearing_course import Course, Exercise, about, silenced

RATE = 16000


def tone(hertz: float) -> Audio:
    moments = np.arange(RATE // 2) / RATE
    return Audio((0.5 * np.sin(2 * np.pi * hertz * moments)).astype(np.float32), RATE)


def pitch(hertz: float) -> Exercise:
    return about("Low?", tone(hertz), "no" if hertz > 1000 else "yes")


def test_exercises_are_the_inputs_of_the_adapter_and_what_is_learnt_is_heard(tmp_path):
    course = Course(tiny_hearing.qwen2_5_omni(tmp_path / "m"), rate=4e-3)
    batch, whole = course.batch([pitch(200)]), inputs_of([Talk.begun(pitch(200).request)], course.opened)
    asked = batch["input_ids"][0][batch["labels"][0] == -100]
    assert asked.tolist() == whole["input_ids"][0].tolist()
    assert (batch["input_features"] == whole["input_features"]).all()
    course.learn([pitch(hertz) for hertz in (*range(150, 400, 12), *range(2500, 5000, 120))], steps=30, batch=8)
    others = [pitch(hertz) for hertz in (190, 260, 330, 2600, 3300, 4100)]
    assert course.share_right(others) == 1.0
    assert course.share_right([silenced(one) for one in others]) == 0.5


@pytest.mark.skipif("HEARING" not in os.environ, reason="ten minutes of recording and learning: make soak PART=hearing")
def test_a_tiny_omni_model_hears_what_things_it_never_heard_are_made_of(tmp_path):
    train = hearing_course.recorded(hearing_course.SEED_OF_TRAINING, 80)
    unheard = hearing_course.about_one(hearing_course.recorded(hearing_course.SEED_OF_TEST, 30))
    sizes = {**hearing_course.SPEECH, **hearing_course.HEADS}, hearing_course.EARS
    course = Course(tiny_hearing.qwen2_5_omni(tmp_path / "m", *sizes))
    course.learn(hearing_course.about_one(train), steps=600, batch=16)
    right, by_silence = course.share_right(unheard), course.share_right([silenced(one) for one in unheard])
    print(f"{len(unheard)} things of ten materials: {right:.1%} right, {by_silence:.1%} in silence")
    assert by_silence < 0.2 < 0.4 < right
