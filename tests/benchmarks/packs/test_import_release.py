import shutil

import pytest
from django.db import IntegrityError

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.errors import BadRelease, BeingImported, ContentRefused
from benchmarks.models import Clip, Item, Key, Pack, Rendition
from benchmarks.packs.import_release import import_release, read_release, save_questions, store_release
from benchmarks.storage.access import decodable, path_of
from tests.benchmarks.grasp_release import write_clip, write_release, write_trajectories

GRASP = BENCHMARKS["grasp"]
ORDER = "videos/level1/TwoObjectOrdering/000.txt"
SCENES = ("ColorRed", "MovementTrue", "TwoObjectOrdering", "P_Gravity", "IP_Inertia")

pytestmark = pytest.mark.django_db


@pytest.fixture
def release(tmp_path):
    return write_release(tmp_path / "release", SCENES)


def stored_files(settings):
    return sorted(path.name for path in settings.MEDIA_ROOT.rglob("*") if path.is_file())


def test_import_stores_every_clip_and_question(release):
    report = import_release(GRASP, release)
    assert (report.clips, report.is_new, report.problems) == (10, True, ())
    # Two statements per Level-1 clip and an open question if there is one, one question per Level-2 clip, 60 texts.
    assert report.items == 2 * (3 + 2 + 2 + 1 + 1) + 60
    assert (report.pack.name, report.pack.origin) == ("official", "official")


@pytest.mark.parametrize(("name", "title"), [("small", "Small clips"), ("my-clips", "My clips")])
def test_a_title_says_clips_once(release, name, title):
    assert import_release(GRASP, release, pack_name=name).pack.title == title


def test_the_same_content_again_changes_nothing(release, settings):
    first = import_release(GRASP, release)
    files = stored_files(settings)
    ids = set(Item.objects.values_list("pk", "public_id"))
    second = import_release(GRASP, release)
    assert (second.pack, second.items, second.is_new) == (first.pack, first.items, False)
    assert set(Item.objects.values_list("pk", "public_id")) == ids
    assert stored_files(settings) == files
    assert Pack.objects.count() == 1


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda root: write_clip(root / "videos/level1/ColorRed/001.mp4", seed=99), "ColorRed/001.mp4 differs"),
        (lambda root: (root / "videos/level1/ColorRed/001.mp4").unlink(), "ColorRed/001.mp4 is missing"),
        (lambda root: write_clip(root / "videos/level2/P_Gravity/002.mp4", seed=9), "P_Gravity/002.mp4 is new"),
        (lambda root: (root / ORDER).write_text("blue cube,red ball,"), "TwoObjectOrdering/000.txt differs"),
    ],
)
def test_other_content_under_the_same_name_is_refused_by_file(release, settings, change, named):
    import_release(GRASP, release)
    files = stored_files(settings)
    change(release)
    with pytest.raises(ContentRefused, match=named):
        import_release(GRASP, release)
    assert stored_files(settings) == files


def test_the_same_content_under_another_name_is_refused(release):
    import_release(GRASP, release)
    with pytest.raises(ContentRefused, match="exists as pack official"):
        import_release(GRASP, release, pack_name="mine")


def test_nothing_is_left_when_a_file_cannot_be_moved(release, settings, monkeypatch):
    """The disk fails on the seventh file: rows and files are rolled back together."""
    import os

    moved, replace = [], os.replace

    def fails_late(source, target):
        moved.append(target)
        if len(moved) == 7:
            raise OSError("no space left on device")
        replace(source, target)

    monkeypatch.setattr("benchmarks.storage.folder.os.replace", fails_late)
    with pytest.raises(OSError, match="no space"):
        import_release(GRASP, release)
    assert stored_files(settings) == []
    assert not list(settings.MEDIA_ROOT.glob(".staging-*"))
    assert (Pack.objects.count(), Clip.objects.count(), Item.objects.count()) == (0, 0, 0)


def test_two_sites_that_import_one_release_share_no_name_and_draw_alike(release):
    first = import_release(GRASP, release).pack
    ids, draws = (set(first.items.values_list(name, flat=True)) for name in ("public_id", "draw_key"))
    names = set(Rendition.objects.values_list("name", flat=True))
    Pack.objects.all().delete()
    Key.objects.all().delete()
    again = import_release(GRASP, release).pack
    assert not ids & set(again.items.values_list("public_id", flat=True))
    assert set(again.items.values_list("draw_key", flat=True)) == draws
    assert not names & set(Rendition.objects.values_list("name", flat=True))
    assert all(len(name) == 12 and name.isalnum() and name == name.lower() for name in ids)


