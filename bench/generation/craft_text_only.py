"""Text-only accuracy on CRAFT: the LSTM and AT-MFA beside Random, on a set generated without rendering.

`python -m bench.generation.craft_text_only [--videos 2000] [--seed 900000] [--keep DIR] [--jobs 1]` generates questions
of so many videos (a third of a core-second each), trains the small LSTM on each setting's training split, and prints
one JSON line a setting: accuracies on the test split, and paired differences with 95 % intervals clustered by video.
"""

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = {"easy": "split_info_random.json", "hard": "split_info_hard.json"}
SCENES = 20


def make_questions(folder: Path, videos: int, seed: int, jobs: int) -> int:
    """Generate the questions of so many videos of all scenes; existing ones are reused."""
    from scenes.craft import generate

    make = partial(generate.make, seed=seed, out=folder, films=False)
    with ProcessPoolExecutor(jobs) as pool:
        list(pool.map(make, generate.keys_of(-(-videos // SCENES)), chunksize=8))
    return generate.write_labels(seed, folder, films=False)


def read(folder: Path) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = json.loads((folder / "dataset_minimal.json").read_text())
    return records


def parts_in(folder: Path, setting: str) -> dict[str, list[dict[str, Any]]]:
    """Part of this setting -> its records."""
    by_key = {(one["video_index"], one["question_index"]): one for one in read(folder)}
    split = json.loads((folder / SETTINGS[setting]).read_text())
    return {part: [by_key[(one["video_index"], one["question_index"])] for one in split[part]] for part in split}


def lstm_answers(parts: Mapping[str, Sequence[dict[str, Any]]], seed: int = 0) -> dict[str, str]:
    """Answers to the test questions of the small LSTM that `train_baseline lstm` trains."""
    import torch

    from evaluation.training.core.loop import Loop
    from evaluation.training.craft.examples import TEST, CraftExamples
    from evaluation.training.craft.networks import network_of
    from evaluation.training.craft.objective import Answering
    from evaluation.training.craft.recipes import BASELINES

    recipe = BASELINES["lstm"].sizes["small"]
    examples = CraftExamples({part: tuple(map(question, records)) for part, records in parts.items()}, None)
    objective = Answering(
        network_of(recipe, examples.vocabulary, seed), examples.vocabulary, examples, recipe=recipe, seed=seed
    )
    reached = Loop(objective).run(lambda *_: None)
    with torch.no_grad():
        return objective.answers(examples.parts[TEST], torch.device(reached.device))


def question(record: Mapping[str, Any]) -> Any:
    from evaluation.training.craft.examples import VideoQuestion

    key, video = f"{record['video_index']:06}/{record['question_index']}", record["video_index"]
    answer = record["answer"].casefold()
    return VideoQuestion(key, record["question"], answer, record["question_type"], record["answer_type"], video)


def heuristic_answers(
    parts: Mapping[str, Sequence[dict[str, Any]]], folder: Path, knows: tuple[str, ...], draws: bool
) -> dict[str, str]:
    """Answers of a heuristic to the test questions, through the adapter that runs use."""
    from evaluation.adapters.base import REPLY, Request, Turn
    from evaluation.adapters.frequencies import FrequencyModel
    from evaluation.prompting.requests import seed_of

    counts = Counter((one["answer_type"], one["answer"].casefold()) for one in parts["train"])
    path = folder / "counts.json"
    rows = [[*cell, count] for cell, count in sorted(counts.items())]
    path.write_text(json.dumps({"facets": ["answer"], "rows": {"train": rows}}))
    model = FrequencyModel(path=str(path.resolve()), asked_on={"test": "train"}, knows=knows, draws=draws)
    questions = [question(record) for record in parts["test"]]
    requests = [
        Request((Turn(one.text), REPLY), seed=seed_of(0, one.key), split="test", facets={"answer": (one.answer_type,)})
        for one in questions
    ]
    return {one.key: reply.text for one, reply in zip(questions, model.answer(requests), strict=True)}


def measured(folder: Path, setting: str) -> dict[str, Any]:
    from measures.intervals import clustered
    from measures.paired import mean_difference

    parts = parts_in(folder, setting)
    questions = [question(record) for record in parts["test"]]
    replies = {
        "LSTM": lstm_answers(parts),
        "AT-MFA": heuristic_answers(parts, folder, ("answer",), draws=False),
        "Random": heuristic_answers(parts, folder, (), draws=True),
    }
    right = {name: [float(reply[one.key] == one.answer) for one in questions] for name, reply in replies.items()}
    videos = [one.video for one in questions]
    row: dict[str, Any] = {"setting": setting, "videos": len({one["video_index"] for one in read(folder)})}
    row |= {"questions": {part: len(records) for part, records in parts.items()}}
    for name, values in right.items():
        row[name] = per_cent(sum(values) / len(values), clustered(values, videos))
    for first, second in (("LSTM", "Random"), ("AT-MFA", "Random"), ("LSTM", "AT-MFA")):
        differences = [one - other for one, other in zip(right[first], right[second], strict=True)]
        row[f"{first} - {second}"] = per_cent(sum(differences) / len(differences), mean_difference(differences, videos))
    return row


def per_cent(value: float, interval: Any) -> list[float]:
    """A value and both ends of its interval, in per cent."""
    return [round(100 * one, 2) for one in (value, interval.low, interval.high)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--videos", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=900_000)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        os.environ |= {"DATA_DIR": temporary, "DJANGO_SETTINGS_MODULE": "benchsite.settings"}
        import django

        django.setup()
        folder = options.keep or Path(temporary)
        make_questions(folder, options.videos, options.seed, options.jobs)
        rows = [measured(folder, setting) for setting in SETTINGS]
    for row in rows:
        is_above = row["LSTM - Random"][1] > 0 and row["AT-MFA - Random"][1] > 0
        print(json.dumps(row | {"ok": is_above}), flush=True)
    return 0 if all(row["LSTM - Random"][1] > 0 and row["AT-MFA - Random"][1] > 0 for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
