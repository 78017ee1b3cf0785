"""Complete check of a release of 200 videos: `python -m tests.scenes.craft.rounds [--count 10] [--release DIR]`.

Pictures are small, since only events and questions are checked; `--release` checks an existing folder. Prints one JSON
object; exit 1 if evaluator, loader, audit or importer disagree, or if a kind of question is missing.
"""

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scenes.craft import generate
from scenes.craft.audit import audit_folder
from tests.scenes.craft.official_loader import SETTINGS, graph_of, load
from tests.scenes.craft.second_evaluator import evaluate

SMALL = {"size": (32, 32), "fps": 10}
KINDS, TYPES = 48, 5


def made(folder: Path, count: int, seed: int, only: Sequence[str] = ()) -> Path:
    """Generate so many videos of each scene, or of these."""
    for key in generate.keys_of(count, only):
        generate.make(key, seed, folder, **SMALL)  # type: ignore[arg-type]
    generate.write_labels(seed, folder)
    return folder


def disagreements(root: Path, name: str = "dataset_minimal.json") -> list[str]:
    """Every question of this file that the second evaluator answers differently or not at all."""
    annotations = json.loads((root / "annotations.json").read_text())
    found = []
    for record in json.loads((root / name).read_text()):
        where = f"{record['video_index']:06}/{record['question_index']} {record['template_id']}"
        try:
            said = evaluate(record["template_id"], record["question"], annotations[f"{record['video_index']:06}"])
        except (KeyError, ValueError, IndexError) as error:
            said = repr(error)
        if said != record["answer"].lower():
            found.append(f"{where}: {record['answer']}, and by the definitions {said}")
    return found


def what_the_loader_refuses(root: Path) -> list[str]:
    try:
        for setting in SETTINGS:
            load(root, setting)
        for annotation in json.loads((root / "annotations.json").read_text()).values():
            for run in (annotation["original_video_output"], *annotation["variations_outputs"].values()):
                graph_of(run)
    except (KeyError, ValueError, OSError) as error:
        return [repr(error)]
    return []


def what_the_importer_refuses(root: Path) -> list[str]:
    """Faults found by the site's own importer, without its database."""
    from benchmarks.definitions.importers.craft import read_release
    from benchmarks.errors import BadRelease

    try:
        return [f"{where}: {what}" for where, what in read_release(root).problems]
    except BadRelease as error:
        return [str(error)]


def checked(root: Path) -> dict[str, Any]:
    records = json.loads((root / "dataset_minimal.json").read_text())
    types = Counter(record["question_type"] for record in records)
    return {
        "videos": len(list(root.glob("intermediates/sid_*/questions/qa_*.json"))),
        "questions": len(records),
        "before_balancing": len(json.loads((root / "imbalanced_dataset.json").read_text())),
        "types": dict(types),
        "templates": len({record["template_id"] for record in records}),
        "evaluator": disagreements(root) + disagreements(root, "imbalanced_dataset.json"),
        "loader": what_the_loader_refuses(root),
        "importer": what_the_importer_refuses(root),
        "audit": [f"{clip}: {what}" for clip, found in audit_folder(root) for what in found],
    }


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10, help="videos a scene")
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--release", type=Path)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        told = checked(options.release or made(Path(folder), options.count, options.seed))
    print(json.dumps(told))
    disagree = any(told[name] for name in ("evaluator", "loader", "importer", "audit"))
    return int(disagree or len(told["types"]) < TYPES or told["templates"] < KINDS)


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    sys.exit(main(sys.argv[1:]))
