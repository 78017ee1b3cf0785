"""Accuracy of the model trained by this site on clips of other seeds, for each Level-1 test, and a control.

The control shows every clip with another clip's statement: a model that only reads the text scores the same in both.
Run: python -m bench.evaluation.training [CLIPS A TEST] (prints JSON lines; trains a model if there is none).
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAME, SIZE, SEED = "grasp-small", "small", 0
UNSEEN_SEED = 31_337
CLIP_SIZE, FPS = (320, 240), 5
# Scenes of each test, so that every test gets equally many clips.
SCENES = {
    "Shape": 2,
    "Color": 4,
    "Movement": 2,
    "Direction": 4,
    "RelationalPosition": 2,
    "TwoObjectOrdering": 1,
    "ThreeObjectOrdering": 1,
    "FourObjectOrdering": 1,
}


def trained():
    """The trained model in the site's data folder, or a newly trained one, with the seconds that training took."""
    from django.conf import settings

    from evaluation.training.video_language.train import find_baseline, standing, train
    from evaluation.training.video_language.trainer import make_clips

    baseline, recipe = find_baseline(NAME, SIZE)
    out = Path(settings.VAR_DIR) / "models" / baseline.slug
    found = standing(NAME, seed=SEED, size=SIZE, out=out)
    began = time.monotonic()
    if found is None:
        clips = make_clips(baseline, recipe, Path(settings.VAR_DIR) / "training" / f"{NAME}-{SIZE}")
        made = time.monotonic() - began
        found = train(NAME, seed=SEED, size=SIZE, clips=clips, out=out, progress=lambda *how_far: None)
        say(measure="making training clips", seconds=round(made, 1))
    facts = {name: found.facts[name] for name in ("clips", "steps", "seconds", "device", "parameters", "loss")}
    say(measure="training", **facts)
    return found


def unseen(folder: Path, count: int) -> None:
    from benchmarks.definitions.registry import find_benchmark
    from benchmarks.generation.generate import generate

    for scenes in sorted(set(SCENES.values())):
        only = [test for test, number in SCENES.items() if number == scenes]
        generate(
            find_benchmark("grasp"), folder, count=count // scenes, only=only, seed=UNSEEN_SEED, size=CLIP_SIZE, fps=FPS
        )


def say(**facts) -> None:
    print(json.dumps(facts), flush=True)


def main(count: int) -> None:
    from benchmarks.definitions.registry import find_benchmark
    from evaluation.adapters.transformers.adapter import TransformersModel
    from evaluation.training.video_language.probes import seen_in

    adapter = TransformersModel(path=str(trained().path))
    with tempfile.TemporaryDirectory() as folder:
        unseen(Path(folder), count)
        for is_swapped in (False, True):
            began = time.monotonic()
            seen = seen_in(Path(folder), find_benchmark("grasp"), adapter, is_swapped=is_swapped)
            for test, found in seen.items():
                say(
                    measure="another clip's frames" if is_swapped else "unseen clips",
                    test=test,
                    n=found.n,
                    accuracy=round(found.share, 4),
                    low=round(found.interval.low, 4),
                    high=round(found.interval.high, 4),
                )
            questions = sum(found.n for found in seen.values())
            say(measure="questions a second, decoding included", value=round(questions / (time.monotonic() - began), 1))


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    import django

    django.setup()
    main(int(sys.argv[1]) if sys.argv[1:] else 128)
