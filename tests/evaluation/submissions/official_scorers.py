"""The benchmarks' own scorers, reimplemented from their documentation without this site's code."""

import csv
import io
import json
import string
from collections import defaultdict
from pathlib import Path
from typing import Any

# Missing values by pandas.read_csv; GRASP's scorer crashes on them.
MISSING = {"", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A",
           "NA", "NULL", "NaN", "None", "n/a", "nan", "null"}  # fmt: skip
DELETED = str.maketrans("", "", string.punctuation)

KEYWORDS = {
    "Direction": {
        "forward": {"forward", "forwards", "up", "upward", "upwards"},
        "backward": {"backward", "backwards", "down", "downward", "downwards"},
        "left": {"left"},
        "right": {"right"},
    },
    "Shape": {"ball": {"ball", "sphere", "round"}, "cube": {"cube", "box", "rectangular", "square"}},
    "Color": {name: {name} for name in ("red", "green", "blue", "black")},
    "RelationalPosition": {"left": {"left"}, "right": {"right"}},
}
MIRRORED = {
    ("left", "right"): ("right to left", "right to the left"),
    ("right", "left"): ("left to right", "left to the right"),
}


class ScorerCrashed(Exception):
    """The official tool would end with a traceback."""


def grasp_table(folder: Path) -> list[dict[str, str]]:
    """results.csv as compute_accuracy.py gets it from pandas."""
    rows = list(csv.DictReader(io.StringIO((folder / "results.csv").read_text(encoding="utf-8"), newline="")))
    assert list(rows[0]) == ["scene", "prompt", "video_file", "gt", "response"]
    if any(row["response"] in MISSING for row in rows):
        raise ScorerCrashed("a missing value has no split")
    return rows


def grasp_accuracies(folder: Path) -> dict[tuple[str, str], list[str]]:
    """(scene, gt) -> the verdicts of compute_accuracy.py on replies: "correct", "false" or "invalid"."""
    config = dict(line.split(": ") for line in (folder / "test_config.yaml").read_text().splitlines())
    judge = _open if config["test_name"] == "level1-open" else _binary
    found = defaultdict(list)
    for row in grasp_table(folder):
        scene = row["scene"] if judge is _open else row["scene"].split("_")[-1]
        found[scene, row["gt"]].append(judge(row["response"].split("<SEP>")[-1], row["gt"], row["scene"]))
    return dict(found)


def _binary(reply: str, gt: str, scene: str) -> str:
    if not reply.split():
        raise ScorerCrashed("list index out of range")
    word = reply.split()[0].lower().translate(DELETED)
    return "invalid" if word not in ("yes", "no") else "correct" if word == gt else "false"


def _open(reply: str, gt: str, scene: str) -> str:
    words = {word.translate(DELETED) for word in reply.lower().split()}
    mentioned = {label for label, keywords in KEYWORDS[scene].items() if keywords & words}
    others = mentioned - {gt}
    for (true, excused), phrases in MIRRORED.items():
        if scene == "Direction" and gt == true and any(phrase in reply.lower() for phrase in phrases):
            others -= {excused}
    if gt in mentioned and not others:
        return "correct"
    return "false" if others and gt not in mentioned else "invalid"


def craft_accuracies(predictions: Path, questions: list[dict[str, Any]]) -> dict[str, float]:
    """Accuracy by question type and overall: keys must be the same, answers are compared in lower case."""
    rows = list(csv.DictReader(io.StringIO(predictions.read_text(encoding="utf-8"), newline=""), delimiter="\t"))
    assert list(rows[0]) == ["video_index", "question_index", "split", "prediction"]
    said = {(int(row["video_index"]), int(row["question_index"])): row["prediction"] for row in rows}
    wanted = {(each["video_index"], each["question_index"]): each for each in questions}
    assert said.keys() == wanted.keys()
    hits = defaultdict(list)
    for key, question in wanted.items():
        for group in (question["question_type"], "overall"):
            hits[group].append(said[key] == str(question["answer"]).lower())
    return {group: round(100 * sum(right) / len(right), 2) for group, right in hits.items()}


def pacs_accuracy(predictions: Path, data: dict[str, dict[str, dict[str, Any]]]) -> float:
    """AudioCLIP's accuracy: right if the label's object is strictly more similar; a tie is wrong."""
    said = json.loads(predictions.read_text())
    hits = [
        said[pair][question][point["label"]] > said[pair][question][1 - point["label"]]
        for pair, questions in data.items()
        for question, point in questions.items()
    ]
    return sum(hits) / len(hits)
