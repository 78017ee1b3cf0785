"""Maps PACS' annotations to the paper's categories, and finds missing parts and oddities, which every import reports.

The release's own strings are kept, too: annotators typed them, and grouping them is a choice.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import product

from benchmarks.definitions.importers.pacs_layout import OBJECTS, QUESTIONS, SOURCES, Datapoint, PacsFiles, Problem
from benchmarks.definitions.release_bounds import first_few


def unique(values: Iterable[str]) -> tuple[str, ...]:
    """Each value once, in order of first occurrence."""
    return tuple(dict.fromkeys(values))


MATERIAL_GROUPS = {
    "Natural": ("wood", "plant"),
    "Rubber": ("rubber",),
    "Foam": ("foam",),
    "Paper": ("paper", "cardboard"),
    "Glass": ("glass", "ceramic"),
    "Textiles": ("leather", "textiles"),
    "Stone": ("stone", "concrete", "minerals"),
    "Metal": ("metal",),
    "Plastic": ("plastic",),
}
OTHER_MATERIAL = "Other"
GROUP_OF = {label: group for group, labels in MATERIAL_GROUPS.items() for label in labels}

SIX = ("size", "shape", "weight", "hard", "flex", "strength")  # the properties defined in the instructions
OTHER_PROPERTY, NO_PROPERTY = "other", "none"
# Properties that the release joins, in lower case: | parts them.
JOINED = """
    texture|texture, material|fragility, density|surface area, texture|conductivity, texture|thinness,
    sharpness|dullness, convection?|edible, dissolubility|flammability, porosity| density, porosity|texture,
    texture|malleability, reflectivity|conformability, non-reactivity|shock absorption, ductility|malleability,
    material (wood)|material (metal), absorbability| texture, malleability|reflection, density|material,
    liquidity|sharpness, workability|texture, porosity|sharpness, transparency|reflectivity, porosity|softness,
    texture|granularity, stickiness|texture, malleability|stickiness, flammability|texture, melting point|plasticity
"""
RUN_TOGETHER = {
    joined.replace("|", ""): unique(part.strip() for part in joined.split("|"))
    for joined in " ".join(JOINED.split()).split(", ")
}


def material_groups(labels: Iterable[str]) -> tuple[str, ...]:
    """The paper's categories of an object; unknown and empty labels are Other."""
    return unique(GROUP_OF.get(label.strip().lower(), OTHER_MATERIAL) for label in labels)


def material_pairs(first: Iterable[str], second: Iterable[str]) -> tuple[str, ...]:
    """Every unordered pair [m1, m2] of the two objects' categories: one object has m1, the other m2."""
    return unique(" + ".join(sorted(pair)) for pair in product(first, second))


def property_names(raw: Iterable[str]) -> tuple[str, ...]:
    """The single properties, in lower case, stripped, and separated if the release joins them."""
    typed = (" ".join(text.lower().split()) for text in raw)
    return unique(name for text in typed for name in RUN_TOGETHER.get(text, (text,)) if name)


def property_groups(names: Iterable[str]) -> tuple[str, ...]:
    """The properties' groups: the six of the instructions, "other" for any other text, "none" without a property."""
    return unique(name if name in SIX else OTHER_PROPERTY for name in names) or (NO_PROPERTY,)


IN_THE_PAPER = 1_377  # different questions; a bank with another number is reported
NO_NAMES = ("unknown",)  # typed as materials though they are none


def problems_of(files: PacsFiles, *, withheld: str, is_official: bool) -> Iterator[Problem]:
    """What this copy lacks, as (where, what); in a set made on this site, oddities are problems, too."""
    yield from ((name, "is not there") for name in files.missing)
    yield from _unlabelled(point for point in files.datapoints if not point.is_withheld(withheld))
    if not is_official:
        yield from _objects(files)
    if files.objects:
        yield from _unknown(files)
    yield from _clips(files)


