"""The small video network of Level 2: its clips, learning, resuming, and answers as a model of the site."""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
import torch

from evaluation.adapters.base import REPLY, Frames, Request, Turn
from evaluation.adapters.registry import open_model
from evaluation.models import Model
from extensions.training.core.loop import Loop
from extensions.training.plausibility import trainer, worker
from extensions.training.plausibility.network import VideoNet, brought_to
from extensions.training.plausibility.objective import PlausibilityExamples, PlausibilityObjective
from extensions.training.plausibility.trainer import PlausibilityRecipe
from leaderboard.board.overviews.level_results import all_levels
from leaderboard.standings.refresh import refresh
from tests.commands import told
from tests.extensions.training.killing import assert_power_cuts_change_nothing, silent
from tests.factories import make_answer, make_item, make_pack, make_run

SMALL: dict[str, Any] = {
    "pairs": 6,
    "frames": 4,
    "height": 12,
    "width": 18,
    "channels": (4, 6, 8),
    "steps": 60,
    "batch": 4,
}
TINY = PlausibilityRecipe(tests=("Rising", "Falling"), dropout=0.1, rate=1e-2, **SMALL)
COMMAND = ("train_baseline", "grasp-video", "--benchmark", "grasp", "--weights")
PROMPT = "Is the trajectory of the ball plausible? Answer only with yes or no."


def clip(test, *, plausible, brightness=0):
    """Pictures [4, 12, 18, 3] of a rising or falling bar, which stops in the middle of an implausible clip."""
    pictures = np.full((4, 12, 18, 3), 40 + brightness, np.uint8)
    for frame in range(4):
        place = 3 * (frame if plausible else min(frame, 1))
        row = place if test == "Falling" else 9 - place
        pictures[frame, row : row + 3, 4:14] = (250, 120, 60)
    return pictures


def examples():
    pairs = [
        [torch.from_numpy(clip(test, plausible=plausible, brightness=5 * number)) for plausible in (True, False)]
        for test in TINY.tests
        for number in range(TINY.pairs)
    ]
    clips = torch.stack([torch.stack(pair) for pair in pairs]).permute(0, 1, 2, 5, 3, 4).contiguous()
    return PlausibilityExamples(clips, torch.arange(len(TINY.tests)).repeat_interleave(TINY.pairs))


def test_it_learns_which_test_a_clip_shows_and_what_is_plausible_there():
    course = PlausibilityObjective(examples(), TINY, 0)
    reached = Loop(course).run(silent)
    assert reached.losses[-1] < reached.losses[0] / 5
    unseen = [clip(test, plausible=plausible, brightness=33) for test in TINY.tests for plausible in (True, False)]
    shown = torch.stack([brought_to(TINY, torch.from_numpy(pictures)) for pictures in unseen])
    assert (course.network.margins(shown) > 0).tolist() == [True, False, True, False]
    assert course.network(shown)[0].argmax(1).tolist() == [0, 0, 1, 1]


def test_a_training_that_is_killed_twice_ends_with_the_same_weights(tmp_path):
    recipe = replace(TINY, steps=9)
    assert_power_cuts_change_nothing(lambda: PlausibilityObjective(examples(), recipe, 0), tmp_path, after=(3, 6))


def test_what_changed_is_seen_as_if_it_were_taken_before_the_first_convolution():
    """Convolutions of differences equal differences of convolutions."""
    network = VideoNet(TINY).eval()
    seen = torch.rand(3, 3, 12, 18)
    kernels = network.eye.weight.chunk(3)
    apart = torch.nn.functional.conv2d(seen[1:2] - seen[:1], kernels[1], stride=3, padding=2)
    one, other = (network.eye(seen[place : place + 1]).chunk(3, dim=1)[1] for place in (1, 0))
    assert torch.allclose(apart, one - other, atol=1e-5)


