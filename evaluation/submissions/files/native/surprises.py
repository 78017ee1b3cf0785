"""LikePhys' results_MODEL.json: the losses of each video, in scenes and kinds of violation, become surprises.

Its evaluator (YuanJianhao508/LikePhys, evaluator.py) was run on this site's clips: a video bears the name of a clip or
the id of an item, also behind the kind of its violation and a `_`.
"""

import json
from collections.abc import Iterator
from typing import Any

from evaluation.replies import SURPRISE
from evaluation.submissions.files.native.base import NamedItem, Names, NativeFile, ResultFile, unknown
from evaluation.submissions.files.problems import Problem, Unreadable
from evaluation.submissions.files.rows import AnswerRow, Target
from evaluation.submissions.files.strict_json import document_in

SCENES, LOSSES = "scene_evaluations", "loss_array"


def known(target: Target) -> Names:
    """The items by id and by the public name of their clip without its ending."""
    rows = target.items().values_list("public_id", "media__clip__renditions__name")
    found = [(name, item) for item, clip in rows for name in (item, (clip or item).partition(".")[0])]
    return {name: NamedItem(item, name) for name, item in found}


def rows(answers: ResultFile) -> Iterator[AnswerRow | Problem]:
    """Yield a row for each video; its losses, one a step of noise, have no times."""
    text = answers.part.text()
    place = 0
    for name, info in _videos(document_in(text)):
        place = max(text.find(json.dumps(name), place), place)
        line = text.count("\n", 0, place) + 1
        place += len(name)
        stem = name.removesuffix(".mp4")
        item = answers.known.get(stem) or answers.known.get(stem.rpartition("_")[2])
        if item is None:
            yield unknown(line, name)
        elif not isinstance(info, dict) or LOSSES not in info:
            yield Problem("fields", f"{name[:80]} has no `{LOSSES}`", line, item.item)
        else:
            losses = json.dumps({SURPRISE: info[LOSSES]})
            yield AnswerRow(line, item.item, SURPRISE, losses, answers.seed, item.name)


def _videos(document: Any) -> Iterator[tuple[str, Any]]:
    """The videos of all scenes and kinds, in the order of the file; raises Unreadable for another shape."""
    scenes = document.get(SCENES) if isinstance(document, dict) else None
    for scene in _values(scenes, SCENES):
        for kind in _values(scene, "a scene"):
            yield from _object(kind, "a kind of video").items()


def _values(found: Any, what: str) -> list[Any]:
    return list(_object(found, what).values())


def _object(found: Any, what: str) -> dict[str, Any]:
    if not isinstance(found, dict):
        raise Unreadable("fields", f"`{SCENES}` holds scenes, kinds and videos by name, but {what} is no object")
    return found


def _begins(text: str) -> bool:
    return text.lstrip().startswith("{") and f'"{SCENES}"' in text.lstrip()[:80]


LIKEPHYS = NativeFile("LikePhys' results_MODEL.json", "", r"results_.+\.json", _begins, known, rows)
