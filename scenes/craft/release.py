"""Finished videos -> the files of the official release: balanced questions, splits, programs and annotations."""

import json
import os
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scenes.craft.places import UNASKED, VideoPlace, finished
from scenes.craft.questions.asking import GeneratedQuestion
from scenes.craft.questions.shares import balanced, in_shares_of_paper
from scenes.craft.questions.statistics import write_statistics
from scenes.craft.questions.templates import templates
from scenes.whole_files import whole, write_json

MINIMAL, FULL, ANNOTATIONS = "dataset_minimal.json", "dataset.json", "annotations.json"
EASY, HARD = "split_info_random.json", "split_info_hard.json"
MADE_HERE = "made_here.json"  # seed, profile and source of the shares; official releases have no such file
OF_PAPER = "paper"
SEED = 10435  # of both settings, in the original and here
LOOK_ALIKE = ((1, 18), (3, 16), (4, 17))  # similar scenes, never in one split of the hard setting
SCENES, TRAINING, VALIDATION = 20, 12, 4
SHARE = 0.2  # of the videos for validation, and the same for test
SPLITS = ("train", "validation", "test")


@dataclass(frozen=True)
class ReleasedQuestion(GeneratedQuestion):
    """A question of a finished video, as stored there."""

    place: VideoPlace

    @property
    def key(self) -> tuple[int, int]:
        return self.place.index, self.number


def write_release(out: Path, made: Mapping[str, Any], *, shares: str = "") -> int:
    """Balance the questions of the finished videos and rewrite every file; returns the number of questions.

    With the shares of the paper, surplus questions of frequent kinds are left out; raises TooFewQuestions before any
    file is written.
    """
    places = list(finished(out, made))
    questions = [question for place in places for question in _released_questions(place, out)]
    keys = _balanced_keys(questions, int(made["seed"]), shares)
    _write_statistics(out, "imbalanced", questions)
    questions = [one for one in questions if one.key in keys]
    _write_statistics(out, "balanced", questions)
    by_video: dict[VideoPlace, list[ReleasedQuestion]] = {place: [] for place in places}
    for one in questions:
        by_video[one.place].append(one)
    _sort_videos(by_video, out)
    write_json(out / MINIMAL, [_minimal(one) for one in questions])
    _write_each(out / FULL, "[]", (json.dumps(_full(place, own)) for place, own in by_video.items() if own))
    _write_each(out / ANNOTATIONS, "{}", (f'"{place.key}":{place.record(out).read_text()}' for place in by_video))
    videos = easy_split(place.index for place, own in by_video.items() if own)
    scenes = hard_split()
    write_json(out / EASY, _split(questions, lambda one: videos[one.place.index]))
    write_json(out / HARD, _split(questions, lambda one: scenes[one.place.scene]))
    write_json(out / f"{UNASKED}.json", [place.index for place, own in by_video.items() if not own])
    write_json(out / MADE_HERE, dict(made) | ({"shares": shares} if shares else {}))
    return len(questions)


def _balanced_keys(questions: list[ReleasedQuestion], seed: int, shares: str) -> set[tuple[int, int]]:
    """The keys of the questions that remain after balancing and, if wanted, after matching the paper's shares."""
    keys = balanced((((one.place.scene, one.template.name), one.key, one.answer) for one in questions), seed)
    if shares != OF_PAPER:
        return keys
    left = (one for one in questions if one.key in keys)
    return in_shares_of_paper(((one.template.question_type, one.template.answer_type, one.key) for one in left), seed)


def _released_questions(place: VideoPlace, out: Path) -> Iterator[ReleasedQuestion]:
    for row in json.loads(place.questions(out).read_text(encoding="utf-8"))["questions"]:
        yield ReleasedQuestion(
            row["number"], templates()[row["template"]], row["values"], row["question"], row["answer"], place
        )


def _write_statistics(out: Path, name: str, questions: list[ReleasedQuestion]) -> None:
    """Write the questions, before or after balancing, with their statistics."""
    records = [_minimal(one) for one in questions]
    write_json(out / f"{name}_dataset.json", records)
    write_statistics(out / "stats" / name, records, f"{name.capitalize()}: {len(questions):,} questions")


def _sort_videos(by_video: Mapping[VideoPlace, list[ReleasedQuestion]], out: Path) -> None:
    """Move videos without questions to their own folder, and back when a larger set has questions about them."""
    for place, own in by_video.items():
        wanted, other = place.video(out), place.unasked_video(out)
        if not own:
            wanted, other = other, wanted
        if other.is_file():
            wanted.parent.mkdir(parents=True, exist_ok=True)
            os.replace(other, wanted)


def _minimal(one: ReleasedQuestion) -> dict[str, Any]:
    return {
        "question": one.text,
        "answer": str(one.answer).capitalize(),
        "answer_type": one.template.answer_type,
        "template_filename": f"{one.template.stem}.json",
        "video_file_path": one.place.official,
        "video_index": one.place.index,
        "question_index": one.number,
        "question_family_index": one.template.family,
        "template_id": one.template.name,
        "simulation_id": str(one.place.scene),
        "question_type": one.template.question_type,
    }


def _full(place: VideoPlace, every: list[ReleasedQuestion]) -> dict[str, Any]:
    file = {"video_filename": place.official, "video_index": place.index}
    questions = [
        file
        | {
            "video": place.key,
            "question": one.text,
            "answer": one.answer,
            "program": [
                {
                    "type": step.module,
                    "inputs": list(step.inputs),
                    "value_inputs": [one.values[step.slot]] if step.slot else [],
                }
                for step in one.template.program
            ],
            "template_filename": f"{one.template.stem}.json",
            "question_family_index": one.template.family,
            "question_index": one.number,
        }
        for one in every
    ]
    return {
        "simulation_id": str(place.scene),
        "video_path": place.official,
        "questions": {"info": file, "questions": questions},
    }


def _split(questions: list[ReleasedQuestion], of: Any) -> dict[str, list[dict[str, int]]]:
    found: dict[str, list[dict[str, int]]] = {name: [] for name in SPLITS}
    for one in questions:
        found[of(one)].append({"video_index": one.place.index, "question_index": one.number})
    return found


def _write_each(path: Path, brackets: str, parts: Iterator[str]) -> None:
    """Write the parts one after another: all annotations at once would fill the memory."""
    with whole(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        file.write(brackets[0])
        for number, part in enumerate(parts):
            file.write(f",\n{part}" if number else part)
        file.write(brackets[1])


def easy_split(videos: Iterable[int]) -> dict[int, str]:
    """Split by video: a fifth for test, a fifth for validation, the rest for training."""
    order = sorted(videos)
    random.Random(SEED).shuffle(order)  # noqa: S311 - the release's own draw
    part = int(SHARE * len(order))
    ends = (len(order) - 2 * part, len(order) - part)
    return {video: SPLITS[(place >= ends[0]) + (place >= ends[1])] for place, video in enumerate(order)}


def hard_split() -> dict[int, str]:
    """Split by scene: shuffled until no two similar scenes share a split."""
    chance, scenes = random.Random(SEED), list(range(1, SCENES + 1))  # noqa: S311 - the release's own draw
    while True:
        chance.shuffle(scenes)
        found = {
            scene: SPLITS[(place >= TRAINING) + (place >= TRAINING + VALIDATION)] for place, scene in enumerate(scenes)
        }
        if all(found[one] != found[other] for one, other in LOOK_ALIKE):
            return found
