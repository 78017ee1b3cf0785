"""Hostile media (false headers, bombs, hidden content, endless streams): each costs one clip, with a sentence."""

import json
from pathlib import Path

import av
import numpy as np
import pytest

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.encoding.probe import UnreadableMedia, probe
from benchmarks.encoding.sandbox import MediaChildren
from benchmarks.models import Clip
from benchmarks.packs.import_release import import_release, release_of
from extensions.annotation.material.processing import _child_reports
from scenes.craft.audit.folder import _of_clip
from scenes.media_files import opened
from scenes.tapped.auditing import _sound_findings, sound_samples
from tests.benchmarks import hostile_files as hostile
from tests.benchmarks.audio_clips import write_heard
from tests.benchmarks.definitions.importers.test_giraffe import make_release as giraffe_release
from tests.benchmarks.grasp_release import write_clip, write_release
from tests.benchmarks.pacs_releases import small as pacs_release
from tests.scenes.craft import rounds

MEGABYTES = 300  # MB of memory that any of these files may take; most take 60
CLIPS = {
    "65,535 pixels wide and high": (hostile.claims_size(65_535, 65_535), "is 0 × 0 pixels"),
    "no width and no height": (hostile.claims_size(0, 0), "is 0 × 0 pixels"),
    "a negative width": (hostile.claims_size(-40, 24), "is 0 × 0 pixels"),
    "too wide": (hostile.is_too_wide, "is 4112 × 16 pixels"),
    "tables that promise an endless film": (hostile.claims_length, "is longer than 1800 seconds"),
    "a last frame after three years": (hostile.last_frame_is_late, "is longer than 1800 seconds"),
    "sound that goes on for two weeks": (hostile.sound_goes_on, "is longer than 1800 seconds"),
    "a million frames a second": (hostile.claims_rate, "claims 1,000,000 frames a second; at most 1,000 are read"),
    "one sample a second": (hostile.claims_sound_rate(1), "its sound claims 1 samples a second"),
    "no sample a second": (hostile.claims_sound_rate(0), "not a readable video"),
    "four milliard samples a second": (hostile.claims_sound_rate(2**32 - 1), "not a readable video"),
    "65 streams": (hostile.has_streams(65), "holds 65 streams; at most 64 are read"),
    "3,000 streams": (hostile.has_streams(3000), "or holds too many streams"),
    "a wav that claims every rate": (hostile.wav_with_rate(2**32 - 1), "not a readable video"),
    "an SVG with a script": (hostile.says(hostile.SVG), "not a readable video"),
    "a script that is a GIF as well": (hostile.says(b"GIF89a/*" + b"\0" * 40 + b"*/=1;alert(1)"), "not a readable"),
}
STILLS = {
    "65,535 pixels wide and high": (hostile.claims_pixels(65_535, 65_535), "has more pixels than 4096 × 4096"),
    "no pixels": (hostile.claims_pixels(0, 0), "is neither PNG nor JPEG"),
    "a bomb of 144 million pixels": (hostile.claims_pixels(12_000, 12_000), "is 12000 × 12000 pixels"),
    "text that swells to 400 MB": (hostile.swells(b"zTXt", b"Comment\0\0"), "Decompressed data too large"),
    "a colour profile that swells to 400 MB": (hostile.swells(b"iCCP", b"p\0\0"), "Decompressed data too large"),
    "a moving GIF": (hostile.moving("GIF"), "is neither PNG nor JPEG"),
    "a moving WebP": (hostile.moving("WEBP"), "is neither PNG nor JPEG"),
    "a TIFF": (hostile.says(hostile.still("TIFF")), "is neither PNG nor JPEG"),
    "a PSD": (hostile.says(b"8BPS\0\1" + b"\0" * 200), "is neither PNG nor JPEG"),
    "an SVG with a script": (hostile.says(hostile.SVG), "is neither PNG nor JPEG"),
    "a script that is a GIF as well": (hostile.says(b"GIF89a/*" + b"\0" * 40 + b"*/=1;alert(1)"), "is neither PNG"),
    "nothing": (hostile.says(b""), "is neither PNG nor JPEG"),
}
HIDING = {
    "page.mp4": hostile.hides_a_page,
    "comment.png": hostile.png_that_hides,
    "exif.jpg": hostile.jpeg_that_hides,
    "moving.png": hostile.moving("PNG"),
}


@pytest.fixture(scope="module")
def child():
    with MediaChildren() as children, children.one() as one:
        yield one


