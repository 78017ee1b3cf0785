"""PACS' predictions as written by its AudioCLIP tool: two similarities per datapoint; the higher one is the answer.

Of the release's four layouts only this one can express "no answer": two equal similarities, which the release's own
comparison counts as wrong.
"""

import json
from pathlib import Path

from benchmarks.definitions.papers.pacs import OPTIONS, SPLITS, data_file, parts_of
from benchmarks.models import Item
from evaluation.models import Run
from evaluation.runs.official.counted import places, prediction_of, responses_of

SIMILARITIES = {OPTIONS[0]: (1.0, 0.0), OPTIONS[1]: (0.0, 1.0)}
NEITHER = (0.0, 0.0)

Predictions = dict[str, dict[str, tuple[float, float]]]  # pair -> question -> similarity of each object


def write(run: Run, folder: Path) -> int:
    """Write preds_<split>.json for each official split of the run's questions; return the number of answers."""
    count = 0
    for seed, place in places(run, folder):
        files: dict[str, Predictions] = {}
        for response in responses_of(run, seed):
            item = response.cell.item
            pair, question = parts_of(item.key)
            of_pair = files.setdefault(data_file(split_of(item, run.split), item.kind), {}).setdefault(pair, {})
            of_pair[question] = SIMILARITIES.get(prediction_of(run, response), NEITHER)
            count += 1
        for name, predictions in files.items():
            (place / f"preds_{name}.json").write_text(_json(predictions), encoding="utf-8")
    return count


def split_of(item: Item, split: str) -> str:
    """The official split of the datapoint."""
    return split if split in SPLITS else next((name for name in item.facet_values("split") if name in SPLITS), split)


def _json(predictions: Predictions) -> str:
    """JSON with one datapoint per line, so that an error message can name the line."""
    pairs = (
        f"{json.dumps(pair)}: {{\n"
        + ",\n".join(f"  {json.dumps(question)}: {json.dumps(both)}" for question, both in questions.items())
        + "\n}"
        for pair, questions in predictions.items()
    )
    return "{\n" + ",\n".join(pairs) + "\n}\n"
