"""A run's answers as files: the site's own lines, which can be uploaded again, or those of the benchmark's tools.

`evaluation.submissions.files.native` reads the latter back. CRAFT: a tab-separated table of predictions, lower case,
one row per question. GRASP: a folder as tools/run_test.py writes it and tools/compute_accuracy.py reads it. PACS:
predictions as its AudioCLIP tool writes them, two similarities per datapoint, of which the higher one is the answer; of
the release's four layouts only this one can express "no answer", by two equal similarities, which the release's own
comparison counts as wrong.
"""

import csv
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from django.db.models import QuerySet

from benchmarks.definitions.papers.craft import OFFICIAL_SPLITS, indices_of
from benchmarks.definitions.papers.pacs import OPTIONS, SPLITS, data_file, parts_of
from benchmarks.definitions.registry import find_benchmark
from benchmarks.disclosure import PUBLIC, Fact, open_answers, open_to
from benchmarks.models import Item
from benchmarks.packs.export import write_lines
from evaluation.errors import RunMisused
from evaluation.models import Cell, ModelResponse, Run, RunKind
from evaluation.replies import ENDED, FINDINGS, LOG_PROBS, REPLY, SURPRISE, THOUGHTS
from measures.scores.parsed_answers import UNREAD

CRAFT_COLUMNS = ("video_index", "question_index", "split", "prediction")
BY_EASY = ("random", "")  # for the split "all", each question is placed by the easy setting

FILE, CONFIG = "results.csv", "test_config.yaml"
GRASP_COLUMNS = ("scene", "prompt", "video_file", "gt", "response")
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

SIMILARITIES = {OPTIONS[0]: (1.0, 0.0), OPTIONS[1]: (0.0, 1.0)}
NEITHER = (0.0, 0.0)

Predictions = dict[str, dict[str, tuple[float, float]]]  # pair -> question -> similarity of each object


def places(run: Run, folder: Path) -> Iterator[tuple[int, Path]]:
    """Yield each seed and its folder, created if missing: the official tools have no seeds.

    A run with seed 0 alone, the usual case, needs no folder of its own.
    """
    for seed in run.seeds:
        place = folder if run.seeds == [0] else folder / f"seed-{seed}"
        place.mkdir(parents=True, exist_ok=True)
        yield seed, place


def responses_of(run: Run, seed: int) -> Iterator[ModelResponse]:
    """The replies of this seed in the order of the official keys, with item, facets and readings."""
    found = ModelResponse.objects.filter(cell__run=run, cell__seed=seed).select_related("cell__item")
    full = found.prefetch_related("cell__item__facets", "readings__scores")
    return full.order_by("cell__item__key", "cell__item__pk").iterator(chunk_size=2000)


def kind_of(run: Run) -> str:
    """The kind of the run's answers: by its strategy, else as uploaded; a margin is stored as log-probabilities."""
    strategy = find_benchmark(run.pack.benchmark).strategy(run.strategy)
    if strategy.by_surprise or strategy.by_likelihood:
        return SURPRISE if strategy.by_surprise else LOG_PROBS
    return str(run.card.get("given", REPLY)) if run.kind == RunKind.UPLOADED else REPLY


def fields_of(kind: str, response: ModelResponse) -> dict[str, Any]:
    """The answer's fields as an upload has them."""
    if kind in (SURPRISE, LOG_PROBS):
        numbers: dict[str, Any] = json.loads(response.raw)
        return numbers if kind == SURPRISE else {LOG_PROBS: numbers}
    beside = {THOUGHTS: response.thoughts, ENDED: response.ended}
    return {kind: response.raw} | {name: text for name, text in beside.items() if text}


def prediction_of(run: Run, response: ModelResponse) -> str:
    """The answer, or the problem if there is no answer."""
    reading = response.reading_for(run)
    return (reading.answer or reading.problem if reading else "") or UNREAD