@pytest.mark.parametrize("content", ["half", b"", b"not a video at all", b"\x00" * 4096])
def test_a_broken_clip_is_reported_and_cannot_be_asked(release, content):
    clip = release / "videos/level2/P_Gravity/001.mp4"
    clip.write_bytes(clip.read_bytes()[: clip.stat().st_size // 2] if content == "half" else content)
    report = import_release(GRASP, release)
    assert [where for where, _ in report.problems] == ["level2/P_Gravity/001"]
    broken = Clip.objects.get(key="level2/P_Gravity/001")
    assert broken.problem
    assert not broken.renditions.exists()
    assert not Item.objects.askable().filter(key=broken.key).exists()
    assert report.pack.problems == [{"where": broken.key, "what": f"videos/{broken.key}.mp4: {broken.problem}"}]


def test_with_strict_a_broken_clip_refuses_the_whole_import(release):
    words = ("one clip can't be taken as is, first level2/P_Gravity/000: ", "2 clips can't be taken")
    for number, said in enumerate(words):
        (release / f"videos/level2/P_Gravity/00{number}.mp4").write_bytes(b"not a video at all")
        with pytest.raises(BadRelease, match=said):
            store_release(GRASP, read_release(GRASP, release), strict=True)
    assert not Pack.objects.exists()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda root: [clip.write_bytes(b"") for clip in root.rglob("*.mp4")], "all 10 clips are empty"),
        (shutil.rmtree, "no such folder"),
    ],
)
def test_a_release_of_nothing_is_refused(release, damage, said):
    damage(release)
    with pytest.raises(BadRelease, match=said):
        import_release(GRASP, release)


def test_of_two_imports_at_once_the_later_one_says_so(release, monkeypatch):
    def too_late(*what):
        raise IntegrityError

    monkeypatch.setattr("benchmarks.packs.import_release._store", too_late)
    with pytest.raises(BeingImported, match="pack official is being imported by somebody else"):
        import_release(GRASP, release)


def test_questions_without_a_release_are_stored_once_under_a_name(release):
    first, *others = [row for row in read_release(GRASP, release).rows if row.kind == "text"][:3]
    import_release(GRASP, release)
    named = {"name": "texts", "title": "Only texts", "profile": ""}
    pack = save_questions(GRASP, rows=others, **named)
    assert (pack.title, pack.items.count()) == ("Only texts", 2)
    assert save_questions(GRASP, rows=others, **named) == pack
    with pytest.raises(ContentRefused, match="pack texts has other content"):
        save_questions(GRASP, rows=[first, *others], **named)


def test_clips_of_a_pack_have_one_size_one_time_and_opaque_names(release):
    pack = import_release(GRASP, release).pack
    for kind in ("original", "poster"):
        files = [path_of(rendition) for rendition in Rendition.objects.filter(clip__pack=pack, kind=kind)]
        assert len({path.stat().st_size for path in files}) == 1
        assert len({path.stat().st_mtime for path in files}) == 1
        assert not any(word.lower() in path.name for path in files for word in SCENES)
        assert b"ColorRed" not in b"".join(path.read_bytes() for path in files)


def test_what_browsers_cannot_play_is_encoded_again_and_models_get_what_people_see(tmp_path):
    root = write_release(tmp_path / "release", ["ColorRed"], 1, codec="mpeg4")
    import_release(GRASP, root)
    clip = Clip.objects.get()
    assert {rendition.kind for rendition in clip.renditions.all()} == {"original", "poster"}
    assert decodable(clip) == path_of(clip.rendition("original"))


def test_a_made_clip_keeps_its_facts_and_its_trajectory(release, settings):
    write_trajectories(release)
    report = import_release(GRASP, release)
    assert (report.pack.origin, report.pack.profile, report.pack.name) == ("generated", "corrected", "corrected")
    clip = Clip.objects.get(key="level2/P_Gravity/001")
    assert clip.facts["parameters"] == {"speed": 1.5}
    assert (settings.MEDIA_ROOT / clip.trajectory).is_file()
    assert "Gravity" not in clip.trajectory


def test_one_split_can_be_imported_alone(release):
    report = import_release(GRASP, release, split="human")
    assert report.pack.name == "official-human"
    assert set(report.pack.items.values_list("kind", flat=True)) == {"plausibility"}
    assert report.clips == 4
    with pytest.raises(BadRelease, match="appendix-h"):
        import_release(GRASP, release, split="validation")
