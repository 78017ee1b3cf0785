"""The official release of GRASP, downloaded or generated: its folders become clips and questions."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.definition import ClipFile, ItemRow, Release
from benchmarks.definitions import grasp_prompts as prompts
from benchmarks.definitions.grasp_tests import LEVEL_1, PHYSICS_BY_NAME, PHYSICS_BY_NAME_IN_TEXTS, PhysicsTest
from benchmarks.errors import BadRelease
from benchmarks.importers.grasp_layout import ORDERINGS, Problem, clips_of, find_videos, scene_folders
from benchmarks.importers.grasp_splits import splits_by_clip
from benchmarks.importers.grasp_statements import order_of, other_label, other_order

TEST_OF_FOLDER = {folder: test for test in LEVEL_1 for folder in test.labels}
YES_NO = ("yes", "no")


def read_release(root: Path) -> Release:
    """Everything that the folder at `root` holds; strange folders are reported, a missing ordering text raises."""
    videos = find_videos(root)
    problems: list[Problem] = []
    clips = {folder.name: tuple(clips_of(folder, videos, problems)) for folder in scene_folders(videos, problems)}
    splits = splits_by_clip({name: [clip.key for clip in files] for name, files in clips.items()})
    every_clip = tuple(clip for files in clips.values() for clip in files)
    if not every_clip:
        raise BadRelease(f"{videos}: the scene folders hold no clips")
    origin, profile = _origin(every_clip, problems)
    return Release(
        clips=every_clip,
        rows=(*(row for clip in every_clip for row in clip_rows(clip, splits[clip.key])), *text_rows()),
        problems=tuple((problem.where, problem.what) for problem in problems),
        origin=origin,
        profile=profile,
        texts=tuple(clip.path.with_suffix(".txt") for name in ORDERINGS for clip in clips.get(name, ())),
        root=videos.parent,
    )


def clip_rows(clip: ClipFile, splits: tuple[str, ...]) -> Iterator[ItemRow]:
    """The questions about one clip."""
    level, folder, _ = clip.key.split("/")
    return physics_rows(clip, folder, splits) if level == "level2" else grounding_rows(clip, folder, splits)


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
        facets=_physics_facets(PHYSICS_BY_NAME[name], truth),
        splits=splits,
    )


def grounding_rows(clip: ClipFile, folder: str, splits: tuple[str, ...]) -> Iterator[ItemRow]:
    """A true and a false statement, and the open question where the test has one."""
    name = folder if folder in ORDERINGS else TEST_OF_FOLDER[folder].name
    asked = prompts.LEVEL_1[name]
    facets = {"level": ("1",), "test": (name, "Ordering") if folder in ORDERINGS else (name,)}
    true, false = _statements(clip, folder)
    for statement, variant, answer, polarity in ((true, "true", "yes", "positive"), (false, "false", "no", "negative")):
        yield ItemRow(
            key=clip.key,
            kind="binary",
            variant=variant,
            text=asked["binary"].format(*statement.split(",")),
            lead_in=asked.get("open", prompts.LOOK),
            answer_kind="yes-no",
            options=YES_NO,
            expected=answer,
            clip=clip.key,
            facets={**facets, "polarity": (polarity,)},
            splits=splits,
        )
    if "open" in asked:
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
    """The descriptions in words: as the official file has them, and all of Appendix H."""
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


def _statements(clip: ClipFile, folder: str) -> tuple[str, str]:
    if folder not in ORDERINGS:
        test = TEST_OF_FOLDER[folder]
        return test.labels[folder], other_label(test.labels[folder], tuple(test.labels.values()), clip.key)
    text = clip.path.with_suffix(".txt")
    where = f"{clip.key}.txt"
    if not text.is_file():
        raise BadRelease(f"{where} is missing: an ordering clip needs the text that names its objects")
    true = order_of(text.read_text(encoding="utf-8"), ORDERINGS[folder].objects, where)
    return true, other_order(true, clip.key, where)


def _physics_facets(test: PhysicsTest, truth: str) -> dict[str, tuple[str, ...]]:
    return {
        "level": ("2",),
        "test": (test.name,),
        "concept": test.concepts,
        "polarity": ("plausible" if truth == "P" else "implausible",),
        "caution": (test.caution,) if test.caution else (),
    }


def _origin(clips: tuple[ClipFile, ...], problems: list[Problem]) -> tuple[str, str]:
    """Made here when trajectories lie beside the clips; then the profile too."""
    profiles = {str(clip.facts.get("profile", "")) for clip in clips if clip.facts}
    if not profiles:
        return "official", ""
    if len(profiles) > 1:
        raise BadRelease(f"clips of several profiles ({', '.join(sorted(profiles))}) cannot share a pack")
    problems += [Problem(clip.key, "has no trajectory beside it") for clip in clips if not clip.facts]
    return "generated", profiles.pop()
