"""The official release of PACS: questions about pairs of clips with sound. Its clips may be missing, some or all."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.definition import ClipFile, ClipUse, ItemRow, Release
from benchmarks.definitions.pacs_keys import MATERIAL, item_key
from benchmarks.definitions.pacs_prompts import OPTIONS, prompt
from benchmarks.errors import BadRelease
from benchmarks.importers.pacs_facets import (
    material_groups,
    material_pairs,
    property_groups,
    property_names,
    unique,
)
from benchmarks.importers.pacs_layout import (
    MATERIAL_QUESTIONS,
    OBJECTS,
    QUESTIONS,
    VIDEO_SIZE,
    Datapoint,
    Files,
    read_files,
)
from benchmarks.importers.pacs_oddities import oddities

WITHHELD = "test"  # of PACS itself; PACS-material comes with its answers
LONGEST_FACET = 60
MADE_HERE = "tapped.json"  # beside the label files of what `generate_benchmark tapped` made
MADE_BY_PEOPLE = "annotation.json"  # beside those of what a trial of the protocol `pacs-annotation` made


@dataclass(frozen=True)
class Reading:
    """How a benchmark in this layout is read: its names, how materials are grouped, which split has no answers."""

    slug: str
    groups: Callable[[Iterable[str]], tuple[str, ...]]
    withheld: str = ""
    origin: str = "official"
    profile: str = ""


OF_PACS = Reading("pacs", material_groups, withheld=WITHHELD)
OF_PEOPLE = Reading("pacs", material_groups, withheld=WITHHELD, origin="generated", profile="annotated")
OF_SIMULATED_PEOPLE = replace(OF_PEOPLE, profile="simulated")
OF_TAPPED = Reading("tapped", unique, origin="generated", profile="corrected")


def read_release(root: Path) -> Release:
    """Everything that the folder at `root` holds; a question whose clips are not there stands without media."""
    if (root / "json" / MADE_HERE).exists():
        raise BadRelease(f"{root}: these clips were made here: import them as tapped")
    return _release(root, _made_by_people(root) if (root / "json" / MADE_BY_PEOPLE).is_file() else OF_PACS)


def _made_by_people(root: Path) -> Reading:
    """Of a data set that was annotated here: whether the people were simulated is the pack's profile."""
    try:
        mark = json.loads((root / "json" / MADE_BY_PEOPLE).read_text(encoding="utf-8"))
        return OF_SIMULATED_PEOPLE if mark["simulated"] else OF_PEOPLE
    except (ValueError, TypeError, KeyError):
        raise BadRelease(f"{MADE_BY_PEOPLE}: must say whether its people were simulated") from None


def read_tapped(root: Path) -> Release:
    """What `generate_benchmark tapped` wrote, by the same rules."""
    if not (root / "json" / MADE_HERE).is_file():
        raise BadRelease(f"{root}: no json/{MADE_HERE} here: generate_benchmark tapped writes one")
    return _release(root, OF_TAPPED)


def _release(root: Path, reading: Reading) -> Release:
    files = read_files(root)
    _refuse_odd_records(files)
    clips = {name: path for name in _objects_of(files) if (path := files.clip(name)) is not None}
    return Release(
        clips=tuple(ClipFile(key=name, path=path, facts=_facts(files, name)) for name, path in clips.items()),
        rows=tuple(row_of(point, files, clips.keys(), reading) for point in files.datapoints),
        problems=(*oddities(files, is_official=reading is OF_PACS), *_told_answers(files, reading)),
        origin=reading.origin,
        profile=reading.profile,
        texts=files.paths,
        root=root,
    )


def _refuse_odd_records(files: Files) -> None:
    """What no question here uses is held to the same rules: another part of the release may use it."""
    for name in files.objects:
        _materials(files, name)
        _facts(files, name)
    for name, record in files.questions.items():
        _properties(files, name)
        if not isinstance(record.get("question", ""), str):
            raise BadRelease(f"{QUESTIONS}: {name}: question must be a text")
    for name, text in files.material_questions.items():
        if not isinstance(text, str):
            raise BadRelease(f"{MATERIAL_QUESTIONS}: {name}: must be a text")


