"""Imports a GRASP release in the official layout, downloaded or generated."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import permutations, product
from pathlib import Path

from benchmarks.definitions.definition import ClipFile, ItemRow, Release
from benchmarks.definitions.importers.grasp_layout import (
    ORDERINGS,
    LayoutProblem,
    clips_of,
    draw_of,
    find_videos,
    missing_parts,
    scene_folders,
)
from benchmarks.definitions.papers import grasp_prompts as prompts
from benchmarks.definitions.papers.grasp_tests import LEVEL_1, PHYSICS_BY_NAME, PHYSICS_BY_NAME_IN_TEXTS, PhysicsTest
from benchmarks.errors import BadRelease

TEST_OF_FOLDER = {folder: test for test in LEVEL_1 for folder in test.labels}
YES_NO = ("yes", "no")
LONG = 0.5  # seconds; a telltale at least this long has the facet value "long"
UNREADABLE_SHOWN = 6  # number of unreadable ordering texts listed in an error message

Orders = Mapping[str, str]  # key of an ordering clip -> its objects from left to right


def read_release(root: Path) -> Release:
    """The release in the folder `root`; reports unknown folders, raises BadRelease for an unreadable ordering text."""
    videos = find_videos(root)
    problems: list[LayoutProblem] = []
    clips = {folder.name: tuple(clips_of(folder, videos, problems)) for folder in scene_folders(videos, problems)}
    every_clip = tuple(clip for files in clips.values() for clip in files)
    if not every_clip:
        raise BadRelease(f"{videos}: the scene folders hold no clips")
    origin, profile = _origin(every_clip, problems)
    keys = {name: [clip.key for clip in files] for name, files in clips.items()}
    splits = splits_by_clip(keys, draw_of) if origin == "generated" else splits_by_clip(keys)
    orders = orders_of([clip for name in ORDERINGS for clip in clips.get(name, ())], problems)
    return Release(
        clips=every_clip,
        rows=(*(row for clip in every_clip for row in clip_rows(clip, splits[clip.key], orders)), *text_rows()),
        problems=tuple(problems),
        gaps=tuple(missing_parts(videos, clips)),
        origin=origin,
        profile=profile,
        texts=tuple(clip.path.with_suffix(".txt") for name in ORDERINGS for clip in clips.get(name, ())),
        root=videos.parent,
    )


def orders_of(clips: Sequence[ClipFile], problems: list[LayoutProblem]) -> Orders:
    """The objects named in the text beside each clip; one BadRelease reports all unreadable texts."""
    orders: dict[str, str] = {}
    refused = []
    for clip in clips:
        path, where = clip.path.with_suffix(".txt"), f"{clip.key}.txt"
        objects = ORDERINGS[clip.key.split("/")[1]].objects
        try:
            text = ordering_text(path, where)
            orders[clip.key] = order_of(text, objects, where)
            other_order(orders[clip.key], clip.key, where)
        except BadRelease as error:
            refused.append(str(error))
        else:
            problems += [(where, odd) for odd in oddities_of(text, objects)]
    if refused:
        rest = len(refused) - UNREADABLE_SHOWN
        more = f"; and {rest} more texts" if rest > 0 else ""
        raise BadRelease("; ".join(refused[:UNREADABLE_SHOWN]) + more)
    return orders


def clip_rows(clip: ClipFile, splits: tuple[str, ...], orders: Orders) -> Iterator[ItemRow]:
    """The questions about one clip."""
    level, folder, _ = clip.key.split("/")
    return physics_rows(clip, folder, splits) if level == "level2" else grounding_rows(clip, folder, splits, orders)


def physics_rows(clip: ClipFile, folder: str, splits: tuple[str, ...]) -> Iterator[ItemRow]:
    truth, _, name = folder.partition("_")
    yield ItemRow(
        key=clip.key,
        kind="plausibility",
        text=prompts.LEVEL_2[name],
        lead_in=prompts.LOOK,
        answer_kind="yes-no",
        options=YES_NO,
        expected="yes" if truth == "P" else "no",
        clip=clip.key,
        facets=_physics_facets(PHYSICS_BY_NAME[name], truth) | _telltale_facet(clip),
        splits=splits,
    )


def grounding_rows(clip: ClipFile, folder: str, splits: tuple[str, ...], orders: Orders) -> Iterator[ItemRow]:
    """A true and a false statement, and the open question if the test has one."""
    name = folder if folder in ORDERINGS else TEST_OF_FOLDER[folder].name
    prompts_of = prompts.LEVEL_1[name]
    facets = {"level": ("1",), "test": (name, "Ordering") if folder in ORDERINGS else (name,)}
    true, false = _statements(clip.key, folder, orders)
    for statement, variant, answer, polarity in ((true, "true", "yes", "positive"), (false, "false", "no", "negative")):
        yield ItemRow(
            key=clip.key,
            kind="binary",
            variant=variant,
            text=prompts_of["binary"].format(*statement.split(",")),
            lead_in=prompts_of.get("open", prompts.LOOK),
            answer_kind="yes-no",
            options=YES_NO,
            expected=answer,
            clip=clip.key,
            facets={**facets, "polarity": (polarity,)},
            splits=splits,
        )
    if "open" in prompts_of:
        yield open_row(clip, folder, splits)


def open_row(clip: ClipFile, folder: str, splits: tuple[str, ...]) -> ItemRow:
    test = TEST_OF_FOLDER[folder]
    return ItemRow(
        key=clip.key,
        kind="open",
        text=prompts.LEVEL_1[test.name]["open"],
        answer_kind="label",
        options=tuple(test.labels.values()),
        expected=test.labels[folder],
        clip=clip.key,
        facets={"level": ("1",), "test": (test.name,)},
        splits=splits,
    )


def text_rows() -> Iterator[ItemRow]:
    """The text-only items: those of the official file, and all of Appendix H."""
    for split, texts in (("official", prompts.TEXT_OFFICIAL), ("appendix-h", prompts.TEXT_APPENDIX_H)):
        for scene, text in texts.items():
            truth, _, name = scene.partition("_")
            yield ItemRow(
                key=scene,
                kind="text",
                variant=split,
                text=text,
                answer_kind="yes-no",
                options=YES_NO,
                expected="yes" if truth == "P" else "no",
                facets=_physics_facets(PHYSICS_BY_NAME_IN_TEXTS[name], truth),
                splits=(split,),
            )


def _statements(key: str, folder: str, orders: Orders) -> tuple[str, str]:
    if folder in ORDERINGS:
        return orders[key], other_order(orders[key], key, f"{key}.txt")
    test = TEST_OF_FOLDER[folder]
    return test.labels[folder], other_label(test.labels[folder], tuple(test.labels.values()), key)


def _physics_facets(test: PhysicsTest, truth: str) -> dict[str, tuple[str, ...]]:
    return {
        "level": ("2",),
        "test": (test.name,),
        "concept": test.concepts,
        "polarity": ("plausible" if truth == "P" else "implausible",),
        "caution": (test.caution,) if test.caution else (),
    }


def _telltale_facet(clip: ClipFile) -> dict[str, tuple[str, ...]]:
    """Whether the twins differ for long enough to be told apart; empty if this was not measured."""
    legibility = clip.facts.get("legibility")
    telltale = legibility.get("telltale") if isinstance(legibility, Mapping) else None
    seconds = telltale.get("seconds") if isinstance(telltale, Mapping) else None
    if not isinstance(seconds, int | float):
        return {}
    return {"telltale": ("long" if seconds >= LONG else "short",)}


def _origin(clips: tuple[ClipFile, ...], problems: list[LayoutProblem]) -> tuple[str, str]:
    """Origin and profile of the clips; clips with trajectories count as generated."""
    profiles = {str(clip.facts.get("profile", "")) for clip in clips if clip.facts}
    if not profiles:
        return "official", ""
    if len(profiles) > 1:
        raise BadRelease(f"clips of several profiles ({', '.join(sorted(profiles))}) cannot share a pack")
    problems += [(clip.key, "has no trajectory beside it") for clip in clips if not clip.facts]
    return "generated", profiles.pop()


COLOURS = ("red", "green", "blue", "black", "yellow", "purple", "white")
OBJECTS = frozenset(f"{colour} {shape}" for colour, shape in product(COLOURS, ("ball", "cube")))
BYTE_ORDER_MARK, SHOWN = "\ufeff", 80
SEED = 2024  # part of definition version 1.0: another seed gives other questions


def draw(count: int, *, key: str, why: str) -> int:
    """A number below `count` that is constant for this key and purpose."""
    digest = hashlib.sha256(f"{SEED}/{why}/{key}".encode()).digest()
    return int.from_bytes(digest) % count


def other_label(label: str, labels: Sequence[str], key: str) -> str:
    """The false statement of a labelled clip: any other label of the test."""
    others = [other for other in labels if other != label]
    return others[draw(len(others), key=key, why="negative")]


def ordering_text(path: Path, where: str) -> str:
    """The text beside an ordering clip; BadRelease if it is missing or not UTF-8."""
    if not path.is_file():
        other = next((near.name for near in path.parent.iterdir() if near.name.lower() == path.name), "")
        hint = f" ({other} is there: it must be called {path.name})" if other and other != path.name else ""
        raise BadRelease(f"{where} is missing: an ordering clip needs the text that names its objects{hint}")
    content = path.read_bytes()
    if b"\0" in content or content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadRelease(f"{where}: is UTF-16 or no text; it must be UTF-8")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        found = content[error.start]
        raise BadRelease(f"{where}: byte {error.start + 1} (0x{found:02x}) is not UTF-8") from None


def order_of(text: str, objects: int, where: str) -> str:
    """The objects from left to right: the last `objects` names of a comma-separated list, which may end in a comma."""
    names = _names_in(text)
    if len(names) < objects or not all(names[-objects:]):
        count = len([name for name in names if name])
        raise BadRelease(f"{where}: names {count} of {objects} objects: {text[:SHOWN]!r}")
    return ",".join(names[-objects:])


def oddities_of(text: str, objects: int) -> Iterator[str]:
    """Oddities of a readable text, and how each was interpreted."""
    names = _names_in(text)
    if text.startswith(BYTE_ORDER_MARK):
        yield "begins with a byte-order mark, which is left out"
    if any(
        name != " ".join(name.split()) for name in text.lstrip(BYTE_ORDER_MARK).split("\n")[0].rstrip("\r").split(",")
    ):
        yield "has blanks beside its commas, which are left out"
    if len(names) > objects:
        yield f"names {len(names)} objects; the last {objects} are taken"
    if unknown := [name for name in names[-objects:] if name not in OBJECTS]:
        yield f"names {', '.join(map(repr, unknown))}, which GRASP does not show; asked as written"
    if len(set(names[-objects:])) < objects:
        yield "names one object twice"


def _names_in(text: str) -> list[str]:
    line = text.removeprefix(BYTE_ORDER_MARK).strip().partition("\n")[0].strip().removesuffix(",")
    return [" ".join(name.split()) for name in line.split(",")] if line else []


def other_order(order: str, key: str, where: str) -> str:
    """The false statement of an ordering: the same names in any other order."""
    names = tuple(order.split(","))
    others = [other for other in permutations(names) if other != names]
    if not others:
        raise BadRelease(f"{where}: all objects have the same name, so no order of them is false")
    return ",".join(others[draw(len(others), key=key, why="negative")])


IN_PAPER = 128  # clips per Level-1 test, divided evenly among its folders; a Level-2 folder has no more
IN_TRIAL = 20  # clips per Level-2 folder
SHARE_OF_FOLDER = {folder: IN_PAPER // len(test.labels) for test in LEVEL_1 for folder in test.labels}


def splits_by_clip(
    clips: Mapping[str, Iterable[str]], draw_of: Callable[[str], str] = str
) -> dict[str, tuple[str, ...]]:
    """The splits of each clip key, from the clip keys of each folder; a smaller pack has smaller splits.

    Complete packs have the same clips in each split. `draw_of` names what the clips of one draw share: they lie in the
    same splits, so that what a study of one split hides has no twin outside it. Without it each clip is of its own.
    """
    splits: dict[str, tuple[str, ...]] = {}
    for folder, keys in clips.items():
        for place, key in enumerate(sorted(keys, key=lambda key: _lot(draw_of(key)))):
            splits[key] = tuple(_splits_of(folder, place))
    return splits


def _splits_of(folder: str, place: int) -> Iterable[str]:
    yield "all"
    if place < SHARE_OF_FOLDER.get(folder, IN_PAPER):
        yield "paper"
    if folder.startswith(("P_", "IP_")) and place < IN_TRIAL:
        yield "human"


def _lot(name: str) -> bytes:
    return hashlib.sha256(f"{SEED}/split/{name}".encode()).digest()
