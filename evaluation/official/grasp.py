"""GRASP's result folder as tools/run_test.py writes it and tools/compute_accuracy.py reads it."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.models import Item
from evaluation.asking import test_of
from evaluation.models import ModelResponse, Run
from evaluation.official.counted import places, responses_of, write_table

FILE, CONFIG = "results.csv", "test_config.yaml"
COLUMNS = ("scene", "prompt", "video_file", "gt", "response")
SEPARATOR = "<SEP>"
BROKEN_SEPARATOR = "<SEP >"  # where a model itself says the separator

# What the official scorer looks at to choose its rule: configs/tests/*.yaml of the release.
TEST_NAMES = {"binary": "level1-binary", "open": "level1-open", "plausibility": "level2", "text": "level2-text"}
MODES = {"binary": "standard", "binary-cot": "cot", "binary-oneshot": "oneshot"}

# The scorer reads the table with pandas and takes the first word of the last turn: it crashes on an empty reply, and
# on a cell that pandas takes for a missing value. Both are written as something that it counts as invalid.
EMPTY = "<EMPTY>"
MISSING = frozenset((
    "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
    "NULL", "NaN", "None", "n/a", "nan", "null",
))  # fmt: skip


def write(run: Run, folder: Path) -> int:
    """Write results.csv and test_config.yaml, in one folder a seed; how many answers there are."""
    count = 0
    for seed, place in places(run, folder):
        count += write_table(place / FILE, rows(run, seed)) - 1
        config = "".join(f"{name}: {value}\n" for name, value in config_of(run.strategy).items())
        (place / CONFIG).write_text(config, encoding="utf-8")
    return count


def rows(run: Run, seed: int) -> Iterator[tuple[str, ...]]:
    """Yield the columns, then a row a reply: turns joined by <SEP>, clips by a comma."""
    yield COLUMNS
    keys = dict(run.pack.items.values_list("public_id", "key"))
    for response in responses_of(run, seed):
        item = response.cell.item
        prompts = [turn["text"] for turn in response.turns if turn["role"] == "user"] or [item.text]
        said = [turn["text"] for turn in response.turns if turn["role"] == "model"] or [response.raw]
        videos = ",".join(_videos(response, keys))
        yield scene_of(item), SEPARATOR.join(prompts), videos, item.expected or "", joined(said)


def scene_of(item: Item) -> str:
    """The official `scene`: the test at Level 1, P_ or IP_ and the test at Level 2."""
    if item.kind == "text":
        return item.key
    level, folder, _ = item.key.split("/")
    return folder if level == "level2" else test_of(item)


def config_of(strategy: str) -> dict[str, str]:
    """The fields of the test's configuration by which the official scorer chooses its rule."""
    kind = strategy.split("-")[0]
    mode = {"mode": MODES[strategy]} if strategy in MODES else {}
    return {"test_name": TEST_NAMES.get(kind, kind), **mode}


def joined(said: list[str]) -> str:
    """The replies of all turns in one cell that the scorer can read; `last_said` undoes it."""
    *before, last = (text.replace(SEPARATOR, BROKEN_SEPARATOR) for text in said)
    if not last.strip():
        last = EMPTY
    elif last.rstrip(" ") in MISSING:
        last += " "
    return SEPARATOR.join((*before, last))


def last_said(cell: str) -> str:
    """The reply that counts, as the model gave it."""
    last = cell.rpartition(SEPARATOR)[2]
    if last == EMPTY:
        return ""
    return (last[:-1] if last.endswith(" ") and last.rstrip(" ") in MISSING else last).replace(
        BROKEN_SEPARATOR, SEPARATOR
    )


def _videos(response: ModelResponse, keys: Mapping[str, str]) -> list[str]:
    """The clip of each turn, empty where a turn shows none; the last turn names the clip where none was shown at all.

    The file says by this which question was asked, so that a run under `question-only` needs it as well.
    """
    item = response.cell.item
    asked = [turn for turn in response.turns if turn["role"] == "user"] or [{"frames": item.kind != "text"}]
    shown = [_path(keys[turn.get("item") or item.public_id]) if turn["frames"] else "" for turn in asked]
    if not any(shown) and item.kind != "text":
        shown[-1] = _path(item.key)
    return shown


def _path(key: str) -> str:
    return f"data/videos/{key}.mp4"