@pytest.mark.render
def test_it_is_drawn_pairs_that_look_as_runs_see_the_same_clips(tmp_path):
    """The first frames of a pair are equal, the last ones of a collision are not; a generated clip looks the same."""
    from extensions.training.video_language.examples import decoded
    from scenes.clip import make_clip

    with ProcessPoolExecutor(1, get_context("spawn")) as pool:  # without what other tests drew before
        first, again = pool.map(worker.pair_of, ["Collision"] * 2, [5, 5], [0, 0], [4, 4])
        how = {"size": (320, 240), "fps": 5, "look": "plain"}  # as drafts are drawn
        report = pool.submit(make_clip, "IP_Collision", 5, 0, tmp_path, **how).result()
    assert (first == again).all()
    assert first.shape == (2, 4, 72, 96, 3)
    assert (first[0, 0] == first[1, 0]).all()
    assert np.abs(first[0, -1].astype(int) - first[1, -1]).max() > 60
    assert report.redraws == 0
    made = np.stack([frame.picture for frame in decoded(report.path, 4)])
    small = PlausibilityRecipe()
    ours, theirs = (brought_to(small, torch.tensor(np.asarray(pixels))).int() for pixels in (first[1], made))
    apart = (ours - theirs).abs().float().mean(dim=(1, 2, 3))
    assert apart.mean() < 4, f"each frame by {apart.tolist()} of 255; the clip: {report}"


# --- as a model of the site ---


@pytest.fixture
def trained_here(db, tmp_path, monkeypatch):
    """The command from start to end, on stored clips instead of simulated ones."""
    monkeypatch.setattr("extensions.training.plausibility.objective.examples_of", lambda *asked: examples())
    monkeypatch.setitem(trainer.RECIPES, "small", TINY)
    return told(*COMMAND, tmp_path / "w")


def asked(pictures, text=PROMPT):
    places = tuple(range(len(pictures)))
    frames = Frames(pictures, places, tuple(map(float, places)), "x", 10.0, 25.0) if len(pictures) else None
    return Request((Turn(text, frames), REPLY), options=("yes", "no"))


def test_the_command_trains_saves_and_registers_a_model_that_answers(trained_here, tmp_path):
    model = Model.objects.get(slug=trainer.SLUG)
    assert (trained_here["model"], model.made_here, model.revision) == (model.slug, True, trained_here["weights"])
    assert "don't compare" in model.card["what"]
    assert model.role == "trained-on-scenes"
    before = (tmp_path / "w" / "model.safetensors").stat().st_mtime_ns
    assert told(*COMMAND, tmp_path / "w")["weights"] == trained_here["weights"]
    assert (tmp_path / "w" / "model.safetensors").stat().st_mtime_ns == before  # it stands, and is not trained again
    adapter = open_model(model)
    shown = [clip("Falling", plausible=plausible) for plausible in (True, False)]
    requests = [asked(pictures.repeat(scale, axis=1).repeat(scale, axis=2)) for scale in (1, 5) for pictures in shown]
    assert [reply.text for reply in adapter.answer(requests)] == ["yes", "no"] * 2
    example = Turn("This is an example", asked(shown[0]).turns[0].frames)
    after_an_example = Request((example, *asked(shown[1]).turns), options=("yes", "no"))
    few, none, level_1 = asked(shown[0][:2]), asked(shown[0][:0]), asked(shown[0], "A ball is on the table. True?")
    replies = list(adapter.answer([after_an_example, few, none, level_1]))
    assert replies[0].text == "no"
    assert [reply.error for reply in replies[1:]] == [
        "was trained on 4 frames and is shown 2: --sampler uniform-4",
        "was trained on 4 frames and is shown none: --sampler uniform-4",
        "was trained on the question of Level 2 alone, whether a clip is plausible",
    ]


def test_it_is_a_baseline_and_never_the_best_model(trained_here):
    pack = make_pack()
    run = make_run(pack, model=Model.objects.get(slug=trainer.SLUG))
    make_answer(run, make_item(pack), "yes")
    refresh()
    first = next(one for one in all_levels() if one.benchmark.slug == "grasp")
    assert (first.models, [one.row.name for one in first.baselines]) == ((), [trainer.TITLES["small"]])