def write_table(path: Path, rows: Iterable[tuple], *, delimiter: str = ",") -> int:
    """Write the rows, of which the first is the header; return the number of answers."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, delimiter=delimiter)
        return sum(1 for row in rows if table.writerow(row))


def write_craft(run: Run, folder: Path) -> int:
    """Write predictions-random.tsv (easy) or predictions-hard.tsv; return the number of answers."""
    setting, _ = OFFICIAL_SPLITS.get(run.split, BY_EASY)
    return sum(
        write_table(place / f"predictions-{setting}.tsv", craft_rows(run, seed), delimiter="\t") - 1
        for seed, place in places(run, folder)
    )


def craft_rows(run: Run, seed: int) -> Iterator[tuple[object, ...]]:
    """Yield the header, then one row per reply. An unparsed reply gets its problem as prediction, which is wrong."""
    yield CRAFT_COLUMNS
    for response in responses_of(run, seed):
        item = response.cell.item
        yield (*indices_of(item.key), craft_split(item, run.split), prediction_of(run, response))


def craft_split(item: Item, split: str) -> str:
    """The release's spelling of the split of this question."""
    if split in OFFICIAL_SPLITS:
        return OFFICIAL_SPLITS[split][1]
    setting = BY_EASY[0]
    own = [OFFICIAL_SPLITS[name] for name in item.facet_values("split") if name in OFFICIAL_SPLITS]
    return next((name for of, name in own if of == setting), split)


def write_grasp(run: Run, folder: Path) -> int:
    """Write results.csv and test_config.yaml, in one folder a seed; return the number of answers."""
    count = 0
    for seed, place in places(run, folder):
        count += write_table(place / FILE, grasp_rows(run, seed)) - 1
        config = "".join(f"{name}: {value}\n" for name, value in config_of(run.strategy).items())
        (place / CONFIG).write_text(config, encoding="utf-8")
    return count


def grasp_rows(run: Run, seed: int) -> Iterator[tuple[str, ...]]:
    """Yield the header, then one row per reply: turns joined by <SEP>, clips by a comma."""
    yield GRASP_COLUMNS
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
    return folder if level == "level2" else item.own_test


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


def write_pacs(run: Run, folder: Path) -> int:
    """Write preds_<split>.json for each official split of the run's questions; return the number of answers."""
    count = 0
    for seed, place in places(run, folder):
        files: dict[str, Predictions] = {}
        for response in responses_of(run, seed):
            item = response.cell.item
            pair, question = parts_of(item.key)
            of_pair = files.setdefault(data_file(pacs_split(item, run.split), item.kind), {}).setdefault(pair, {})
            of_pair[question] = SIMILARITIES.get(prediction_of(run, response), NEITHER)
            count += 1
        for name, predictions in files.items():
            (place / f"preds_{name}.json").write_text(_json(predictions), encoding="utf-8")
    return count


def pacs_split(item: Item, split: str) -> str:
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


WRITERS: dict[str, Callable[[Run, Path], int]] = {"grasp": write_grasp, "craft": write_craft, "pacs": write_pacs}


def answered_cells(run: Run) -> QuerySet[Cell]:
    """The answered questions with their replies and scores, ordered by id and seed."""
    cells = run.cells.filter(response__isnull=False).order_by("item__public_id", "seed")
    return cells.select_related("item", "response").prefetch_related("response__readings__scores")


def item_rows(run: Run) -> Iterator[dict[str, Any]]:
    """Yield one row per answer ordered by id and seed, with what was found; scores of hidden answers are left out."""
    hidden = set(run.pack.items.exclude(open_to(PUBLIC, Fact.ANSWER)).order_by().values_list("pk", flat=True))
    kind = kind_of(run)
    for cell in answered_cells(run).iterator(chunk_size=2000):
        answer = {"item": cell.item.public_id, "seed": cell.seed} | fields_of(kind, cell.response)
        yield answer | _findings(run, cell, is_hidden=cell.item_id in hidden)


def write_items(run: Run, path: Path) -> int:
    """Write one line of JSON per answer; return their number."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return write_lines(path, item_rows(run))


def write_official(run: Run, folder: Path) -> int:
    """Write the benchmark's own result files; raises RunMisused if it has none."""
    if run.pack.benchmark not in WRITERS:
        there_are = ", ".join(WRITERS)
        raise RunMisused(f"{run.pack.benchmark} has no result file of its own; there is one for: {there_are}")
    return WRITERS[run.pack.benchmark](run, folder)


def _findings(run: Run, cell: Cell, *, is_hidden: bool) -> dict[str, Any]:
    """The answer and problem by the run's own parser, the score, and the tokens of all turns with their thoughts."""
    response = cell.response
    reading = response.reading_for(run)
    answer, problem = (reading.answer, reading.problem) if reading else ("", "")
    score = reading.points(run.referee) if reading and not is_hidden else None
    found = zip(FINDINGS, (answer, problem, score, response.tokens_in, response.tokens_out), strict=True)
    return {name: value for name, value in found if value not in (None, "")}