def row_of(point: Datapoint, files: Files, clips: Any, reading: Reading = OF_PACS) -> ItemRow:
    """One datapoint: its own text is asked, since that is what was answered, and object 1 is the first id."""
    has_media = point.first in clips and point.second in clips
    return ItemRow(
        key=item_key(point.pair, point.question),
        kind=MATERIAL if point.is_material else "pair",
        text=prompt(point.text),
        answer_kind="label",
        options=OPTIONS,
        expected=_expected(point, reading),
        clips=(ClipUse(point.first, "object", 0), ClipUse(point.second, "object", 1)) if has_media else (),
        facets=_facets(point, files, reading),
        splits=(point.split, "all"),
    )


def _expected(point: Datapoint, reading: Reading) -> str | None:
    """Withheld answers stay so, even in a folder that others have filled with answers of their own."""
    if point.label is None or (point.split == reading.withheld and not point.is_material):
        return None
    return OPTIONS[point.label]


def _facets(point: Datapoint, files: Files, reading: Reading) -> dict[str, tuple[str, ...]]:
    labels = [_materials(files, name) for name in (point.first, point.second)]
    first, second = (reading.groups(one) for one in labels)
    raw = () if point.is_material else _properties(files, point.question)
    facets = {
        "level": ("2" if point.is_material else "1",),
        "test": (f"{reading.slug}-material" if point.is_material else reading.slug,),
        "material": unique((*first, *second)),
        "material-pair": material_pairs(first, second),
        "material-label": unique(label[:LONGEST_FACET] for one in labels for label in one if label.strip()),
        "object": (point.first, point.second),
    }
    if point.channel:
        facets["channel"] = (point.channel,)
    if not point.is_material:
        names = property_names(raw)
        facets |= {"property": property_groups(names), "property-name": names}
        facets |= {"property-label": unique(text[:LONGEST_FACET] for text in raw if text)}
    return facets


def _materials(files: Files, name: str) -> tuple[str, ...]:
    return _texts(files.objects.get(name, {}), "materials", f"{OBJECTS}: {name}")


def _properties(files: Files, question: str) -> tuple[str, ...]:
    return _texts(files.questions.get(question, {}), "properties", f"{QUESTIONS}: {question}")


def _texts(record: Mapping[str, Any], field: str, where: str) -> tuple[str, ...]:
    texts = record.get(field, [])
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise BadRelease(f"{where}: {field} must be a list of words")
    return tuple(texts)


def _facts(files: Files, name: str) -> dict[str, object]:
    """What a page needs to draw the box, and where the clip comes from."""
    record = files.objects.get(name, {})
    box = record.get("bounding_box")
    if box is None:
        return {}
    width, height = VIDEO_SIZE
    is_box = isinstance(box, list) and len(box) == 4 and all(type(edge) is int for edge in box)
    if not is_box or not (0 <= box[0] < box[2] <= width and 0 <= box[1] < box[3] <= height):
        raise BadRelease(
            f"{OBJECTS}: {name}: bounding_box {box!r} is no [left, top, right, bottom] in {width} × {height}"
        )
    return {"box": box, "box_in": list(VIDEO_SIZE), "materials": list(_materials(files, name))}


def _objects_of(files: Files) -> tuple[str, ...]:
    return unique(name for point in files.datapoints for name in (point.first, point.second))


def _told_answers(files: Files, reading: Reading) -> tuple[tuple[str, str], ...]:
    told = [point for point in files.datapoints if point.label is not None and _expected(point, reading) is None]
    what = "answers of the withheld split are from somebody else, and left out"
    return ((told[0].file, f"{len(told)} {what}"),) if told else ()
