"""Imports a PACS release: questions about pairs of clips with sound. Some or all clips may be missing."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.definitions.definition import ClipFile, ClipUse, ItemRow, Release
from benchmarks.definitions.importers.pacs_annotations import (
    material_groups,
    material_pairs,
    notes_of,
    problems_of,
    property_groups,
    property_names,
    unique,
)
from benchmarks.definitions.importers.pacs_layout import (
    MATERIAL_QUESTIONS,
    OBJECTS,
    QUESTIONS,
    VIDEO_SIZE,
    Datapoint,
    PacsFiles,
    read_files,
)
from benchmarks.definitions.papers.pacs import MATERIAL, OPTIONS, item_key, prompt
from benchmarks.errors import BadRelease

WITHHELD = "test"  # only of PACS itself; PACS-material is published with its answers
LONGEST_FACET = 60
MADE_HERE = "tapped.json"  # marks a set made by `generate_benchmark tapped`
MADE_BY_PEOPLE = "annotation.json"  # marks a set made by a study with the protocol `pacs-annotation`


@dataclass(frozen=True)
class PacsVariant:
    """How to read one benchmark in this layout: names, material groups, and the split without answers."""

    slug: str
    groups: Callable[[Iterable[str]], tuple[str, ...]]
    withheld: str = ""
    origin: str = "official"
    profile: str = ""


OF_PACS = PacsVariant("pacs", material_groups, withheld=WITHHELD)
OF_PEOPLE = PacsVariant("pacs", material_groups, withheld=WITHHELD, origin="generated", profile="annotated")
OF_SIMULATED_PEOPLE = replace(OF_PEOPLE, profile="simulated")
OF_TAPPED = PacsVariant("tapped", unique, origin="generated", profile="corrected")


def read_release(root: Path) -> Release:
    """The release in the folder `root`; a question whose clips are missing is imported without media."""
    if (root / "json" / MADE_HERE).exists():
        raise BadRelease(f"{root}: these clips were made here: import them as tapped")
    return _release(root, _made_by_people(root) if (root / "json" / MADE_BY_PEOPLE).is_file() else OF_PACS)


def _made_by_people(root: Path) -> PacsVariant:
    """The variant for a data set annotated on this site; its profile says whether the annotators were simulated."""
    try:
        mark = json.loads((root / "json" / MADE_BY_PEOPLE).read_text(encoding="utf-8"))
        return OF_SIMULATED_PEOPLE if mark["simulated"] else OF_PEOPLE
    except (ValueError, TypeError, KeyError):
        raise BadRelease(f"{MADE_BY_PEOPLE}: must say whether its people were simulated") from None


def read_tapped(root: Path) -> Release:
    """A set made by `generate_benchmark tapped`, read by the same rules."""
    if not (root / "json" / MADE_HERE).is_file():
        raise BadRelease(f"{root}: no json/{MADE_HERE} here: generate_benchmark tapped writes one")
    return _release(root, OF_TAPPED)


def _release(root: Path, reading: PacsVariant) -> Release:
    files = read_files(root)
    _refuse_odd_records(files)
    how: dict[str, Any] = {"withheld": reading.withheld, "is_official": reading is OF_PACS}
    clips = {name: path for name in _objects_of(files) if (path := files.clip(name)) is not None}
    return Release(
        clips=tuple(ClipFile(key=name, path=path, facts=_facts(files, name)) for name, path in clips.items()),
        rows=tuple(row_of(point, files, clips.keys(), reading) for point in files.datapoints),
        problems=(*problems_of(files, **how), *_expected_answers(files, reading)),
        notes=tuple(notes_of(files, **how)),
        origin=reading.origin,
        profile=reading.profile,
        texts=files.paths,
        root=root,
    )


def _refuse_odd_records(files: PacsFiles) -> None:
    """Check all records, even unused ones, since another part of the release may use them."""
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


def row_of(point: Datapoint, files: PacsFiles, clips: Any, reading: PacsVariant = OF_PACS) -> ItemRow:
    """One datapoint as an item: its text is the question, its label the answer; object 1 is the first id."""
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


def _expected(point: Datapoint, reading: PacsVariant) -> str | None:
    """The right answer; None for the withheld split, even if answers were added to the folder."""
    return None if point.label is None or point.is_withheld(reading.withheld) else OPTIONS[point.label]


def _facets(point: Datapoint, files: PacsFiles, reading: PacsVariant) -> dict[str, tuple[str, ...]]:
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


def _materials(files: PacsFiles, name: str) -> tuple[str, ...]:
    return _texts(files.objects.get(name, {}), "materials", f"{OBJECTS}: {name}")


def _properties(files: PacsFiles, question: str) -> tuple[str, ...]:
    return _texts(files.questions.get(question, {}), "properties", f"{QUESTIONS}: {question}")


def _texts(record: Mapping[str, Any], field: str, where: str) -> tuple[str, ...]:
    texts = record.get(field, [])
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise BadRelease(f"{where}: {field} must be a list of words")
    return tuple(texts)


def _facts(files: PacsFiles, name: str) -> dict[str, object]:
    """Box, materials and look of an object; empty without a box."""
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
    look = {"look": str(record["look"])} if "look" in record else {}  # only generated clips have one
    return {"box": box, "box_in": list(VIDEO_SIZE), "materials": list(_materials(files, name))} | look


def _objects_of(files: PacsFiles) -> tuple[str, ...]:
    return unique(name for point in files.datapoints for name in (point.first, point.second))


def _expected_answers(files: PacsFiles, reading: PacsVariant) -> tuple[tuple[str, str], ...]:
    labelled = [point for point in files.datapoints if point.label is not None and _expected(point, reading) is None]
    what = "answers of the withheld split are from somebody else, and left out"
    return ((labelled[0].file, f"{len(labelled)} {what}"),) if labelled else ()
