"""From a folder of clips to a folder of weights that any program with transformers can open."""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.definition import Release
from benchmarks.items import release_of
from benchmarks.registry import find_benchmark
from evaluation.adapters import THREADS
from evaluation.errors import EvaluationError
from evaluation.training.recipes import BASELINES, Baseline, Recipe

FACTS, CURVE = "training.json", "curve.json"

Facts = dict[str, Any]


class TrainingMisused(EvaluationError, ValueError):
    """The caller asked for a training that can't be."""


@dataclass(frozen=True)
class Trained:
    """A folder of weights and how they came about."""

    path: Path
    facts: Facts


def find_baseline(name: str, size: str = "small") -> tuple[Baseline, Recipe]:
    """The baseline of this name and its recipe in this size; the error names what exists."""
    if name not in BASELINES:
        raise TrainingMisused(f"no baseline {name!r}; there are {', '.join(BASELINES)}")
    sizes = BASELINES[name].sizes
    if size not in sizes:
        raise TrainingMisused(f"{name} has no size {size!r}; there are {', '.join(sizes)}")
    return BASELINES[name], sizes[size]


def train(name: str, *, seed: int, size: str, clips: Path, out: Path, progress: Any) -> Trained:
    """Train on the clips and put the weights at `out` in one move; an interrupted training goes on where it was."""
    from evaluation.training.loop import Loop, facts_of

    baseline, recipe = find_baseline(name, size)
    key = key_of(name, size, seed)
    processor, model, teacher = made_ready(baseline, recipe, seed, clips)
    out.parent.mkdir(parents=True, exist_ok=True)
    checkpoint = out.with_name(f".{out.name}.{key[:16]}.checkpoint")
    course = Loop(model, teacher, recipe, checkpoint).run(progress)
    how = {"name": name, "size": size, "seed": seed, "key": key, "tests": list(recipe.shares), "recipe": asdict(recipe)}
    save(processor, model, course, how | facts_of(course, teacher, model), out)
    checkpoint.unlink(missing_ok=True)
    return trained_at(out)


def made_ready(baseline: Baseline, recipe: Recipe, seed: int, clips: Path) -> tuple[Any, Any, Any]:
    """A new model, its processor and its teacher."""
    import torch

    from evaluation.training.architecture import model_for, processor_for
    from evaluation.training.batches import Teacher
    from evaluation.training.lessons import by_place, lessons_in, sight_of
    from evaluation.training.tokenizer import tokenizer_for

    torch.set_num_threads(THREADS)
    benchmark = find_benchmark(baseline.benchmark)
    release = release_of(benchmark, clips)
    tokenizer = tokenizer_for(texts_of(release))
    processor = processor_for(recipe, tokenizer)
    lessons = lessons_in(release, recipe.shares, sight_of(processor.video_processor, recipe.frames))
    places = by_place(lessons)
    if missing := [test for test in recipe.shares if test not in places]:
        raise TrainingMisused(f"{clips}: no clips of {', '.join(missing)}")
    return processor, model_for(recipe, tokenizer, seed), Teacher(places, recipe, processor, seed)


def texts_of(release: Release) -> Iterator[str]:
    """Everything that is asked or answered, in both spellings of its first letter."""
    for row in release.rows:
        yield from (row.text, row.lead_in, *row.options, *(option.capitalize() for option in row.options))


def save(processor: Any, model: Any, course: Any, facts: Facts, out: Path) -> None:
    """Write everything beside `out` and move it there whole; what stood there goes last."""
    from evaluation.adapters.opening import show_no_bars
    from evaluation.adapters.weights import weights_hash
    from evaluation.training.loop import write_curve

    fresh, old = (out.with_name(f".{out.name}.{os.getpid()}.{kind}") for kind in ("new", "old"))
    show_no_bars()
    processor.save_pretrained(fresh)
    model.save_pretrained(fresh)
    write_curve(course, fresh / CURVE)
    (fresh / FACTS).write_text(json.dumps(facts | {"weights": weights_hash(fresh)}, indent=1))
    if out.exists():
        out.replace(old)
    fresh.replace(out)
    shutil.rmtree(old, ignore_errors=True)


def trained_at(out: Path) -> Trained:
    return Trained(out, json.loads((out / FACTS).read_text()))


def standing(name: str, *, seed: int, size: str, out: Path) -> Trained | None:
    """What stands at `out`, if it was trained in just this way."""
    try:
        found = trained_at(out)
    except (OSError, ValueError):
        return None
    return found if found.facts.get("key") == key_of(name, size, seed) else None


def key_of(name: str, size: str, seed: int) -> str:
    """SHA-256 over everything that the weights depend on, the machine aside."""
    baseline, recipe = find_baseline(name, size)
    facts = {
        "recipe": asdict(recipe),
        "seed": seed,
        "clips": [baseline.clip_seed, baseline.clip_size, baseline.clip_fps],
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
