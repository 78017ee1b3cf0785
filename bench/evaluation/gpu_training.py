"""Duration of an epoch of CRAFT's trained models in full size on the GPU, written to docs/benchmarks-gpu.md.

`python -m bench.evaluation.gpu_training [MODEL ...]` trains one epoch of 35,000 questions about 6,000 videos, as in the
paper's easy setting, with the site's training loop. Questions and frames are random but of the right number and size,
since a step's duration does not depend on their content. Prints a JSON line for each model and adds it to the page at
once, or prints without a GPU that nothing is measured.
"""

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PAGE = Path(__file__).resolve().parents[2] / "docs" / "benchmarks-gpu.md"
HEADING = "\n## Training CRAFT's models in full size\n"
QUESTIONS, VIDEOS, CHECKED = 35_000, 6_000, 320
RENDERED = 64  # videos whose frames are in memory; all others share these
WORDS = tuple(f"word{number}" for number in range(80))
ANSWERS = tuple(f"answer{number}" for number in range(24))


def random_examples(recipe: Any, questions: int = QUESTIONS, videos: int = VIDEOS) -> Any:
    """Examples with random questions of 15 words and random frames of the recipe's size."""
    import numpy as np

    from evaluation.training.craft.examples import CraftExamples, VideoQuestion
    from evaluation.training.craft.frames import VideoFrames

    chance = random.Random(0)
    made = [
        VideoQuestion(
            str(number),
            " ".join(chance.choices(WORDS, k=15)),
            chance.choice(ANSWERS),
            "Cause",
            "Boolean",
            number % videos,
        )
        for number in range(questions + CHECKED)
    ]
    shape = (RENDERED, recipe.frames, 3, recipe.edge, recipe.edge)
    pictures = np.random.default_rng(0).integers(0, 256, shape, np.uint8) if recipe.sees else None
    frames = None if pictures is None else VideoFrames({video: video % RENDERED for video in range(videos)}, pictures)
    parts = {"train": tuple(made[:questions]), "validation": tuple(made[questions:]), "test": ()}
    return CraftExamples(parts, frames)


def an_epoch(name: str, recipe: Any, examples: Any) -> dict[str, Any]:
    """Train one epoch, including validation, and return its facts."""
    from dataclasses import replace

    from evaluation.training.core.loop import Loop
    from evaluation.training.craft.networks import network_of
    from evaluation.training.craft.objective import Answering

    recipe = replace(recipe, epochs=1)
    network = network_of(recipe, examples.vocabulary)
    reached = Loop(Answering(network, examples.vocabulary, examples, recipe=recipe, seed=0)).run(lambda *_: None)
    parameters = sum(weight.numel() for weight in network.parameters())
    return {
        "model": name,
        "parameters": parameters,
        "steps": reached.step,
        "batch": recipe.batch,
        "seconds": round(reached.seconds, 1),
        "device": reached.device,
    }


def write(rows: list[dict[str, Any]], titles: Sequence[str], where: str) -> None:
    """Replace the section of the page by a table of the models with these titles, measured or not."""
    measured = {
        row["model"]: f"| {row['model']} | {row['parameters']:,} | {row['batch']} | {row['seconds']} s |"
        for row in rows
    }
    lines = [
        f"Measured {time.strftime('%Y-%m-%d', time.gmtime())} on {where}",
        f"by `python -m bench.evaluation.gpu_training`: one epoch of {QUESTIONS:,} random questions about {VIDEOS:,}",
        "videos, bfloat16, with the check on the validation questions.",
        "",
        "| model | parameters | batch | an epoch |",
        "|---|---:|---:|---:|",
        *(measured.get(title, f"| {title} | | | not measured |") for title in titles),
    ]
    before, _, after = PAGE.read_text().partition(HEADING)
    rest = after.partition("\n## ")
    PAGE.write_text(before + HEADING + "\n" + "\n".join(lines) + "\n" + rest[1] + rest[2])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*")
    chosen = parser.parse_args().models
    with tempfile.TemporaryDirectory() as temporary:
        os.environ |= {"DATA_DIR": temporary, "DJANGO_SETTINGS_MODULE": "benchsite.settings"}
        import django
        import torch

        django.setup()
        from bench.evaluation.gpu_share import machine
        from evaluation.training.craft.recipes import BASELINES

        if not torch.cuda.is_available():
            print(json.dumps({"measure": "an epoch in full size", "said": "not measured: no GPU here"}))
            return 0
        rows = []
        for name in chosen or BASELINES:
            recipe = BASELINES[name].sizes["full"]
            rows.append(an_epoch(BASELINES[name].title, recipe, random_examples(recipe)))
            print(json.dumps(rows[-1]), flush=True)
            write(rows, [each.title for each in BASELINES.values()], machine())
    return 0


if __name__ == "__main__":
    sys.exit(main())
