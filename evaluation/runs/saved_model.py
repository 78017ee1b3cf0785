"""Adds a model from its folder: one question before it is added shows what it supports."""

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.adapters.registry import SAVED
from evaluation.adapters.weights import CONFIG, GGUF
from evaluation.errors import ModelMisused, RunMisused

LONGEST_REPLY = 200  # characters of a reply on the terminal


@dataclass(frozen=True)
class TrialQuestion:
    """A saved model's abilities and its reply to one made-up question."""

    card: Mapping[str, Any]
    abilities: Mapping[str, Any]
    reply: str
    seconds: float

    def facts(self) -> dict[str, Any]:
        reply = {"reply": self.reply, "seconds": round(self.seconds, 2)}
        names = ("family", "parameters", "device", "dtype", "thinking tokens")
        return {name: self.card[name] for name in names if name in self.card} | {**self.abilities, "trial": reply}

    def lines(self) -> list[str]:
        """The lines for a person at a terminal."""
        able = self.abilities
        clips = f"clips as {able['clips']}" if able["clips"] else "no clips"
        sound = able["sound"] or "no sound"
        more = [f"times of frames {able['times']}"] if able["times"] else []
        more += [f"system prompt {able['system']}"] if able["system"] else ["no system prompt"]
        more += [f"thinking {able['thinking']}"] if able["thinking"] else []
        reply = " ".join(self.reply.split())[:LONGEST_REPLY]
        card = self.card
        return [
            f"{card['family']}, {card['parameters']:,} parameters, {card['device']}, {card['dtype']}",
            f"takes {', '.join([clips, sound, *more])}",
            f"conditions: {', '.join(able['conditions'])}",
            f"one question, {self.seconds:.1f} s: {reply}",
        ]


def is_place(word: str) -> bool:
    """Whether this names a folder or file rather than a slug."""
    path = Path(word)
    return "/" in word or path.suffix.lower() == GGUF or (path / CONFIG).is_file()


def place_typed(word: str) -> str:
    """The path to store: relative to the site's state if it lies inside, else absolute."""
    here, state = Path(word).expanduser(), Path(settings.VAR_DIR).resolve()
    found = here if here.exists() or here.is_absolute() else state / here
    found = found.resolve()
    return str(found.relative_to(state)) if found.is_relative_to(state) else str(found)


def slug_of(word: str) -> str:
    """The slug for a folder's or file's name: "Qwen2.5-VL" becomes "qwen2-5-vl"."""
    path = Path(word)
    name = path.stem if path.suffix.lower() == GGUF else path.resolve().name
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60].strip("-")
    if not slug:
        raise RunMisused(f"{word}: no slug can be made of this name; give one and --option path={word}")
    return slug


def trial_question(options: Mapping[str, Any]) -> TrialQuestion:
    """Open the model and ask it one made-up question; raises RunMisused with the reason if that fails."""
    from evaluation.adapters.transformers.abilities import abilities_of, question_for
    from evaluation.adapters.transformers.adapter import TransformersModel

    try:
        TransformersModel.check_options(options)
        with without_warnings():
            model = TransformersModel(**options)
            abilities = abilities_of(model.opened)
            question = question_for(abilities)
            began = time.monotonic()
            reply = next(model.answer([question]))
    except (ModelMisused, TypeError) as error:
        raise RunMisused(f"the model can't be asked: {error}") from error
    except (RuntimeError, ValueError, IndexError, KeyError, AttributeError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise RunMisused(f"the model fails at its first question: {type(error).__name__}: {reason}") from error
    if reply.error:
        raise RunMisused(f"the model can't be asked: {reply.error}")
    text = reply.text or (f"(thoughts alone) {reply.thoughts[-1]}" if any(reply.thoughts) else "")
    if not text.strip():
        raise RunMisused(
            f"the model says nothing: {reply.tokens_out} tokens in reply to its first question, and no text;"
            f" to add it all the same: add_model SLUG --kind {SAVED} --option path={options['path']}"
        )
    return TrialQuestion(dict(model.description), abilities.facts(), text, time.monotonic() - began)


@contextmanager
def without_warnings() -> Iterator[None]:
    """Silence the library's warnings between the lines of the command; its errors are still raised."""
    from transformers.utils import logging

    before = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(before)
