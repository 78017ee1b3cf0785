"""`train_baseline` for CRAFT: trains one network per setting, and registers both as one model."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.models import Pack
from evaluation.models import Model
from evaluation.runs.spec import find_pack
from extensions.training.core import checkpoints, registration
from extensions.training.core.checkpoints import FACTS, Trained, TrainingMisused, learnt, standing_at, trained_at
from extensions.training.core.registration import movable, training_of
from extensions.training.core.trainer import ProgressReporter, TrainingOrder, recipe_of
from extensions.training.craft.recipes import BASELINES, SEEN, SETTINGS, CraftRecipe
from extensions.training.craft.video_ablation import Compared, compared, verdict
from extensions.training.progress import CURVE

KIND = "craft-network"
FAMILIES = {"lstm": "LSTM", "lstm-cnn": "LSTM and CNN", "mac": "MAC", "tvqa": "TVQA", "tvqa+": "TVQA+"}


def card_of(title: str, trained: Trained, recipe: CraftRecipe) -> dict[str, Any]:
    facts, settings = trained.facts, trained.facts["settings"]
    size = ", in a small size of ours (the paper's needs a GPU)" if facts["size"] == "small" else ""
    what = (
        f"{title} of the CRAFT paper, built after its description and trained here on generated scenes:"
        f" {facts['clips']} videos of the pack {facts['pack']}, seed {facts['seed']}{size}. It sees"
        f" {SEEN[recipe.sees]}. Asked about either setting it answers with the network that learnt that"
        " setting's training split."
    )
    counts = "; ".join(f"{one['questions']['train']} questions of {setting}-train" for setting, one in settings.items())
    compared = _compared(settings)
    results = (f"In the {setting} setting it {verdict(rows[0])}." for setting, rows in compared.items())
    card = registration.card_of(
        trained,
        what=" ".join((what, *results)),
        family=FAMILIES[recipe.family],
        trained_on=f"{counts}, pack {facts['pack']}",
        training="; ".join(_training(setting, one) for setting, one in settings.items()),
    )
    card |= {
        "curve": "",
        "encoder": _encoder(recipe, facts["encoder_file"]),
        "curves": {setting: f"{movable(trained.path)}/{setting}/{CURVE}" for setting in settings},
        "compared": {
            setting: [asdict(row) | {"said": row.summary} for row in rows] for setting, rows in compared.items()
        },
    }
    return {name: value for name, value in card.items() if value != "" and value != {}}


def _compared(settings: Mapping[str, Any]) -> dict[str, list[Compared]]:
    """The comparison for all questions and for each question type, by setting."""
    return {
        setting: [Compared(**row) for row in one["looking"]] for setting, one in settings.items() if "looking" in one
    }


def _training(setting: str, facts: Mapping[str, Any]) -> str:
    best = f"best on validation at step {facts['best_step']} ({100 * facts['best']:.1f} %)"
    return f"{setting}: {training_of(facts)}, {best}"


def _encoder(recipe: CraftRecipe, file: str) -> str:
    if not recipe.sees:
        return ""
    name = "R3D-18" if recipe.is_solid else "ResNet-18"
    encoder = name if recipe.width == 64 else f"{name} of width {recipe.width} in place of 64"
    return (
        f"{encoder}, {f'pretrained weights {file}' if file else 'first weights drawn here'}, trained on with the rest"
    )


class CraftTrainer:
    """Handles one order; the pack's questions are read once."""

    makes_clips = False

    def check(self, order: TrainingOrder) -> None:
        recipe_of(order.name, BASELINES[order.name].sizes, order.size)
        if order.backbones and not order.backbones.is_dir():
            raise TrainingMisused(f"{order.backbones}: no such folder")
        self.order = order
        if order.backbones:
            _ = self.encoder
        _ = self.pack

    def slug(self, order: TrainingOrder) -> str:
        return f"craft-{order.name}" + order.sized_suffix

    def key(self, order: TrainingOrder) -> str:
        return checkpoints.key_of(self._facts | {"settings": {setting: self._key_of(setting) for setting in SETTINGS}})

    def train(self, order: TrainingOrder, out: Path, watch: ProgressReporter) -> Trained:
        """Write a folder per setting, then their common facts; a setting that is already trained is skipped."""
        found = {}
        for setting in SETTINGS:
            stands = None if order.again else standing_at(out / setting, self._key_of(setting))
            found[setting] = stands or self._learnt(setting, out / setting, watch)
        facts = self._facts | {"key": self.key(order), "name": order.name, "pack": self.pack.name} | _summed(found)
        (out / FACTS).write_text(json.dumps(facts, indent=1), encoding="utf-8")
        return trained_at(out)

    def register(self, order: TrainingOrder, trained: Trained) -> Model:
        title = BASELINES[order.name].title
        named = title if order.size == "small" else f"{title} ({order.size})"
        options = {"asked_on": {f"{setting}-test": f"{setting}-train" for setting in SETTINGS}}
        card, slug = card_of(title, trained, self.recipe), self.slug(order)
        return registration.register(trained, slug, title=named, kind=KIND, card=card, options=options)

    def _learnt(self, setting: str, out: Path, watch: ProgressReporter) -> Trained:
        import torch

        from evaluation.adapters import THREADS
        from extensions.training.craft import examples, networks

        torch.set_num_threads(THREADS)
        parts, recipe, seed = self.parts[setting], self.recipe, self.order.seed
        clips, bar = examples.clips_of(parts), f"Clips, {setting} setting"
        frames = examples.load_video_frames(clips, recipe, watch.bar(bar)) if recipe.sees else None
        data_set = examples.CraftExamples(parts, frames)
        network = networks.network_of(recipe, data_set.vocabulary, seed)
        if self.encoder:
            networks.read_encoder(network, self.encoder)
        objective = examples.Answering(network, data_set.vocabulary, data_set, recipe=recipe, seed=seed)
        facts: dict[str, Any] = {
            "key": self._key_of(setting),
            "setting": setting,
            "seed": seed,
            "clips": len({one.video for one in parts[examples.TRAIN]}),
            "questions": {part: len(questions) for part, questions in parts.items()},
        }

        def write(folder: Path) -> None:
            networks.save(networks.LoadedNetwork(network, data_set.vocabulary, recipe), folder)
            if recipe.sees:
                facts["looking"] = self._looking(objective, setting)

        measured, steps = f"accuracy on {setting}-validation", watch.steps(f"Training, {setting} setting")
        return learnt(objective, out, write=write, facts=facts, measured=measured, progress=steps)

    def _looking(self, objective: Any, setting: str) -> list[dict[str, Any]]:
        """What becomes of the answers when other clips are shown."""
        import torch

        device, tested = next(objective.network.parameters()).device, self.parts[setting]["test"]
        with torch.no_grad():
            rows = compared(tested, lambda items, swapped: objective.answers(items, device, swapped), self.order.seed)
        return [asdict(row) for row in rows]

    @cached_property
    def recipe(self) -> CraftRecipe:
        return BASELINES[self.order.name].sizes[self.order.size]

    @cached_property
    def pack(self) -> Pack:
        return find_pack(self.order.benchmark, self.order.pack or None)

    @cached_property
    def parts(self) -> dict[str, Any]:
        from extensions.training.craft.examples import parts_of

        return {setting: parts_of(self.pack, setting) for setting in SETTINGS}

    @cached_property
    def encoder(self) -> Path | None:
        """The file of pretrained weights, if the order names a folder of them."""
        if not self.order.backbones:
            return None
        from extensions.training.craft.networks import pretrained_file

        return pretrained_file(self.recipe, self.order.backbones)

    @property
    def _facts(self) -> dict[str, Any]:
        """The facts that both settings share."""
        encoder = hashlib.sha256(self.encoder.read_bytes()).hexdigest() if self.encoder else ""
        return {
            "recipe": asdict(self.recipe),
            "seed": self.order.seed,
            "size": self.order.size,
            "encoder": encoder,
            "encoder_file": self.encoder.name if self.encoder else "",
        }

    def _key_of(self, setting: str) -> str:
        return checkpoints.key_of(self._facts | {"pack": self.pack.manifest_hash, "setting": setting})


def _summed(found: dict[str, Trained]) -> dict[str, Any]:
    """Facts of the two settings together."""
    facts = {setting: trained.facts for setting, trained in found.items()}
    weights = "".join(fact["weights"] for fact in facts.values())
    return {
        "parameters": max(one["parameters"] for one in facts.values()),
        "seconds": round(sum(one["seconds"] for one in facts.values()), 1),
        "clips": max(one["clips"] for one in facts.values()),
        "device": " and ".join(dict.fromkeys(one["device"] for one in facts.values())),
        "weights": hashlib.sha256(weights.encode()).hexdigest(),
        "settings": facts,
    }
