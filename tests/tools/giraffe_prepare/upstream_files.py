"""Small folders in the public data sets' own formats, with small videos of ten grey frames a second, all different."""

import csv
import json
from pathlib import Path
from typing import Any

import av
import numpy as np
from PIL import Image

from tools.giraffe_prepare.__main__ import main

CLASSES = """\
c000 Holding some clothes
c009 Putting a book on a table/shelf
c026 Holding a book
c053 Sitting on a chair
c059 Sitting in a chair
c097 Walking through a doorway
c106 Drinking from a cup/glass/bottle
c107 Holding a cup/glass/bottle of something
c118 Holding a book somewhere
c152 Someone is smiling
"""


def prepared(capsys, *arguments) -> list[str]:
    """What a preparation notes, a line each."""
    assert main([*map(str, arguments)]) == 0
    return capsys.readouterr().err.splitlines()


def records_of(folder: Path) -> list[dict]:
    return json.loads((folder / "items.json").read_text())


def grey(path: Path) -> int:
    return int(np.asarray(Image.open(path).convert("L"))[20, 30])


def write_video(path: Path, seconds: float, fps: int = 10) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=fps)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for number in range(round(seconds * fps)):
            grey = np.full((48, 64, 3), min(250, 2 * number), np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(grey, format="rgb24")))
        container.mux(stream.encode(None))
    return path


def clevrer_record(index: int = 10_000, **values) -> dict:
    def moving(number: int, **own) -> dict:
        place = {"object_id": number, "location": [0.5, -1.25, 0.2], "inside_camera_view": True}
        return place | {"orientation": [0, 0, 0], "velocity": [1, 0, 0], "angular_velocity": [0, 0, 0]} | own

    objects = [("gray", "rubber", "sphere"), ("cyan", "metal", "cylinder"), ("red", "metal", "cube")]
    return {
        "scene_index": index,
        "video_filename": f"video_{index}.mp4",
        "object_property": [
            {"object_id": number, "color": colour, "material": material, "shape": shape}
            for number, (colour, material, shape) in enumerate(objects)
        ],
        "motion_trajectory": [
            {"frame_id": frame, "objects": [moving(0), moving(1), moving(2, inside_camera_view=False)]}
            for frame in (0, 124, 127)
        ],
        "collision": [{"object_ids": [0, 1], "frame_id": 60, "location": [0, 0, 0]}],
    } | values


def clevrer_scene(index: int = 10_000, answers=("correct", "wrong"), **values) -> dict:
    told = ("The gray sphere collides with the cyan cylinder", "The red cube and the gray sphere collide")
    return {
        "scene_index": index,
        "video_filename": f"video_{index}.mp4",
        "questions": [
            {"question_id": 0, "question_type": "descriptive", "question": "How many?", "answer": "2"},
            {
                "question_id": 1,
                "question_type": "predictive",
                "question": "What will happen next?",
                "choices": [
                    {"choice_id": number, "choice": one} | ({"answer": answer} if answer else {})
                    for number, (one, answer) in enumerate(zip(told, answers, strict=True))
                ],
            },
        ],
    } | values


def write_clevrer(root: Path, scenes=None, records=None) -> Path:
    for record in records if records is not None else [clevrer_record()]:
        folder = root / "annotation_10000-11000"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"annotation_{record['scene_index']:05}.json").write_text(json.dumps(record))
    (root / "validation.json").write_text(json.dumps(scenes if scenes is not None else [clevrer_scene()]))
    return root


COLUMNS = (
    *("id", "subject", "scene", "quality", "relevance", "verified", "script", "objects"),
    *("descriptions", "actions", "length"),
)


def charades_row(**values) -> dict:
    row = dict.fromkeys(COLUMNS, "") | {"id": "46GP8", "subject": "HR43", "scene": "Kitchen", "length": "24.83"}
    row["script"] = "A person drinks from a cup."
    row["descriptions"] = "A person walks through a doorway holding a book, and then puts the book on the table."
    row["actions"] = "c097 0.00 4.00;c026 0.00 9.50;c009 8.00 12.50"
    return row | values


def write_charades(root: Path, *rows: dict, classes: str = CLASSES) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    (root / "Charades_v1_classes.txt").write_text(classes)
    with (root / "Charades_v1_test.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows or [charades_row()])
    return root


def captions(**values) -> dict:
    return {
        "duration": 12.0,
        "timestamps": [[0.0, 4.0], [4.0, 8.0], [8.0, 12.5]],
        "sentences": ["A man holds a red object.", " He lifts  it.", "He drops it."],
    } | values


COMBINATION: dict[str, Any] = {
    "activity": "Make Toast",
    "variants": ["001", "002"],
    "subtasks": [
        {"name": "Plunge Toaster", "says": "plunge the toaster", "folder": "plunge", "frames": [0, -1]},
        {"name": "Pick Toast", "says": "pick up the toast", "folder": "pick", "frames": [5]},
        {"name": "Place Toast", "says": "put the toast on the plate", "folder": "place", "frames": [-1]},
    ],
}
