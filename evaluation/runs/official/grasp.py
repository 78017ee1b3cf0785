"""GRASP's result folder as tools/run_test.py writes it and tools/compute_accuracy.py reads it."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.disclosure import PUBLIC, open_answers
from benchmarks.models import Item
from evaluation.models import ModelResponse, Run
from evaluation.prompting.requests import test_of
from evaluation.runs.official.counted import places, responses_of, write_table

FILE, CONFIG = "results.csv", "test_config.yaml"
COLUMNS = ("scene", "prompt", "video_file", "gt", "response")
SEPARATOR = "<SEP>"
BROKEN_SEPARATOR = "<SEP >"  # written in place of a separator in a model's own reply

# The official scorer chooses its rule by these: configs/tests/*.yaml of the release.
TEST_NAMES = {"binary": "level1-binary", "open": "level1-open", "plausibility": "level2", "text": "level2-text"}
MODES = {"binary": "standard", "binary-cot": "cot", "binary-oneshot": "oneshot"}

# The scorer reads the table with pandas and takes the first word of the last turn: it crashes on an empty reply
# and on a cell that pandas reads as missing. Both are written as text that it counts as invalid.
EMPTY = "<EMPTY>"
MISSING = frozenset((
    "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
    "NULL", "NaN", "None", "n/a", "nan", "null",
))  # fmt: skip
# pandas turns a column, or a part of a large one, that holds only such cells into numbers or booleans, which have no
# words.
NUMBER_OR_TRUTH = re.compile(r"\s*[-+]?(?:true|false|inf(?:inity)?|[\d.,_]+(?:e[-+]?\d*)?)\s*", re.IGNORECASE)


def write(run: Run, folder: Path) -> int:
    """Write results.csv and test_config.yaml, in one folder a seed; return the number of answers."""
    count = 0
    for seed, place in places(run, folder):
        count += write_table(place / FILE, rows(run, seed)) - 1
        config = "".join(f"{name}: {value}\n" for name, value in config_of(run.strategy).items())
        (place / CONFIG).write_text(config, encoding="utf-8")
    return count


def rows(run: Run, seed: int) -> Iterator[tuple[str, ...]]:
    """Yield the header, then one row per reply: turns joined by <SEP>, clips by a comma."""
    yield COLUMNS
    keys = dict(run.pack.items.values_list("draw_key", "key"))
    known = open_answers(run.pack.items.all(), to=PUBLIC)
    for response in responses_of(run, seed):
        item = response.cell.item
        prompts = [turn["text"] for turn in response.turns if turn["role"] == "user"] or [item.text]
        replies = [turn["text"] for turn in response.turns if turn["role"] == "model"] or [response.raw]
        videos = ",".join(_videos(response, keys))
        yield scene_of(item), SEPARATOR.join(prompts), videos, known[item.pk].expected or "", joined(replies)


def scene_of(item: Item) -> str:
    """The official `scene`: at Level 1 the test, at Level 2 the test after P_ or IP_."""
    if item.kind == "text":
        return item.key
    level, folder, _ = item.key.split("/")
    return folder if level == "level2" else test_of(item)


def config_of(strategy: str) -> dict[str, str]:
    """The fields of the test's configuration by which the official scorer chooses its rule."""
    kind = strategy.split("-")[0]
    mode = {"mode": MODES[strategy]} if strategy in MODES else {}
    return {"test_name": TEST_NAMES.get(kind, kind), **mode}


def joined(replies: list[str]) -> str:
    """The replies of all turns in one cell that the scorer can read; `last_reply` reverses it."""
    *before, last = (text.replace(SEPARATOR, BROKEN_SEPARATOR) for text in replies)
    if not last.strip():
        last = EMPTY
    elif last.rstrip(" ") in MISSING:
        last += " "
    elif not before and NUMBER_OR_TRUTH.fullmatch(last):
        before = [""]  # the scorer reads only what follows the last separator
    return SEPARATOR.join((*before, last))


def last_reply(cell: str) -> str:
    """The last reply, which counts, as given by the model."""
    last = cell.rpartition(SEPARATOR)[2]
    if last == EMPTY:
        return ""
    return (last[:-1] if last.endswith(" ") and last.rstrip(" ") in MISSING else last).replace(
        BROKEN_SEPARATOR, SEPARATOR
    )


def _videos(response: ModelResponse, keys: Mapping[str, str]) -> list[str]:
    """The clip of each turn, '' for a turn without one; the last turn names the clip if no turn shows it.

    The file identifies a question by its clip, so a run under `question-only` needs the clip, too.
    """
    item = response.cell.item
    turns = [turn for turn in response.turns if turn["role"] == "user"] or [{"frames": item.kind != "text"}]
    paths = [_path(keys[turn.get("item") or item.draw_key]) if turn["frames"] else "" for turn in turns]
    if not any(paths) and item.kind != "text":
        paths[-1] = _path(item.key)
    return paths


def _path(key: str) -> str:
    return f"data/videos/{key}.mp4"
