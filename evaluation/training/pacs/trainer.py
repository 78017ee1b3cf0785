"""`train_baseline`'s side of PACS' models: which pack they learn from, and their card."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.models import Pack
from benchmarks.registry import find_benchmark
from evaluation.models import Model
from evaluation.naming import find_pack
from evaluation.training import folders
from evaluation.training.folders import CURVE, Trained, TrainingMisused, learnt
from evaluation.training.ordering import Order, Watch
from evaluation.training.pacs.recipes import BASELINES, FUSION, Baseline, Recipe
from evaluation.training.registering import movable

if TYPE_CHECKING:
    from evaluation.training.pacs.course import Pairs

TRAIN, CHECK = "train", "val"
FEWEST = 2  # questions that anything can be learnt from
WHAT = (
    "{kind} as the paper of PACS trained it, trained here on the questions of {benchmark}: it is given {given}."
    " {weights}"
)
DRAWN = "Its weights were built from configuration, small, and all of them trained here: it knows nothing of the world."
PRETRAINED = "Its backbones have the weights named below and were not trained; what joins them was."
CHANNELS = {"question": "the question", "image": "the marked picture", "sound": "the sound", "video": "the film"}


class PacsTrainer:
    """`train_baseline late-fusion` and the paper's other models."""

    def check(self, order: Order) -> None:
        from evaluation.training.pacs.building import places_of

        baseline, recipe = recipe_of(order)
        places_of(baseline, order.backbones, is_drawn=recipe.is_drawn)
        if not self._pack(order).items.in_split(TRAIN).exists():
            raise TrainingMisused(f"{self._pack(order)} has no training questions")

    def slug(self, order: Order) -> str:
        return f"{order.benchmark}-{order.name}" + ("" if order.size == "small" else f"-{order.size}")

    def key(self, order: Order) -> str:
        """Of the pack its manifest, of pretrained backbones their places."""
        from evaluation.training.pacs.building import places_of

        baseline, recipe = recipe_of(order)
        facts = {
            "name": order.name, "recipe": asdict(recipe), "seed": order.seed, "pack": self._pack(order).manifest_hash,
            "backbones": places_of(baseline, order.backbones, is_drawn=recipe.is_drawn),
        }  # fmt: skip
        return folders.key_of(facts)

    def _pack(self, order: Order) -> Pack:
        return find_pack(order.benchmark, order.pack or None)

    def train(self, order: Order, out: Path, watch: Watch) -> Trained:
        from evaluation.training.pacs.building import save

        baseline, recipe = recipe_of(order)
        course = self._course(order, watch)
        facts = self._facts(order, course) | {"key": self.key(order), "recipe": asdict(recipe)}
        shape = shape_of(recipe)
        return learnt(
            course, out, write=lambda folder: save(course.network, baseline, folder, **shape), facts=facts,
            measured=f"share of right answers to the {len(course.check)} questions of {CHECK}",
            progress=watch.steps("Training"),
        )  # fmt: skip

    def _course(self, order: Order, watch: Watch) -> "Pairs":
        """The network with everything that it learns from."""
        import torch

        from evaluation.adapters import THREADS
        from evaluation.training.pacs.building import made, places_of
        from evaluation.training.pacs.course import Pairs
        from evaluation.training.pacs.material import objects_of, questions_of

        torch.set_num_threads(THREADS)
        (baseline, recipe), pack = recipe_of(order), self._pack(order)
        train, check = (questions_of(pack, split) for split in (TRAIN, CHECK))
        if len(train) < FEWEST:
            raise TrainingMisused(f"{pack}: {len(train)} training questions have an answer and clips that can be shown")
        places = places_of(baseline, order.backbones, is_drawn=recipe.is_drawn)
        network = made(baseline, places, (one.text for one in train), seed=order.seed, **shape_of(recipe))
        objects = objects_of((*train, *check), network.inputs, recipe.frames, watch.bar("Objects"))
        return Pairs(network, baseline, recipe, order.seed, train=train, check=check, objects=objects)

    def _facts(self, order: Order, course: "Pairs") -> dict[str, Any]:
        backbones = {
            part: {"source": one.source, "parameters": one.parameters}
            for part, one in course.network.backbones.items()
        }  # fmt: skip
        return {
            "name": order.name, "benchmark": order.benchmark, "size": order.size, "seed": order.seed,
            "pack": self._pack(order).name, "questions": sum(map(len, course.bundles)),
            "checked_on": len(course.check), "clips": len(course.objects), "backbones": backbones,
        }  # fmt: skip

    def register(self, order: Order, trained: Trained) -> Model:
        """Make or renew the model of the site; runs of older weights keep their revision."""
        baseline = BASELINES[order.name]
        model, _ = Model.objects.update_or_create(
            slug=self.slug(order),
            defaults={
                "name": f"{baseline.title}, trained on {find_benchmark(order.benchmark).title}",
                "kind": "pairs",
                "options": {"path": movable(trained.path), "hears": baseline.hears},
                "revision": trained.facts["weights"],
                "made_here": True,
                "card": card_of(baseline, trained),
            },
        )
        return model


def shape_of(recipe: Recipe) -> dict[str, Any]:
    """What a network is made by, beside its backbones."""
    return {"width": recipe.width, "dropout": recipe.dropout}


def recipe_of(order: Order) -> tuple[Baseline, Recipe]:
    """The baseline and its recipe; with pretrained backbones a small one draws none."""
    baseline = BASELINES[order.name]
    if order.size not in baseline.sizes:
        raise TrainingMisused(f"{order.name} has no size {order.size!r}; there are {', '.join(baseline.sizes)}")
    recipe = baseline.sizes[order.size]
    return baseline, replace(recipe, is_drawn=False) if order.backbones else recipe


def card_of(baseline: Baseline, trained: Trained) -> dict[str, Any]:
    facts = trained.facts
    sources = {part: one["source"] for part, one in facts["backbones"].items()}
    given = "; without sound, ".join(listed([CHANNELS[part] for part in head]) for head in baseline.heads)
    is_drawn = not any(sources.values())
    what = WHAT.format(
        kind="Late fusion" if baseline.kind == FUSION else "Similarity", given=given,
        benchmark=find_benchmark(facts["benchmark"]).title, weights=DRAWN if is_drawn else PRETRAINED,
    )  # fmt: skip
    weights = "built from configuration" if is_drawn else "; ".join(f"{part}: {one}" for part, one in sources.items())
    return {
        "what": what,
        "organisation": "this site",
        "family": baseline.kind,
        "parameters": parameters_of(facts),
        "weights": weights,
        "trained_on": f"{facts['questions']} questions of pack {facts['pack']}, and {facts['checked_on']} to check"
        f" with, about {facts['clips']} objects",
        "training": f"{facts['steps']} steps in {facts['seconds']:.0f} seconds on {facts['device']}",
        "size": facts["size"],
        "seed": facts["seed"],
        "curve": f"{movable(trained.path)}/{CURVE}",
    }


def parameters_of(facts: dict[str, Any]) -> str:
    """Those that were trained, and those of backbones that were not."""
    frozen = sum(one["parameters"] for one in facts["backbones"].values() if one["source"])
    trained = f"{facts['parameters'] / 1e6:.2f}M"
    return f"{trained} trained, {frozen / 1e6:.2f}M as they were" if frozen else trained


def listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
