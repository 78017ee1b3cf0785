"""What is odd about a PACS release: reported at every import, survived by all of them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from benchmarks.importers.pacs_facets import property_names
from benchmarks.importers.pacs_layout import OBJECTS, QUESTIONS, SOURCES, Datapoint, Files, Problem

FEW = 6  # ids that a line names before it counts the rest


def oddities(files: Files, *, is_official: bool = True) -> Iterator[Problem]:
    """Every finding, as (where, what); a set that was made here is small, and its bank and order are as meant."""
    yield from ((name, "is not there") for name in files.missing)
    yield from _withheld(files.datapoints)
    if is_official:
        yield from _texts(files)
        yield from _pairs(files.datapoints)
        yield from _properties(files)
    yield from _objects(files)
    yield from _clips(files)


def _withheld(points: Iterable[Datapoint]) -> Iterator[Problem]:
    without = Counter(point.file for point in points if point.label is None)
    for file, count in without.items():
        yield file, f"{count} datapoints have no label: their answers are withheld"


def _texts(files: Files) -> Iterator[Problem]:
    bank = {name: record.get("question") for name, record in files.questions.items()} | dict(files.material_questions)
    other = Counter(point.question for point in files.datapoints if bank.get(point.question, point.text) != point.text)
    if other:
        yield QUESTIONS, f"{other.total()} datapoints ask another text than the bank ({_few(other)}): theirs is kept"
    unknown = {point.question for point in files.datapoints if point.question not in bank} if bank else set()
    if unknown:
        yield QUESTIONS, f"{len(unknown)} questions are not in the bank ({_few(unknown)})"
    if files.questions:
        unused = files.questions.keys() - {point.question for point in files.datapoints}
        if unused:
            yield QUESTIONS, f"{len(unused)} questions of the bank are asked about no pair here ({_few(unused)})"
    ids = defaultdict(set)
    for name, text in bank.items():
        ids[text].add(name)
    for text, names in ids.items():
        if len(names) > 1:
            yield QUESTIONS, f"one text under {len(names)} ids ({_few(names)}): {text}"
    for name, text in files.material_questions.items():
        if "of ?" in text or "contain ?" in text or "a -like" in text or "  " in text:
            yield "mat_questions.json", f"{name} names no material: {text}"


def _pairs(points: Iterable[Datapoint]) -> Iterator[Problem]:
    questions = Counter((point.file, point.first, point.second) for point in points)
    for (file, first, second), count in questions.items():
        turned = questions.get((file, second, first))
        if turned and first < second:
            yield (
                file,
                f"{first}_{second} ({count}) stands in the other order too ({turned}); both are kept as they are",
            )
    larger = Counter(file for file, first, second in questions if first > second)
    for file, count in larger.items():
        yield file, f"{count} pairs name the larger id first; the order is kept, since it is what labels mean"


def _properties(files: Files) -> Iterator[Problem]:
    raw = [text for record in files.questions.values() for text in record.get("properties", ())]
    changed = [text for text in raw if property_names([text]) != (text,)]
    if changed:
        yield QUESTIONS, f"{len(changed)} properties were brought into one spelling; the original is kept beside it"
    bare = sum(not record.get("properties") for record in files.questions.values())
    if bare:
        yield QUESTIONS, f"{bare} questions record no property"


def _objects(files: Files) -> Iterator[Problem]:
    if files.objects:
        yield from _unknown(files)
        for name, record in files.objects.items():
            if not any(label.strip() for label in record.get("materials", ())):
                yield OBJECTS, f"{name} has no material"
    if files.sources:
        used = {name for point in files.datapoints for name in (point.first, point.second)}
        sourced = {name for clips in files.sources.values() for name in clips}
        lost = (files.objects.keys() or used) - sourced
        if lost:
            yield SOURCES, f"{len(lost)} objects have no source video ({_few(lost)})"
        empty = sum(not clips for clips in files.sources.values())
        if empty:
            yield SOURCES, f"{empty} videos name no object"


def _unknown(files: Files) -> Iterator[Problem]:
    """Each object that nothing is known of, by the first file and pair that name it."""
    first: dict[str, Datapoint] = {}
    for point in files.datapoints:
        for name in (point.first, point.second):
            if name not in files.objects:
                first.setdefault(name, point)
    for name, point in first.items():
        yield point.file, f"{point.pair}: {name} is not described in {OBJECTS}, so its questions stand without media"


def _clips(files: Files) -> Iterator[Problem]:
    used = {name for point in files.datapoints for name in (point.first, point.second)}
    missing = {name for name in used if files.clip(name) is None}
    waiting = sum(bool({point.first, point.second} & missing) for point in files.datapoints)
    if missing:
        yield (
            "videos",
            (
                f"{len(missing)} of {len(used)} objects have no clip ({_few(missing)}):"
                f" {waiting} of {len(files.datapoints)} questions stand without media"
            ),
        )


def _few(names: Iterable[str]) -> str:
    ordered = sorted(names)
    rest = len(ordered) - FEW
    return ", ".join(ordered[:FEW]) + (f" and {rest} more" if rest > 0 else "")
