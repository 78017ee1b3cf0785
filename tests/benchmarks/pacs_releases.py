"""PACS releases for tests: the official annotations, and a small one to spoil."""

import json
import zipfile
from pathlib import Path

ANNOTATIONS = Path(__file__).parent / "pacs_release" / "annotations.zip"


def official(folder: Path) -> Path:
    """The official annotations of validation and test, unpacked."""
    with zipfile.ZipFile(ANNOTATIONS) as archive:
        archive.extractall(folder)
    return folder


FOUR = {  # questions about two pairs of objects, for `val_data`
    pair: {f"question000{number}": {"label": number % 2, "text": f"Which is heavier? {number}"} for number in (1, 2)}
    for pair in ("object0001_object0002", "object0003_object0004")
}


def small(folder: Path, **files: object) -> Path:
    """Two pairs of three objects with one question each; `files` replace whole files, None leaves one out."""
    box = {"duration": 5.0, "bounding_box": [320, 180, 960, 540], "fps": 30}
    content = {
        "val_data": {
            "object0002_object0001": {"question0001": {"label": 0, "text": "Which is heavier?"}},
            "object0001_object0003": {"question0001": {"label": 1, "text": "Which one is heavier?"}},
        },
        "val_data_mat": {"object0002_object0001": {"q0001": {"label": 1, "text": "Which is made of wood?"}}},
        "objects": {
            "object0001": {**box, "materials": ["wood", "metal"]},
            "object0002": {**box, "materials": ["soft candy?"]},
            "object0003": {**box, "materials": [""]},
        },
        "questions": {
            "question0001": {"properties": ["Weight ", "texturetexture", ""], "question": "Which is heavier?"}
        },
        "mat_questions": {"q0001": "Which is made of wood?"},
        "youtube_info": {"video": {"object0001": [0, 10, 5], "object0002": [0, 10, 5]}},
        **files,
    }
    (folder / "json").mkdir(parents=True, exist_ok=True)
    for name, value in content.items():
        if value is not None:
            (folder / "json" / f"{name}.json").write_text(value if isinstance(value, str) else json.dumps(value))
    return folder
