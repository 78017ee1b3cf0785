"""Trains on a folder of clips and writes a folder of weights that transformers can open."""

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.definitions.definition import Release
from benchmarks.definitions.registry import find_benchmark
from benchmarks.packs.import_release import release_of
from evaluation.adapters import THREADS
from extensions.training.core import checkpoints
from extensions.training.core.checkpoints import Trained, TrainingMisused, learnt, standing_at
from extensions.training.core.trainer import recipe_of
from extensions.training.video_language.recipes import BASELINES, VideoLanguageBaseline, VideoLanguageRecipe


def find_baseline(name: str, size: str = "small") -> tuple[VideoLanguageBaseline, VideoLanguageRecipe]:
    """The baseline of this name and its recipe in this size; the error names the existing ones."""
    if name not in BASELINES:
        raise TrainingMisused(f"no baseline {name!r}; there are {', '.join(BASELINES)}")
    return BASELINES[name], recipe_of(name, BASELINES[name].sizes, size)


def train(name: str, *, seed: int, size: str, clips: Path, out: Path, progress: Any) -> Trained:
    """Train on the clips and put the weights at `out` in one move; resumes an interrupted training."""
    from evaluation.adapters.transformers.loading import show_no_bars
    from extensions.training.video_language.objective import Talking

    baseline, recipe = find_baseline(name, size)
    processor, model, teacher = made_ready(baseline, recipe, seed, clips)
    objective = Talking(model, teacher, recipe)
    facts = {
        "name": name,
        "size": size,
        "seed": seed,
        "key": key_of(name, size, seed),
        "tests": list(recipe.shares),
        "recipe": asdict(recipe),
        "clips": objective.clips,
    }

    def write(folder: Path) -> None:
        show_no_bars()
        processor.save_pretrained(folder)
        model.save_pretrained(folder)

    return learnt(objective, out, write=write, facts=facts, progress=progress)


def made_ready(
    baseline: VideoLanguageBaseline, recipe: VideoLanguageRecipe, seed: int, clips: Path
) -> tuple[Any, Any, Any]:
    """A new model, its processor and its teacher."""
    import torch

    from extensions.training.video_language.architecture import model_for, processor_for
    from extensions.training.video_language.batches import Teacher
    from extensions.training.video_language.examples import by_place, sight_of, training_examples
    from extensions.training.video_language.tokenizer import tokenizer_for

    torch.set_num_threads(THREADS)
    benchmark = find_benchmark(baseline.benchmark)
    release = release_of(benchmark, clips)
    tokenizer = tokenizer_for(texts_of(release))
    processor = processor_for(recipe, tokenizer)
    examples = training_examples(release, recipe.shares, sight_of(processor.video_processor, recipe.frames))
    places = by_place(examples)
    if missing := [test for test in recipe.shares if test not in places]:
        raise TrainingMisused(f"{clips}: no clips of {', '.join(missing)}")
    return processor, model_for(recipe, tokenizer, seed), Teacher(places, recipe, processor, seed)


def texts_of(release: Release) -> Iterator[str]:
    """All questions and answers, with lower-case and capital first letter."""
    for row in release.rows:
        yield from (row.text, row.lead_in, *row.options, *(option.capitalize() for option in row.options))


def standing(name: str, *, seed: int, size: str, out: Path) -> Trained | None:
    """The trained model at `out` if its training was the same, else None."""
    return standing_at(out, key_of(name, size, seed))


def key_of(name: str, size: str, seed: int) -> str:
    """SHA-256 over everything that determines the weights, except the machine."""
    baseline, recipe = find_baseline(name, size)
    clips = [baseline.clip_seed, baseline.clip_size, baseline.clip_fps]
    return checkpoints.key_of({"recipe": asdict(recipe), "seed": seed, "clips": clips})
