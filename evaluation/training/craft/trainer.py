"""`train_baseline` for CRAFT's models: each learns both settings, a network for each, and is one model of the site."""

import hashlib
import json
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.models import Pack
from evaluation.models import Model
from evaluation.naming import find_pack
from evaluation.training import folders
from evaluation.training.craft.recipes import BASELINES, SETTINGS, CraftRecipe
from evaluation.training.craft.registering import register
from evaluation.training.folders import FACTS, Trained, TrainingMisused, learnt, standing_at, trained_at
from evaluation.training.ordering import Order, Watch


class CraftTrainer:
    """One order; the pack's questions are read once."""

    def check(self, order: Order) -> None:
        if order.size not in BASELINES[order.name].sizes:
            there = ", ".join(BASELINES[order.name].sizes)
            raise TrainingMisused(f"{order.name} has no size {order.size!r}; there are {there}")
        if order.backbones and not order.backbones.is_dir():
            raise TrainingMisused(f"{order.backbones}: no such folder")
        self.order = order
        if order.backbones:
            _ = self.encoder
        _ = self.pack

    def slug(self, order: Order) -> str:
        return f"craft-{order.name}" + ("" if order.size == "small" else f"-{order.size}")

    def key(self, order: Order) -> str:
        return folders.key_of(self._facts | {"settings": {setting: self._key_of(setting) for setting in SETTINGS}})

    def train(self, order: Order, out: Path, watch: Watch) -> Trained:
        """A folder for each setting, then what both have in common; a setting that stands is not trained again."""
        found = {}
        for setting in SETTINGS:
            stands = None if order.again else standing_at(out / setting, self._key_of(setting))
            found[setting] = stands or self._learnt(setting, out / setting, watch)
        facts = self._facts | {"key": self.key(order), "name": order.name, "pack": self.pack.name} | _summed(found)
        (out / FACTS).write_text(json.dumps(facts, indent=1), encoding="utf-8")
        return trained_at(out)

    def register(self, order: Order, trained: Trained) -> Model:
        return register(order.name, self.slug(order), trained, self.recipe)

    def _learnt(self, setting: str, out: Path, watch: Watch) -> Trained:
        import torch

        from evaluation.adapters import THREADS
        from evaluation.training.craft.course import Answering
        from evaluation.training.craft.lessons import TEST, TRAIN, Lessons, clips_of
        from evaluation.training.craft.looking import as_rows, compared
        from evaluation.training.craft.networks import network_of, read_encoder
        from evaluation.training.craft.saving import Opened, save
        from evaluation.training.craft.sights import sights_of

        torch.set_num_threads(THREADS)
        parts, recipe, seed = self.parts[setting], self.recipe, self.order.seed
        clips = clips_of(parts)
        sights = sights_of(clips, recipe, watch.bar(f"Clips, {setting} setting")) if recipe.sees else None
        lessons = Lessons(parts, sights)
        vocabulary = lessons.vocabulary
        network = network_of(recipe, vocabulary, seed)
        if self.encoder:
            read_encoder(network, self.encoder)
        course = Answering(network, vocabulary, lessons, recipe=recipe, seed=seed)
        facts: dict[str, Any] = {
            "key": self._key_of(setting), "setting": setting, "seed": seed,
            "clips": len({one.video for one in parts[TRAIN]}),
            "questions": {part: len(questions) for part, questions in parts.items()},
        }  # fmt: skip

        def write(folder: Path) -> None:
            save(Opened(network, vocabulary, recipe), folder)
            if recipe.sees:
                device = next(network.parameters()).device
                with torch.no_grad():
                    rows = compared(parts[TEST], lambda asked, shown: course.said(asked, device, shown), seed)
                facts["looking"] = as_rows(rows)

        measured = f"accuracy on {setting}-validation"
        steps = watch.steps(f"Training, {setting} setting")
        return learnt(course, out, write=write, facts=facts, measured=measured, progress=steps)

    @cached_property
    def recipe(self) -> CraftRecipe:
        return BASELINES[self.order.name].sizes[self.order.size]

    @cached_property
    def pack(self) -> Pack:
        return find_pack(self.order.benchmark, self.order.pack or None)

    @cached_property
    def parts(self) -> dict[str, Any]:
        from evaluation.training.craft.lessons import parts_of

        return {setting: parts_of(self.pack, setting) for setting in SETTINGS}

    @cached_property
    def encoder(self) -> Path | None:
        """The file of pretrained weights, where a folder of them was given."""
        if not self.order.backbones:
            return None
        from evaluation.training.craft.networks import pretrained_file

        return pretrained_file(self.recipe, self.order.backbones)

    @property
    def _facts(self) -> dict[str, Any]:
        """What both settings have in common."""
        encoder = hashlib.sha256(self.encoder.read_bytes()).hexdigest() if self.encoder else ""
        return {
            "recipe": asdict(self.recipe), "seed": self.order.seed, "size": self.order.size, "encoder": encoder,
            "encoder_file": self.encoder.name if self.encoder else "",
        }  # fmt: skip

    def _key_of(self, setting: str) -> str:
        return folders.key_of(self._facts | {"pack": self.pack.manifest_hash, "setting": setting})


def _summed(found: dict[str, Trained]) -> dict[str, Any]:
    """What the two settings make together."""
    facts = {setting: trained.facts for setting, trained in found.items()}
    weights = "".join(one["weights"] for one in facts.values())
    return {
        "parameters": max(one["parameters"] for one in facts.values()),
        "seconds": round(sum(one["seconds"] for one in facts.values()), 1),
        "clips": max(one["clips"] for one in facts.values()),
        "device": " and ".join(dict.fromkeys(one["device"] for one in facts.values())),
        "weights": hashlib.sha256(weights.encode()).hexdigest(),
        "settings": facts,
    }