def notes_of(files: PacsFiles, *, withheld: str, is_official: bool) -> Iterator[Problem]:
    """Oddities of every copy; question bank, order and spelling are checked only in the official release."""
    yield from _unlabelled(point for point in files.datapoints if point.is_withheld(withheld))
    if is_official:
        yield from _bank(files)
        yield from _texts(files)
        yield from _pairs(files.datapoints)
        yield from _properties(files)
        yield from _materials(files)
        yield from _objects(files)


def _unlabelled(points: Iterable[Datapoint]) -> Iterator[Problem]:
    without = Counter(point.file for point in points if point.label is None)
    for file, count in without.items():
        yield file, f"{count} datapoints have no label: their answers are withheld"


def _bank(files: PacsFiles) -> Iterator[Problem]:
    listed = len(files.questions)
    if listed and listed != IN_THE_PAPER:
        used = len(files.questions.keys() & {point.question for point in files.datapoints})
        yield (
            QUESTIONS,
            f"{listed} questions are listed, {used} of them asked here; the paper tells of {IN_THE_PAPER}",
        )


def _texts(files: PacsFiles) -> Iterator[Problem]:
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


def _properties(files: PacsFiles) -> Iterator[Problem]:
    """One line per kind of misspelling; the original text is kept beside the corrected one."""
    typed = [text for record in files.questions.values() for text in record.get("properties", ())]
    kinds = {
        "are two written as one": [text for text in typed if " ".join(text.lower().split()) in RUN_TOGETHER],
        "have capitals": [text for text in typed if text != text.lower()],
        "have blanks around them": [text for text in typed if text.strip() and text != text.strip()],
    }
    for what, found in kinds.items():
        if found:
            yield QUESTIONS, f"{len(found)} properties {what} ({_most(found)})"
    empty = {name for name, record in files.questions.items() if not all(map(str.strip, record.get("properties", ())))}
    if empty:
        yield QUESTIONS, f"{len(empty)} questions have an empty property ({_few(empty)})"
    changed = sum(property_names([text]) != (text,) for text in typed)
    if changed:
        yield QUESTIONS, f"{changed} properties were brought into one spelling; the original is kept beside it"
    bare = sum(not record.get("properties") for record in files.questions.values())
    if bare:
        yield QUESTIONS, f"{bare} questions record no property"


def _materials(files: PacsFiles) -> Iterator[Problem]:
    """Labels that name no material (counted as Other), and materials under two names."""
    used: dict[str, set[str]] = defaultdict(set)
    for name, record in files.objects.items():
        for label in record.get("materials", ()):
            used[label.strip()].add(name)
    odd = [label for label in used if label and (label in NO_NAMES or not label.replace(" ", "").isalpha())]
    for label in sorted(odd):
        yield OBJECTS, f"{label!r} is no name of a material ({_few(used[label])}): kept as typed, counted as Other"
    for label in sorted(used):
        if label and f"{label}s" in used:
            both = used[label] | used[f"{label}s"]
            yield (
                OBJECTS,
                f"{label!r} and {label + 's'!r} are one material under two names ({_few(both)}): kept as typed",
            )


def _objects(files: PacsFiles) -> Iterator[Problem]:
    if files.objects:
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


def _unknown(files: PacsFiles) -> Iterator[Problem]:
    """Each object without a record, with the first file and pair that names it."""
    first: dict[str, Datapoint] = {}
    for point in files.datapoints:
        for name in (point.first, point.second):
            if name not in files.objects:
                first.setdefault(name, point)
    for name, point in first.items():
        yield point.file, f"{point.pair}: {name} is not described in {OBJECTS}, so its questions stand without media"


def _clips(files: PacsFiles) -> Iterator[Problem]:
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
    return first_few(sorted(names))


def _most(texts: Iterable[str]) -> str:
    """The most frequent spellings, in quotes because blanks around them matter."""
    counted = Counter(texts)
    return first_few(
        [repr(text) for text, _ in sorted(counted.items(), key=lambda one: (-one[1], one[0]))], "other spellings"
    )
