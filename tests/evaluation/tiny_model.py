"""A tiny model of the real family: its replies are noise, or red and blue."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from evaluation.adapters import torchvision_shim
from evaluation.adapters.base import REPLY, Frames, Request, Turn
from evaluation.inputs.frames import digest_of
from extensions.training.video_language.examples import Exchange, Lesson
from extensions.training.video_language.recipes import RECIPES

torchvision_shim.declared()

TINY = replace(
    RECIPES["small"],
    clips={"Color": 1},
    shares={"Color": 1},
    picture_size=32,
    sight_width=32,
    sight_layers=1,
    speech_width=32,
    frames=2,
    batch=16,
    steps=60,
)
QUESTION = "The square is {}. Is this true? Answer only with yes or no."
LOOK = Exchange("What color is the square?", "")
COLOURS = {"red": (220, 30, 30), "blue": (30, 30, 220)}


def square(colour: str, seed: int) -> np.ndarray:
    """A square of this colour somewhere on noise: RGB [32, 32, 3]."""
    rng = np.random.default_rng(seed)
    picture = rng.integers(90, 140, (32, 32, 3), dtype=np.uint8)
    top, left = rng.integers(0, 20, 2)
    picture[top : top + 12, left : left + 12] = COLOURS[colour]
    return picture


def lesson(colour: str, seed: int) -> Lesson:
    statements = tuple(Exchange(QUESTION.format(said), "Yes" if said == colour else "No") for said in COLOURS)
    pictures = torch.from_numpy(square(colour, seed)).permute(2, 0, 1)[None]
    return Lesson("Color", str(seed), pictures, Exchange(LOOK.question, colour.capitalize()), statements)


def texts() -> list[str]:
    return [
        part
        for colour in COLOURS
        for one in (lesson(colour, 0),)
        for exchange in (one.look, *one.statements)
        for part in (exchange.question, exchange.reply)
    ]


def seen(*pictures: np.ndarray) -> Frames:
    pixels = np.stack(pictures)
    times = tuple(float(place) for place in range(len(pictures)))
    return Frames(pixels, tuple(range(len(pictures))), times, digest_of(pixels), float(len(pictures)), 1.0)


def question(colour: str, said: str, number: int, **values) -> Request:
    """The question whether the square has the stated colour, with two frames of it."""
    picture = square(colour, 1000 + number)
    return Request((Turn(QUESTION.format(said), seen(picture, picture)), REPLY), seed=number, **values)


def questions(count: int) -> list[Request]:
    """Questions, half of them true; colours and truth are independent at random."""
    draw = random.Random(count)
    pairs = [(colour, said) for colour in COLOURS for said in COLOURS] * (count // 4)
    draw.shuffle(pairs)
    return [question(colour, said, number) for number, (colour, said) in enumerate(pairs)]


def make_untrained(folder: Path, seed: int = 0) -> Path:
    """Save a model with random weights."""
    from extensions.training.video_language.architecture import model_for, processor_for, tokenizer_for

    tokenizer = tokenizer_for(texts())
    processor_for(TINY, tokenizer).save_pretrained(folder)
    model_for(TINY, tokenizer, seed).save_pretrained(folder)
    return folder
