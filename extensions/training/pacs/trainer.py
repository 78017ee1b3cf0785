"""`train_baseline` for PACS' models: their pack, training and card."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.definitions.registry import find_benchmark
from benchmarks.models import Pack
from evaluation.models import Model
from evaluation.runs.spec import find_pack
from extensions.training.core import checkpoints, registration
from extensions.training.core.checkpoints import Trained, TrainingMisused, learnt
from extensions.training.core.registration import enumeration, millions
from extensions.training.core.trainer import ProgressReporter, TrainingOrder, recipe_of
from extensions.training.pacs.recipes import BASELINES, PacsBaseline, PacsRecipe

if TYPE_CHECKING:
    from extensions.training.pacs.objective import PairObjective

TRAIN, CHECK = "train", "val"
FEWEST = 2  # fewest questions to train on
CHANNELS = {"question": "the question", "image": "the marked picture", "sound": "the sound", "video": "the film"}
RANDOM_WEIGHTS = (
    "Its weights were built from configuration, small, and all of them trained here: it knows nothing of the world."
)
PRETRAINED = "Its backbones have the weights named below and were not trained; what joins them was."


class PacsTrainer:
    """`train_baseline late-fusion` and the paper's other models."""

    makes_clips = False

    def check(self, order: TrainingOrder) -> None:
        from extensions.training.pacs.network import places_of

        baseline, recipe = baseline_of(order)
        places_of(baseline, order.backbones, is_random=recipe.is_drawn)
        if not self._pack(order).items.in_split(TRAIN).exists():
            raise TrainingMisused(f"{self._pack(order)} has no training questions")

    def slug(self, order: TrainingOrder) -> str:
        return f"{order.benchmark}-{order.name}" + order.sized_suffix

    def key(self, order: TrainingOrder) -> str:
        """SHA-256 over recipe and seed, the pack's manifest, and the sources of pretrained backbones."""
        from extensions.training.pacs.network import places_of

        baseline, recipe = baseline_of(order)
        facts = {
            "name": order.name,
            "recipe": asdict(recipe),
            "seed": order.seed,
            "pack": self._pack(order).manifest_hash,
            "backbones": places_of(baseline, order.backbones, is_random=recipe.is_drawn),
        }
        return checkpoints.key_of(facts)

    def _pack(self, order: TrainingOrder) -> Pack:
        return find_pack(order.benchmark, order.pack or None)

    def train(self, order: TrainingOrder, out: Path, watch: ProgressReporter) -> Trained:
        from extensions.training.pacs.network import save

        baseline, recipe = baseline_of(order)
        objective = self._objective(order, watch)
        facts = self._facts(order, objective) | {"key": self.key(order), "recipe": asdict(recipe)}
        shape = shape_of(recipe)
        return learnt(
            objective,
            out,
            write=lambda folder: save(objective.network, baseline, folder, **shape),
            facts=facts,
            measured=f"share of right answers to the {len(objective.check)} questions of {CHECK}",
            progress=watch.steps("Training"),
        )

    def _objective(self, order: TrainingOrder, watch: ProgressReporter) -> "PairObjective":
        """The network with all its training data."""
        import torch

        from evaluation.adapters import THREADS
        from extensions.training.pacs.examples import objects_of, questions_of
        from extensions.training.pacs.network import made, places_of
        from extensions.training.pacs.objective import PairObjective

        torch.set_num_threads(THREADS)
        (baseline, recipe), pack = baseline_of(order), self._pack(order)
        train, check = (questions_of(pack, split) for split in (TRAIN, CHECK))
        if len(train) < FEWEST:
            raise TrainingMisused(f"{pack}: {len(train)} training questions have an answer and clips that can be shown")
        places = places_of(baseline, order.backbones, is_random=recipe.is_drawn)
        network = made(baseline, places, (one.text for one in train), seed=order.seed, **shape_of(recipe))
        objects = objects_of((*train, *check), network.inputs, recipe.frames, watch.bar("Objects"))
        return PairObjective(network, baseline, recipe, order.seed, train=train, check=check, objects=objects)

    def _facts(self, order: TrainingOrder, objective: "PairObjective") -> dict[str, Any]:
        backbones = {
            part: {"source": one.source, "parameters": one.parameters}
            for part, one in objective.network.backbones.items()
        }
        return {
            "name": order.name,
            "benchmark": order.benchmark,
            "size": order.size,
            "seed": order.seed,
            "pack": self._pack(order).name,
            "questions": sum(map(len, objective.bundles)),
            "checked_on": len(objective.check),
            "clips": len(objective.objects),
            "backbones": backbones,
        }

    def register(self, order: TrainingOrder, trained: Trained) -> Model:
        baseline = BASELINES[order.name]
        title = f"{baseline.title}, trained on {find_benchmark(order.benchmark).title}"
        card, options = card_of(baseline, trained), {"hears": baseline.hears}
        return registration.register(trained, self.slug(order), title=title, kind="pairs", card=card, options=options)


def shape_of(recipe: PacsRecipe) -> dict[str, Any]:
    """A network's sizes, apart from its backbones."""
    return {"width": recipe.width, "dropout": recipe.dropout}


def baseline_of(order: TrainingOrder) -> tuple[PacsBaseline, PacsRecipe]:
    """The baseline and its recipe; a small recipe builds no new backbones if pretrained ones are given."""
    baseline = BASELINES[order.name]
    recipe = recipe_of(order.name, baseline.sizes, order.size)
    return baseline, replace(recipe, is_drawn=False) if order.backbones else recipe


def card_of(baseline: PacsBaseline, trained: Trained) -> dict[str, Any]:
    facts = trained.facts
    sources = {part: one["source"] for part, one in facts["backbones"].items()}
    first, *rest = (enumeration([CHANNELS[part] for part in head]) for head in baseline.heads)
    inputs = "; ".join((first, *(f"without sound, {one}" for one in rest)))
    is_random = not any(sources.values())
    what = (
        f"{baseline.kind.capitalize()} as the paper of PACS trained it, trained here on the questions of"
        f" {find_benchmark(facts['benchmark']).title}: it is given {inputs}."
    )
    built = "; ".join(f"{part}: {one}" for part, one in sources.items())
    return registration.card_of(
        trained,
        what=f"{what} {RANDOM_WEIGHTS if is_random else PRETRAINED}",
        family=baseline.kind,
        trained_on=(
            f"{facts['questions']} questions of pack {facts['pack']}, and {facts['checked_on']} to check with, about"
            f" {facts['clips']} objects"
        ),
        parameters=parameters_of(facts),
        weights="built from configuration" if is_random else built,
    )


def parameters_of(facts: dict[str, Any]) -> str:
    """The number of trained parameters and, if there are any, of frozen ones."""
    frozen = sum(one["parameters"] for one in facts["backbones"].values() if one["source"])
    trained = millions(facts["parameters"])
    return f"{trained} trained, {millions(frozen)} as they were" if frozen else trained
