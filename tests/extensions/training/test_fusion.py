"""The small late-fusion model: its input, what it can't know, and learning from its own channel only."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from evaluation.adapters.base import REPLY, Audio, Frames, Request, Turn
from evaluation.adapters.registry import hears, open_model
from evaluation.errors import ModelMisused
from evaluation.models import Model
from extensions.training.core.loop import Loop
from extensions.training.fusion import trainer
from extensions.training.fusion.network import HEARING, SIGHT, Fusion, normalised_powers, seen_as
from extensions.training.fusion.objective import (
    Fusing,
    FusionExamples,
    FusionQuestion,
    ObjectBatch,
    lit,
    margins,
    shifted,
)
from extensions.training.fusion.trainer import FusionRecipe
from tests.commands import told

COMMAND = ("train_baseline", "tapped-small", "--benchmark", "tapped", "--weights")
BANDS, MOMENTS = 40, 60
TEXTS = ("Which object rings?", "Which object is bright?")


def lessons(groups, seed=0):
    """Four objects per group, with high or low sound and bright or dark frames; one question about each."""
    chance = torch.Generator().manual_seed(seed)
    pictures = torch.randint(0, 60, (4 * groups, 2, 3, 18, 32), generator=chance, dtype=torch.uint8)
    sounds = 0.3 * torch.rand(4 * groups, BANDS, MOMENTS, generator=chance)
    asked = []
    for group in range(groups):
        base = 4 * group
        for number in range(4):
            is_bright, is_high = divmod(number, 2)
            pictures[base + number] += 150 * is_bright
            sounds[base + number, 30:35] += 0.7 * is_high
        of_sound = [(*pair, TEXTS[0], pair[1] % 2, "sound") for pair in ((0, 1), (1, 0), (2, 3), (3, 2))]
        of_sight = [(*pair, TEXTS[1], pair[1] // 2, "sight") for pair in ((0, 2), (2, 0), (1, 3), (3, 1))]
        for first, second, *what in of_sound + of_sight:
            asked.append(FusionQuestion(base + first, base + second, *what, "tapped", group))
    return FusionExamples(pictures, sounds.clamp(0, 1), tuple(asked))


def everything(examples, channels):
    """All objects unchanged, with these channels."""
    return ObjectBatch(
        {number: number for number in range(len(examples.sounds))},
        examples.pictures.float() / 255 if SIGHT in channels else None,
        examples.sounds if HEARING in channels else None,
    )


def trained_on(examples, recipe, seed):
    objective = Fusing(examples, recipe, seed)
    Loop(objective).run(lambda *how_far: None)
    return objective.network


def right_of(network, asked_about, channel):
    told = margins(network, everything(asked_about, network.channels), asked_about.questions)
    found = [
        bool(margin > 0) == bool(one.label)
        for margin, one in zip(told, asked_about.questions, strict=True)
        if one.channel == channel
    ]
    return sum(found) / len(found)


@pytest.mark.parametrize(("given", "own", "other"), [(HEARING, "sound", "pictures"), (SIGHT, "sight", "sounds")])
def test_a_model_of_one_channel_learns_what_that_decides_and_is_given_nothing_of_the_other(given, own, other):
    recipe = FusionRecipe((given,), steps=25, width=16, groups_a_step=4)
    network = trained_on(lessons(6), recipe, 0)
    unseen = lessons(3, seed=1)
    assert right_of(network, unseen, own) == 1.0
    changed = replace(unseen, **{other: getattr(unseen, other).flip(0)})
    one, same = (margins(network, everything(known, network.channels), known.questions) for known in (unseen, changed))
    assert torch.equal(one, same)


def test_which_object_comes_first_does_not_matter():
    known = lessons(1)
    network = Fusion(known.vocabulary, (SIGHT, HEARING), 8).eval()
    turned = [replace(one, first=one.second, second=one.first) for one in known.questions]
    given = everything(known, network.channels)
    assert torch.equal(margins(network, given, known.questions), -margins(network, given, turned))


def test_frames_and_sounds_of_any_size_are_brought_to_one():
    seen = seen_as(torch.full((3, 180, 320, 3), 255, dtype=torch.uint8))
    assert seen.shape == (3, 3, 72, 128)
    assert seen.min() == pytest.approx(1.0)
    heard = normalised_powers(torch.tensor([[[0.0, -8.0], [-16.0, -40.0]]]) + 3)
    assert heard.tolist() == [[[1.0, 0.5], [0.0, 0.0]]]


def test_changes_keep_what_decides():
    import random

    generator = torch.Generator().manual_seed(3)
    known = lessons(1)
    changed = lit(known.pictures.float() / 255, generator)
    assert changed[2:].mean() > 2 * changed[:2].mean()
    moved = shifted(known.sounds, random.Random(1))
    assert moved.shape == known.sounds.shape
    assert not torch.equal(moved, known.sounds)


def test_words_that_it_does_not_know_say_nothing():
    network = Fusion(["rings", "which"], (HEARING,), 8)
    assert network.word_flags(["Which rings?", "Sings!"]).tolist() == [[1.0, 1.0], [0.0, 0.0]]


# --- as a model of the site ---


@pytest.fixture
def trained_here(db, tmp_path, monkeypatch):
    """The command from start to end, on objects of noise instead of simulated ones."""
    monkeypatch.setattr(
        "scenes.tapped.recording.recordings_of", lambda seed, groups, start: [[number] for number in groups]
    )
    monkeypatch.setattr(
        "extensions.training.fusion.objective.fusion_examples", lambda groups, seed: lessons(len(groups))
    )
    recipe = replace(trainer.SIZES["small"], steps=40, groups=6, groups_a_step=4, width=16)
    monkeypatch.setitem(trainer.SIZES, "small", recipe)
    return told(*COMMAND, tmp_path / "w")


def asked(text, *, seen, heard):
    """A request about two objects, each bright or not and ringing or not; None is left out."""
    turns = []
    for place in range(2):
        frames = audio = None
        if seen is not None:
            pixels = np.full((2, 90, 160, 3), 200 if seen == place else 30, np.uint8)
            frames = Frames(pixels, (0, 1), (0.0, 0.1), "x", 1.0, 10.0)
        if heard is not None:
            ring = np.sin(np.arange(16_000) * (3.0 if heard == place else 0.05))
            audio = Audio(ring.astype(np.float32), 16_000)
        turns.append(Turn(f"Object {place + 1}", frames, audio))
    return Request(
        (*turns, Turn(text), Turn("Answer with Object 1 or Object 2."), REPLY), options=("object 1", "object 2")
    )


def test_the_command_trains_saves_and_registers_it(trained_here, tmp_path):
    model = Model.objects.get(slug="fusion-small-here")
    assert (trained_here["model"], model.made_here, model.revision) == (model.slug, True, trained_here["weights"])
    assert "24 made objects" in model.card["what"]
    assert hears(model)
    before = (tmp_path / "w" / "model.safetensors").stat().st_mtime_ns
    assert told(*COMMAND, tmp_path / "w")["weights"] == trained_here["weights"]
    assert (tmp_path / "w" / "model.safetensors").stat().st_mtime_ns == before  # it exists and is not trained again


def test_it_answers_by_sight_with_sound_and_without(trained_here):
    adapter = open_model(Model.objects.get(slug="fusion-small-here"))
    requests = [asked(TEXTS[1], seen=place, heard=heard) for place in (0, 1) for heard in (None, 0)]
    assert [reply.text for reply in adapter.answer(requests)] == ["object 1", "object 1", "object 2", "object 2"]
    nothing, lone = asked(TEXTS[0], seen=None, heard=None), asked(TEXTS[1], seen=1, heard=None)
    lone = replace(lone, turns=lone.turns[1:])
    found = list(adapter.answer([nothing, lone]))
    assert (found[0].text, found[1].error) == ("undecided", "1 objects for 2 answers")
    assert adapter.description["shown"] == "frames and sound"


def test_a_folder_that_is_no_such_model_is_said_so(trained_here):
    model = Model.objects.get(slug="fusion-small-here")
    model.options |= {"hears": False}
    with pytest.raises(ModelMisused, match="the saved model has the channels sight, hearing"):
        open_model(model)
