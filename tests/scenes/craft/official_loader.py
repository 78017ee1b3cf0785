"""The official baselines' loader, reimplemented: `dataset_minimal.json`, a split file, and the videos.

It follows sections 1.3, 1.4, 4.3 and 6.1 of the fact sheet; the original has another licence and is not copied.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av

SETTINGS = {"random": "split_info_random.json", "hard": "split_info_hard.json"}
SPLITS = ("train", "validation", "test")
PAD, UNK = "<PAD>", "<UNK>"
FRAMES, EDGE = 50, 112  # input of a video model: five frames a second, pixels


@dataclass(frozen=True)
class Sample:
    """One question of a split: words and answer as indices in the vocabularies."""

    video_index: int
    question_index: int
    question: tuple[int, ...]
    answer: int
    video: Path


@dataclass(frozen=True)
class Loaded:
    splits: dict[str, list[Sample]]
    words: tuple[str, ...]
    answers: tuple[str, ...]


def tokens(text: str) -> list[str]:
    """`basic_english`: lower case, punctuation as separate tokens."""
    return re.findall(r"[\w<>]+|[^\w\s]", text.lower())


def load(root: Path, setting: str) -> Loaded:
    """All questions of all splits; KeyError, ValueError or OSError if the original would fail."""
    records = json.loads((root / "dataset_minimal.json").read_text())
    by_key = {(record["video_index"], record["question_index"]): record for record in records}
    if len(by_key) != len(records):
        raise ValueError("a key stands twice")
    words = _vocabulary({token for record in records for token in tokens(record["question"])})
    answers = _vocabulary({record["answer"].lower() for record in records})
    split_info = json.loads((root / SETTINGS[setting]).read_text())
    splits = {}
    for name in SPLITS:
        keys = [(one["video_index"], one["question_index"]) for one in split_info[name]]
        splits[name] = [_sample(by_key[key], root, words, answers) for key in keys]
    return Loaded(splits, words, answers)


def _vocabulary(found: set[str]) -> tuple[str, ...]:
    return (PAD, *sorted(found), UNK)


def _sample(record: dict[str, Any], root: Path, words: tuple[str, ...], answers: tuple[str, ...]) -> Sample:
    video = root / record["video_file_path"]
    number, scene = record["video_index"], int(record["simulation_id"])
    if not video.is_file() or video.stem != f"{number:06}" or video.parent.name != f"sid_{scene}":
        raise ValueError(f"no video {video}")
    places = tuple(words.index(token) for token in tokens(record["question"]))
    return Sample(number, record["question_index"], places, answers.index(record["answer"].lower()), video)


def frames_of(video: Path) -> int:
    """The number of a model's frames: every twelfth of 600, resized."""
    with av.open(str(video)) as container:
        stream = container.streams.video[0]
        every = round(float(stream.average_rate or 0) / 5)
        shown = [frame for place, frame in enumerate(container.decode(stream)) if place % every == 0]
    return sum(frame.reformat(EDGE, EDGE, "rgb24").to_ndarray().shape == (EDGE, EDGE, 3) for frame in shown)


def graph_of(run: dict[str, Any]) -> dict[int, list[int]]:
    """The causal graph of a run: the original fails if the end, or the target of an edge, has no record."""
    graph = run["causal_graph"]
    after = {edge["from"]: edge["to"] for edge in graph["edges"]}
    known = {node["id"]: node for node in graph["nodes"]}
    ends = [number for number, node in known.items() if node["type"] == "End"]
    for number in (*ends, *(to for targets in after.values() for to in targets)):
        if number not in after or number not in known:
            raise KeyError(number)
    return after


def tsv_rows(root: Path, setting: str) -> list[tuple[str, ...]]:
    """`questions-<setting>.tsv`, the reference for scoring predictions."""
    records = json.loads((root / "dataset_minimal.json").read_text())
    by_key = {(record["video_index"], record["question_index"]): record for record in records}
    test = json.loads((root / SETTINGS[setting]).read_text())["test"]
    names = ("video_index", "question_index", "question_type", "question_family_index", "question", "answer")
    found = (by_key[one["video_index"], one["question_index"]] for one in test)
    return [tuple(str(record[name]).lower() for name in names) for record in found]
