"""The next-frame predictor: it learns, an untrained copy does not, and a run stores its surprise."""

import json

import numpy as np
import torch

from evaluation.adapters.base import REPLY, Request, Turn
from extensions.training.core.loop import Loop
from extensions.training.core.saved_network import save_with_recipe
from extensions.training.plausibility.trainer import PlausibilityRecipe
from extensions.training.surprise.network import NextFrameObjective, SurpriseModel
from extensions.training.surprise.trainer import RECIPES, PredictorRecipe
from tests.evaluation.tiny_model import seen

CLIPS = PlausibilityRecipe(tests=("Falling",), pairs=4, frames=12, height=12, width=16)
TINY = PredictorRecipe(clips=CLIPS, channels=(8, 12), steps=90, batch=8, rate=1e-2)


def falling(*, stops_at=99, brightness=0):
    """Pictures [12, 12, 16, 3] of a bar that falls one line per frame; it may stop in the air at some frame."""
    pictures = np.full((12, 12, 16, 3), 40 + brightness, np.uint8)
    for frame in range(12):
        row = min(frame, stops_at)
        pictures[frame, row : row + 2, 4:12] = (250, 120, 60)
    return pictures


def trained(recipe):
    clips = torch.stack([torch.from_numpy(falling(brightness=4 * number)) for number in range(4)])
    course = NextFrameObjective(clips.permute(0, 1, 4, 2, 3).contiguous(), recipe, 0)
    return course.network, Loop(course).run(lambda *told: None)


def test_it_learns_to_predict_and_is_surprised_by_what_it_never_saw(tmp_path):
    network, reached = trained(TINY)
    assert reached.losses[-1] < reached.losses[0] / 5
    save_with_recipe(network, tmp_path)
    model = SurpriseModel(path=str(tmp_path))
    turns = [(Turn("", seen(*falling(brightness=6, stops_at=stop))), REPLY) for stop in (99, 6)]
    possible, impossible = (
        json.loads(reply.text) for reply in model.answer([Request(one, by_surprise=True) for one in turns])
    )
    assert len(possible["surprise"]) == len(possible["times"]) == 12 - TINY.context
    assert max(impossible["surprise"]) > 3 * max(possible["surprise"])
    assert int(np.argmax(impossible["surprise"])) + TINY.context == 7  # the frame after it stopped
    (named,) = model.answer([Request((Turn("When does it break?", turns[1][0].frames), REPLY))])
    assert named.text == f"Answer: {turns[1][0].frames.times[7]:.2f}"


def test_the_untrained_copy_keeps_its_drawn_weights():
    recipe = PredictorRecipe(clips=CLIPS, channels=(8, 12), steps=RECIPES["untrained"].steps, rate=0.0)
    network, _reached = trained(recipe)
    drawn = NextFrameObjective(torch.zeros(1, 12, 3, 12, 16), recipe, 0).network
    assert all(torch.equal(one, other) for one, other in zip(network.parameters(), drawn.parameters(), strict=True))


def test_too_few_frames_are_an_error_of_the_question(tmp_path):
    save_with_recipe(NextFrameObjective(torch.zeros(1, 12, 3, 12, 16), TINY, 0).network, tmp_path)
    reply = next(SurpriseModel(path=str(tmp_path)).answer([Request((Turn("", seen(*falling()[:2])), REPLY))]))
    assert "predicts a frame from 3 before it" in reply.error
