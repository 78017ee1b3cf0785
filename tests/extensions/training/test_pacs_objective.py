"""Training of PACS' baselines: the content of a step, learning, and identical results after a kill."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from extensions.training.core.loop import Loop
from extensions.training.pacs.examples import PairQuestion, bundles_of
from extensions.training.pacs.recipes import BASELINES
from tests.extensions.training.killing import assert_ended_alike, killed_after, one_thread
from tests.extensions.training.pacs_objects import RINGS, SHINES
from tests.extensions.training.pacs_training import track_of, train, train_with_checkpoints

ROOT = Path(__file__).resolve().parents[3]
CPU = torch.device("cpu")


def unturned(one: PairQuestion) -> PairQuestion:
    return min(one, PairQuestion(one.second, one.first, one.text, 1 - one.label), key=lambda asked: asked.first)


def test_an_epoch_has_every_question_once_and_about_half_of_them_turned():
    course = track_of("fusion-qa", epochs=1)
    known = {one for bundle in course.bundles for one in bundle}
    learnt = [one for step in range(course.pace.steps) for one in course.batch(step)[0]]
    assert sorted(str(unturned(one)) for one in learnt) == sorted(str(unturned(one)) for one in known)
    assert 0.3 < sum(one not in known for one in learnt) / len(learnt) < 0.7


def test_the_rate_falls_to_a_tenth_where_the_paper_says():
    baseline = BASELINES["late-fusion"]
    course = track_of("fusion-qa", epochs=40, drops=baseline.sizes["full"].drops)
    rates = {epoch: course.rate(epoch * course.steps_an_epoch) for epoch in (0, 19, 20, 29, 30, 39)}
    assert rates == pytest.approx({0: 1, 19: 1, 20: 0.1, 29: 0.1, 30: 0.01, 39: 0.01})


def test_pairs_that_share_an_object_are_learnt_together():
    asked = [PairQuestion(*pair, "Which?", 0) for pair in ((0, 1), (8, 9), (1, 2), (2, 0), (4, 5), (9, 4))]
    bundles = bundles_of(asked, 3)
    assert [[(one.first, one.second) for one in bundle] for bundle in bundles] == [
        [(0, 1), (1, 2), (2, 0)],
        [(8, 9), (9, 4), (4, 5)],
    ]
    assert bundles_of(asked, 0) == [[one] for one in asked]


@pytest.mark.parametrize(("name", "text", "other"), [("fusion-qa", RINGS, SHINES), ("clip", SHINES, RINGS)])
def test_a_model_learns_what_its_own_channel_decides(name, text, other):
    """Tested on other objects than in training; it can't know what the other channel decides."""
    course = track_of(name, groups=6, epochs=20, check_every=5)
    Loop(course).run(lambda *how_far: None)
    (right,) = course.right(course.check, CPU).values()
    told = {
        asked: [is_right for is_right, one in zip(right, course.check, strict=True) if one.text == asked]
        for asked in (text, other)
    }
    assert np.mean(told[text]) > 0.9
    assert 0.2 <= np.mean(told[other]) <= 0.8


@one_thread()
def test_a_training_that_is_killed_ends_with_the_same_curve_and_weights(tmp_path):
    undisturbed = train(tmp_path / "none")
    if os.environ.get("KILLS") == "many":
        kill_another_interpreter(3, tmp_path)
    else:
        killed_after(3, lambda say: train_with_checkpoints(tmp_path, say))
    assert (tmp_path / "checkpoint").exists()
    assert_ended_alike(undisturbed, train(tmp_path))


def kill_another_interpreter(step, folder):
    """Its strings have other hashes. It is started in `make soak PART=training`, which takes five seconds."""
    command = [sys.executable, "-m", "tests.extensions.training.pacs_training", str(folder)]
    one_thread = os.environ | {"OMP_NUM_THREADS": "1"}  # results hang on it
    with subprocess.Popen(command, cwd=ROOT, env=one_thread, stdout=subprocess.PIPE, text=True) as process:
        while int(process.stdout.readline()) < step:
            pass
        process.kill()
    assert process.returncode == -signal.SIGKILL