def memory_of(child) -> int:
    """Peak memory of the process in MB."""
    status = Path(f"/proc/{child._process.pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) // 1024


HOSTILE = [(f"{what}.mp4", *told) for what, told in CLIPS.items()]
HOSTILE += [(f"{what}.png", *told) for what, told in STILLS.items()]


@pytest.mark.parametrize(("name", "make", "words"), HOSTILE)
def test_a_file_that_lies_or_swells_is_a_sentence_and_costs_little(child, tmp_path, name, make, words):
    make(tmp_path / name)
    (tmp_path / "made").mkdir()
    with pytest.raises(UnreadableMedia) as error:
        child.write_anew(tmp_path / name, tmp_path / "made", is_still=name.endswith(".png"))
    assert words in str(error.value)
    assert str(tmp_path) not in str(error.value), "places of this machine are nobody's business"
    assert memory_of(child) < MEGABYTES, "and the process goes on"


@pytest.mark.parametrize("name", HIDING)
def test_what_a_good_file_hides_is_in_nothing_that_is_served(child, tmp_path, name):
    HIDING[name](tmp_path / name)
    (tmp_path / "made").mkdir()
    facts = child.write_anew(tmp_path / name, tmp_path / "made", is_still=not name.endswith(".mp4"))
    assert (facts.frames, facts.width > 0) == (10 if name.endswith(".mp4") else 1, True)
    made = {path.name: path.read_bytes() for path in (tmp_path / "made").iterdir()}
    assert len(made) == 2
    assert not [name for name, content in made.items() if hostile.MARK[:20] in content]
    assert sum(map(len, made.values())) < 20_000
    assert memory_of(child) < MEGABYTES


def test_the_largest_picture_that_is_read_stays_within_bounds(child, tmp_path):
    hostile.claims_pixels(4096, 4096)(tmp_path / "large.png")
    assert child.write_anew(tmp_path / "large.png", tmp_path, is_still=True).width == 4096
    assert memory_of(child) < MEGABYTES


def test_pictures_that_grow_after_the_beginning_are_not_decoded(tmp_path):
    hostile.grows(tmp_path / "grows.ts")
    with av.open(str(tmp_path / "grows.ts")) as unguarded:
        assert max(frame.width for frame in unguarded.decode(video=0)) == 8208
    with opened(tmp_path / "grows.ts") as guarded, pytest.raises(av.FFmpegError):
        list(guarded.decode(video=0))


def test_a_playlist_is_not_followed_wherever_media_are_opened(tmp_path):
    write_clip(tmp_path / "inner.mp4")
    (tmp_path / "list.mp4").write_text("ffconcat version 1.0\nfile inner.mp4\n")
    with pytest.raises(av.FFmpegError):
        opened(tmp_path / "list.mp4")
    assert probe(tmp_path / "inner.mp4").frames


def test_an_audit_follows_no_playlist(tmp_path):
    write_heard(tmp_path / "inner.mp4", np.zeros(16_000, np.float32))
    (listed := tmp_path / "list.mp4").write_text("ffconcat version 1.0\nfile inner.mp4\n")
    assert [found.partition(":")[0] for found in _of_clip(listed)] == ["unreadable clip"]
    assert [found.partition(":")[0] for found in _sound_findings(listed, None, None)] == ["unreadable clip"]
    assert len(sound_samples(tmp_path / "inner.mp4")[0])


@pytest.mark.parametrize("name", ["sound that goes on for two weeks", "65 streams", "an SVG with a script"])
def test_hostile_material_is_a_sentence(tmp_path, name):
    make, words = CLIPS[name]
    make(tmp_path / "sent.mp4")
    (tmp_path / "made").mkdir()
    asked = {"source": str(tmp_path / "sent.mp4"), "folder": str(tmp_path / "made"), "seed": 0}
    *_, told = _child_reports(json.dumps(asked))
    assert words.replace("1800 seconds", "10860 seconds") in told["problem"]
    assert str(tmp_path) not in told["problem"]


def grasp(root: Path) -> Path:
    return write_release(root, ["ColorRed"])


def pacs(root: Path) -> Path:
    for name in ("object0001", "object0002", "object0003"):
        write_clip(pacs_release(root) / "videos" / f"{name}.mp4")
    return root


def giraffe(root: Path) -> Path:
    return giraffe_release(root, only=("clock",))


def craft(root: Path) -> Path:
    return rounds.made(root, 4, 5, ["1", "11"])


@pytest.mark.django_db
@pytest.mark.parametrize("release", [grasp, pacs, giraffe, craft])
def test_a_hostile_file_costs_one_clip_of_any_release(release, tmp_path):
    root, slug = release(tmp_path / "release"), release.__name__
    bad = release_of(BENCHMARKS[slug], root).clips[0].path
    make, words = (STILLS if bad.suffix == ".png" else CLIPS)["65,535 pixels wide and high"]
    make(bad)
    report = import_release(BENCHMARKS[slug], root, pack_name="hostile")
    assert [what for where, what in report.problems if words in what]
    lost = Clip.objects.exclude(problem="")
    assert [words in clip.problem for clip in lost] == [True]
    assert Clip.objects.filter(problem="").exists()
    assert not lost[0].renditions.exists()
