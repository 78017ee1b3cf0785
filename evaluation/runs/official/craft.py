"""CRAFT's table of predictions: tab-separated, lower case, one row per question."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.definitions.papers.craft import OFFICIAL_SPLITS, indices_of
from benchmarks.models import Item
from evaluation.models import Run
from evaluation.runs.official.counted import places, prediction_of, responses_of, write_table

COLUMNS = ("video_index", "question_index", "split", "prediction")
BY_EASY = ("random", "")  # for the split "all", each question is placed by the easy setting


def write(run: Run, folder: Path) -> int:
    """Write predictions-random.tsv (easy) or predictions-hard.tsv; return the number of answers."""
    setting, _ = OFFICIAL_SPLITS.get(run.split, BY_EASY)
    return sum(
        write_table(place / f"predictions-{setting}.tsv", rows(run, seed), delimiter="\t") - 1
        for seed, place in places(run, folder)
    )


def rows(run: Run, seed: int) -> Iterator[tuple[object, ...]]:
    """Yield the header, then one row per reply. An unparsed reply gets its problem as prediction, which is wrong."""
    yield COLUMNS
    for response in responses_of(run, seed):
        item = response.cell.item
        yield (*indices_of(item.key), split_of(item, run.split), prediction_of(run, response))


def split_of(item: Item, split: str) -> str:
    """The release's spelling of the split of this question."""
    if split in OFFICIAL_SPLITS:
        return OFFICIAL_SPLITS[split][1]
    setting = BY_EASY[0]
    own = [OFFICIAL_SPLITS[name] for name in item.facet_values("split") if name in OFFICIAL_SPLITS]
    return next((name for of, name in own if of == setting), split)
