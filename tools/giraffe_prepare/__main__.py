"""Writes a folder for `import_benchmark giraffe` from the annotation files of a public data set."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.errors import BadRelease
from tools.giraffe_prepare import activitynet, charades, clevrer, roboset
from tools.giraffe_prepare.frames import Best, Unread
from tools.giraffe_prepare.items import Found, sampled, write_items

READERS: dict[str, Callable[[Path, Path | None], Found]] = {
    "clevrer": clevrer.read_clevrer,
    "charades": charades.read_charades,
    "activitynet": activitynet.read_activitynet,
    "roboset": roboset.read_roboset,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Prepare one data set; what was left out goes to standard error, a mistake of the caller ends with 2."""
    parser = argparse.ArgumentParser(prog="python -m tools.giraffe_prepare", description=__doc__)
    parser.add_argument("dataset", choices=READERS)
    parser.add_argument("source", type=Path, help="folder (for ActivityNet a file) with the annotations")
    parser.add_argument("--out", type=Path, required=True, help="the folder that import_benchmark reads afterwards")
    parser.add_argument("--videos", type=Path, help="folder of the videos, some of which may be missing")
    parser.add_argument("--matcher", help="folder of a CLIP-like model that picks a caption's picture (activitynet)")
    parser.add_argument("--limit", type=int, help="number of items, drawn with the seed")
    parser.add_argument("--seed", type=int, default=0)
    order = parser.parse_args(arguments)
    try:
        print(prepare(order))
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def prepare(order: argparse.Namespace) -> str:
    """Run the preparation; BadRelease says what is wrong with the options or the source."""
    if order.videos is not None and not order.videos.is_dir():
        raise BadRelease(f"--videos {order.videos}: no such folder")
    if order.limit is not None and order.limit < 1:
        raise BadRelease(f"--limit {order.limit}: must be at least 1")
    found = READERS[order.dataset](order.source, order.videos)
    drafts = sampled(found.drafts, order.limit, order.seed)
    best = best_by(order.matcher) if order.matcher else None
    problems = write_items(Found(drafts, found.problems), order.out, best=best)
    for where, what in problems:
        print(f"{where}: {what}", file=sys.stderr)
    return f"{len(drafts)} items of {order.dataset} in {order.out}; notes: {len(problems)}"


def best_by(folder: str) -> Best:
    """A function that picks the picture that best fits a text, using a model of images and text."""
    from evaluation.adapters.similarity import IMAGE, Matcher, TextTooLong
    from evaluation.adapters.transformers.loading import device_named
    from evaluation.errors import ModelMisused

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")  # it says where saved models lie
    try:
        matcher = Matcher(folder, IMAGE, device_named("auto"))
    except ModelMisused as error:
        raise BadRelease(str(error)) from None

    def best(words: str, pictures: Sequence[Any]) -> int:
        try:
            return int(matcher.probabilities(words, [picture[None] for picture in pictures]).argmax())
        except TextTooLong as error:
            raise Unread(f"the caption can't be compared: {error}") from None

    return best


if __name__ == "__main__":
    sys.exit(main())
