"""A tiny Omni model learns the materials of Tapped's things from their sound.

`make soak PART=hearing` trains it and tests it through the site's adapter on unheard things, with their sounds and with
silence.
"""

import random
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch

from evaluation.adapters.base import REPLY, Audio, Request, Turn
from evaluation.adapters.conversation import Talk
from evaluation.adapters.transformers.adapter import TransformersModel
from evaluation.adapters.transformers.inputs import inputs_of
from scenes.tapped.planning import group_of

MATERIAL = "What is this object made of?"
LONGEST = 16  # tokens of a reply; letters, with this tokenizer
SEED_OF_TRAINING, SEED_OF_TEST = 900_000, 910_000
SPEECH = {"hidden_size": 96, "intermediate_size": 192, "num_hidden_layers": 2, "num_attention_heads": 4}
HEADS = {"num_key_value_heads": 4}
EARS = {"num_mel_bins": 48, "encoder_layers": 2, "encoder_attention_heads": 4, "encoder_ffn_dim": 192, "d_model": 96}


@dataclass(frozen=True, eq=False)
class HeardThing:
    material: str
    audio: Audio


@dataclass(frozen=True)
class Exercise:
    """A request and the wanted reply."""

    request: Request
    reply: str


def heard_things(seed: int, group: int) -> list[HeardThing]:
    """The four things of a group with the sounds of their clips."""
    from scenes.tapped.recording import DRAWS
    from scenes.tapped.sounds.sound import RATE, clip_sound_of
    from scenes.tapped.staging import scene_of
    from scenes.tapped.touching import simulate_touches

    found = []
    for thing in group_of(seed, group):
        rng = np.random.default_rng([seed, DRAWS, int(thing.key.removeprefix("object"))])
        scene = scene_of(thing, rng)
        _, touches = simulate_touches(scene, thing)
        sound = clip_sound_of(thing, touches, scene.seconds, rng)
        found.append(HeardThing(thing.material, Audio(sound.astype(np.float32), RATE)))
    return found


def recorded(seed: int, groups: int, jobs: int = 2) -> list[list[HeardThing]]:
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        return list(pool.map(partial(heard_things, seed), range(groups)))


def about_one(groups: Sequence[Sequence[HeardThing]]) -> list[Exercise]:
    return [about(MATERIAL, one.audio, one.material) for group in groups for one in group]


def about(question: str, audio: Audio, reply: str) -> Exercise:
    return Exercise(Request((Turn(question, None, audio), REPLY), max_new_tokens=LONGEST), reply)


def silenced(exercise: Exercise) -> Exercise:
    """The same exercise with silence in place of its sound."""
    (turn,) = (turn for turn in exercise.request.turns if isinstance(turn, Turn))
    assert turn.audio
    return about(turn.text, Audio(np.zeros_like(turn.audio.samples), turn.audio.rate), exercise.reply)


class Course:
    """Trains a saved model on exercises, with the adapter's own inputs."""

    def __init__(self, folder: Path, rate: float = 1e-3) -> None:
        torch.manual_seed(0)
        self.adapter = TransformersModel(path=str(folder), batch_size=16)
        self.model, self.opened = self.adapter.model, self.adapter.opened
        self.features: dict[str, Any] = {}
        self.optimiser = torch.optim.AdamW(self.model.parameters(), lr=rate, weight_decay=0.01)

    def features_of(self, audio: Audio) -> Any:
        if audio.digest not in self.features:
            made = inputs_of([Talk.begun(Request((Turn("?", None, audio), REPLY)))], self.opened)
            count = int((made["input_ids"] == self.opened.processor.audio_token_id).sum())
            self.features[audio.digest] = made["input_features"][0], made["feature_attention_mask"][0], count
        return self.features[audio.digest]

    def batch(self, exercises: Sequence[Exercise]) -> dict[str, torch.Tensor]:
        """Inputs and labels: the inputs of `inputs_of` with cached features, followed by the reply."""
        words, sounds, rows = self.opened.tokenizer, [], []
        for one in exercises:
            text = self.opened.rendered(Talk.begun(one.request))
            for turn in one.request.turns:
                if isinstance(turn, Turn) and turn.audio:
                    sounds.append(self.features_of(turn.audio))
                    text = text.replace("<|AUDIO|>", "\0" * sounds[-1][2], 1)
            asked = words(text.replace("\0", "<|AUDIO|>"), add_special_tokens=False)["input_ids"]
            said = words(f"{one.reply}<|im_end|>", add_special_tokens=False)["input_ids"]
            rows.append((asked, said))
        longest = max(len(asked) + len(said) for asked, said in rows)
        made: dict[str, list[list[int]]] = {"input_ids": [], "attention_mask": [], "labels": []}
        for asked, said in rows:
            pad = longest - len(asked) - len(said)
            made["input_ids"].append([words.pad_token_id] * pad + asked + said)
            made["attention_mask"].append([0] * pad + [1] * (len(asked) + len(said)))
            made["labels"].append([-100] * (pad + len(asked)) + said)
        tensors = {name: torch.tensor(value) for name, value in made.items()}
        tensors["input_features"] = torch.stack([features for features, _, _ in sounds])
        tensors["feature_attention_mask"] = torch.stack([mask for _, mask, _ in sounds])
        return tensors

    def step(self, exercises: Sequence[Exercise]) -> float:
        self.model.train()
        loss = self.model(**self.batch(exercises)).loss
        self.optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        self.model.eval()
        return float(loss.detach())

    def learn(self, exercises: Sequence[Exercise], *, steps: int, batch: int, seconds: float = 1e9) -> float:
        """Train on random batches; returns the mean loss of the last fifth of the steps."""
        draw, losses, until = random.Random(0), [], time.monotonic() + seconds
        for _ in range(steps):
            losses.append(self.step(draw.sample(list(exercises), batch)))
            if time.monotonic() > until:
                break
        last = losses[-max(1, len(losses) // 5) :]
        return sum(last) / len(last)

    def share_right(self, exercises: Sequence[Exercise]) -> float:
        replies = self.adapter.answer([one.request for one in exercises])
        return sum(reply.text == one.reply for reply, one in zip(replies, exercises, strict=True)) / len(exercises)
