"""Trains, saves and registers the small video-language model, on clips made for it."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings

from benchmarks.definitions.definition import Release
from benchmarks.definitions.registry import find_benchmark
from benchmarks.generation.generate import generate
from benchmarks.packs.import_release import release_of
from evaluation.models import Model, ModelRole
from extensions.training.core import registration
from extensions.training.core.checkpoints import Facts, Trained, TrainingMisused
from extensions.training.core.registration import enumeration
from extensions.training.core.trainer import OwnExamplesTrainer, ProgressReporter, TrainingOrder
from extensions.training.video_language.recipes import CLIP_FPS, CLIP_SIZE, RECIPES, SEED_OF_CLIPS, VideoLanguageRecipe
from scenes.scene import LOOK

BENCHMARK, SLUG, TITLE = "grasp", "llava-small-here", "Small LlavaOnevision, trained here"
MADE = "made.json"


class SeeingTrainer(OwnExamplesTrainer[VideoLanguageRecipe]):
    """`train_baseline grasp-small`."""

    sizes, source = RECIPES, {"clips": [SEED_OF_CLIPS, CLIP_SIZE, CLIP_FPS]}

    def slug(self, order: TrainingOrder) -> str:
        return SLUG + order.suffix

    def prepared(self, order: TrainingOrder, watch: ProgressReporter) -> tuple[Any, Callable[[Any, Path], None], Facts]:
        from evaluation.adapters.transformers.loading import show_no_bars
        from extensions.training.video_language.architecture import model_for, processor_for, tokenizer_for
        from extensions.training.video_language.batches import Talking, Teacher
        from extensions.training.video_language.examples import by_place, sight_of, training_examples

        recipe = self.recipe(order)
        folder = Path(settings.VAR_DIR) / "training" / f"{order.name}-{order.size}"
        release = release_of(find_benchmark(BENCHMARK), make_clips(recipe, folder, watch.bar("Clips")))
        tokenizer = tokenizer_for(texts_of(release))
        processor = processor_for(recipe, tokenizer)
        places = by_place(training_examples(release, recipe.shares, sight_of(processor.video_processor, recipe.frames)))
        if missing := [test for test in recipe.shares if test not in places]:
            raise TrainingMisused(f"{folder}: no clips of {', '.join(missing)}")
        model, teacher = model_for(recipe, tokenizer, order.seed), Teacher(places, recipe, processor, order.seed)
        objective = Talking(model, teacher, recipe)

        def save(network: Any, out: Path) -> None:
            show_no_bars()
            processor.save_pretrained(out)
            network.save_pretrained(out)

        return objective, save, {"tests": list(recipe.shares), "clips": objective.clips}

    def register(self, order: TrainingOrder, trained: Trained) -> Model:
        slug, card = self.slug(order), card_of(trained)
        kind, role = "transformers", ModelRole.TRAINED
        return registration.register(trained, slug, title=TITLE, kind=kind, card=card, role=role)


def texts_of(release: Release) -> Iterator[str]:
    """All questions and answers, with lower-case and capital first letter."""
    for row in release.rows:
        yield from (row.text, row.lead_in, *row.options, *(option.capitalize() for option in row.options))


def make_clips(recipe: VideoLanguageRecipe, folder: Path, progress: Callable[[int, int], None] | None = None) -> Path:
    """Make all training clips of this recipe in `folder`; existing clips are kept."""
    how: dict[str, Any] = {"seed": SEED_OF_CLIPS, "size": CLIP_SIZE, "fps": CLIP_FPS}
    wanted = {"clips": dict(recipe.clips), **how, "size": list(CLIP_SIZE), "look": LOOK}
    marker = folder / MADE
    if marker.is_file() and json.loads(marker.read_text()) == wanted:
        return folder
    tests = defaultdict(list)  # by number of clips, so that tests with equal numbers are generated together
    for test, count in recipe.clips.items():
        tests[count].append(test)
    for count, only in tests.items():
        generate(find_benchmark(BENCHMARK), folder, count=count, only=only, progress=progress, **how)
    marker.write_text(json.dumps(wanted))
    return folder


def card_of(trained: Trained) -> dict[str, Any]:
    facts = trained.facts
    tests = enumeration(facts["tests"])
    what = (
        "A very small video-language model that was trained here, from weights drawn at random, for"
        f" {facts['seconds']:.0f} seconds on {facts['clips']} clips made with other seeds (seed {facts['seed']}), and"
        f" only on the Level-1 questions about {tests}. It shows that the site asks real models through the real path."
        " It is no model of the world: on everything else, and on all of Level 2, its answers are chance."
    )
    trained_on = f"{facts['clips']} clips of {tests}, made for training"
    return registration.card_of(trained, what=what, family="LlavaOnevision", trained_on=trained_on)
