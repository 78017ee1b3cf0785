"""A run's answers as files: row by row for anybody, and as GRASP's own tools read them."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from evaluation.asking import test_of
from evaluation.models import Cell, ModelResponse, Run

COLUMNS = ("item", "seed", "state", "reason", "reply", "answer", "problem", "score")
OFFICIAL = ("scene", "prompt", "video_file", "gt", "response")
SEPARATOR = "<SEP>"
FORMULA = ("=", "+", "-", "@", "\t", "\r")

# What the official scorer looks at to choose its rule: configs/tests/*.yaml of the release.
TEST_NAMES = {"binary": "level1-binary", "open": "level1-open", "plausibility": "level2", "text": "level2-text"}
MODES = {"binary": "standard", "binary-cot": "cot", "binary-oneshot": "oneshot"}


def item_rows(run: Run) -> Iterator[tuple]:
    """Yield the header, then one row a cell in the order of ids."""
    yield COLUMNS
    cells = run.cells.order_by("item__public_id", "seed").select_related("item", "response")
    for cell in cells.prefetch_related("response__readings__scores").iterator(chunk_size=2000):
        yield (cell.item.public_id, cell.seed, cell.state, cell.reason, *_reply(run, cell))


def official_rows(run: Run, seed: int) -> Iterator[tuple[str, ...]]:
    """Yield results.csv as tools/run_test.py writes it: turns joined by <SEP>, clips by a comma."""
    yield OFFICIAL
    keys = dict(run.pack.items.values_list("public_id", "key"))
    responses = ModelResponse.objects.filter(cell__run=run, cell__seed=seed).order_by(
        "cell__item__key", "cell__item__pk"
    )
    full = responses.select_related("cell__item").prefetch_related("cell__item__facets")
    for response in full.iterator(chunk_size=2000):
        item = response.cell.item
        prompts = [turn["text"] for turn in response.turns if turn["role"] == "user"] or [item.text]
        said = [turn["text"] for turn in response.turns if turn["role"] == "model"] or [response.raw]
        yield (scene_of(item), SEPARATOR.join(prompts), ",".join(_videos(response, keys)), item.expected or "",
               SEPARATOR.join(said))  # fmt: skip


def scene_of(item: Any) -> str:
    """The official `scene`: the test at Level 1, P_ or IP_ and the test at Level 2."""
    if item.kind == "text":
        return item.key
    level, folder, _ = item.key.split("/")
    return folder if level == "level2" else test_of(item)


def write_items(run: Run, path: Path) -> int:
    """Write one row a cell, as JSON Lines or CSV by the file's ending; how many rows there are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix != ".jsonl":
        return _write_table(path, (tuple(map(_calm, row)) for row in item_rows(run))) - 1
    with path.open("w", encoding="utf-8") as file:
        return sum(1 for row in _objects(item_rows(run)) if file.write(json.dumps(row, ensure_ascii=False) + "\n"))


def _objects(rows: Iterator[tuple]) -> Iterator[dict[str, Any]]:
    header = next(rows)
    yield from (dict(zip(header, row, strict=True)) for row in rows)


def write_official(run: Run, folder: Path) -> int:
    """Write results.csv and test_config.yaml, in one folder a seed where there are several."""
    count = 0
    for seed in run.seeds:
        place = folder / f"seed-{seed}" if len(run.seeds) > 1 else folder
        place.mkdir(parents=True, exist_ok=True)
        count += _write_table(place / "results.csv", official_rows(run, seed)) - 1
        (place / "test_config.yaml").write_text(config_of(run), encoding="utf-8")
    return count


def config_of(run: Run) -> str:
    """The lines of the test's configuration by which the official scorer chooses its rule."""
    kind = run.strategy.split("-")[0]
    mode = f"mode: {MODES[run.strategy]}\n" if run.strategy in MODES else ""
    return f"test_name: {TEST_NAMES.get(kind, kind)}\n{mode}"


def _write_table(path: Path, rows: Iterable[tuple]) -> int:
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        return sum(1 for row in rows if table.writerow(row))


def _videos(response: ModelResponse, keys: Mapping[str, str]) -> Iterator[str]:
    """The clip of each turn, empty where a turn shows none."""
    item = response.cell.item
    asked = [turn for turn in response.turns if turn["role"] == "user"]
    for turn in asked or [{"frames": item.kind != "text"}]:
        yield f"data/videos/{keys[turn.get('item', item.public_id)]}.mp4" if turn["frames"] else ""


def _reply(run: Run, cell: Cell) -> tuple[str, str, str, float | str]:
    """The reply, what the run's own parser read in it, and its score."""
    response = getattr(cell, "response", None)
    if response is None:
        return "", "", "", ""
    wanted = (run.parser, run.parser_version)
    reading = next((row for row in response.readings.all() if (row.parser, row.version) == wanted), None)
    if reading is None:
        return response.raw, "", "", ""
    score = next((row.value for row in reading.scores.all() if row.referee == run.referee), "")
    return response.raw, reading.answer, reading.problem, score


def _calm(value: object) -> object:
    """A spreadsheet must not run what a model said."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
