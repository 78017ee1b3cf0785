"""The renditions of PACS' preparation, made from clips with known frames and sounds."""

import wave

import numpy as np
import pytest
from django.core.management import CommandError
from PIL import Image

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.encoding.boxes import scaled, square_around
from benchmarks.encoding.conform import conform, is_conform
from benchmarks.encoding.probe import probe
from benchmarks.models import Clip, FlippedClip, Item, Rendition
from benchmarks.packs.import_release import import_release
from benchmarks.storage.access import decodable, muted, path_of
from benchmarks.storage.renditions import NoRendition, flipped_of, rendition_of
from benchmarks.storage.store import clip_name, store
from tests.benchmarks.audio_clips import RATE, clicks, greys, heard_in, pitch_of, seen_in, tone, write_heard
from tests.benchmarks.pacs_releases import small
from tests.commands import say, told

FRAME = (1280, 720)


@pytest.mark.parametrize(
    ("box", "around"),  # the second by PACS' own script, of which this is the rule
    [
        ((628, 291, 1079, 659), (571, 155, 1135, 720)),
        ((0, 0, 1280, 720), (0, 0, 1280, 720)),
        ((1100, 600, 1280, 720), (1055, 493, 1280, 720)),
        ((10, 5, 40, 300), (0, 0, 370, 368)),
        ((600, 300, 700, 400), (587, 287, 712, 412)),
        ((0, 0, 30, 30), (0, 0, 37, 37)),
    ],
)
def test_the_square_around_a_box_is_the_release_s(box, around):
    assert square_around(box, FRAME) == around


def test_a_box_fits_a_clip_of_another_size():
    assert scaled((320, 180, 960, 540), reference=FRAME, to=(64, 36)) == (16, 9, 48, 27)
    assert scaled((1279, 719, 1280, 720), reference=FRAME, to=(64, 36)) == (63, 35, 64, 36)


@pytest.fixture
def pack(db, tmp_path):
    """Three clips: a low tone, a high tone, and one whose pictures and sound must be re-encoded."""
    root = small(tmp_path / "release")
    write_heard(root / "videos" / "object0001.mp4", tone(400, 1.0))
    write_heard(root / "videos" / "object0002.mp4", tone(1500, 1.4))
    write_heard(root / "videos" / "object0003.mp4", tone(700, 1.0), codec="mpeg4", voice="mp2")
    return import_release(BENCHMARKS["pacs"], root).pack


def clip_of(pack, number) -> Clip:
    return pack.clips.get(key=f"object000{number}")


def picture(clip, kind) -> np.ndarray:
    return np.asarray(Image.open(path_of(rendition_of(clip, kind)))).astype(int)


def is_red(pixels) -> np.ndarray:
    return (pixels[..., 0] > 200) & (pixels[..., 1] < 60) & (pixels[..., 2] < 60)


def test_pictures_are_of_the_middle_frame_with_and_without_the_box(pack):
    clip = clip_of(pack, 1)
    middle = picture(clip, "midframe")
    assert abs(middle.mean() - greys(10)[5]) < 3
    framed = picture(clip, "frame-box")
    marked = np.argwhere(is_red(framed))
    assert (*marked.min(0), *marked.max(0)) == (9, 16, 26, 47)  # rows, columns: half of the frame, 64 x 36
    assert not is_red(framed[11:25, 18:46]).any()
    assert not is_red(middle).any()


def test_the_square_crop_is_without_the_box_that_the_other_has(pack):
    bare, framed = picture(clip_of(pack, 1), "square-crop"), picture(clip_of(pack, 1), "crop-box")
    left, top, right, bottom = square_around((16, 9, 48, 27), (64, 36))
    assert bare.shape == framed.shape == (bottom - top, right - left, 3)
    assert not is_red(bare).any()
    assert is_red(framed)[9 - top, 16 - left : 48 - left].all()


@pytest.mark.parametrize(("kind", "rate"), [("audio-16000", 16000), ("audio-21992", 21992), ("audio-44100", 44100)])
@pytest.mark.parametrize(("number", "hertz"), [(1, 400), (3, 700)])
def test_sound_comes_as_16_bit_mono_at_three_rates(pack, kind, rate, number, hertz):
    path = path_of(rendition_of(clip_of(pack, number), kind))
    with wave.open(str(path)) as read:
        assert (read.getnchannels(), read.getsampwidth(), read.getframerate()) == (1, 2, rate)
        assert abs(read.getnframes() / rate - 1.0) < 0.15
        samples = np.frombuffer(read.readframes(read.getnframes()), "<i2")
    assert abs(np.abs(np.fft.rfft(samples)).argmax() * rate / len(samples) - hertz) < 5


@pytest.mark.parametrize("number", [1, 2, 3])
def test_muted_has_no_sound_stream_and_silent_has_one_of_silence(pack, number):
    clip = clip_of(pack, number)
    without, silent = path_of(muted(clip)), path_of(rendition_of(clip, "silent"))
    assert heard_in(without) is None
    samples, rate = heard_in(silent)
    assert not samples.any()
    assert abs(len(samples) / rate - 1.0) < 0.05
    shown = seen_in(path_of(clip.rendition("original")))
    assert seen_in(without) == seen_in(silent) == shown


def test_flipped_clips_keep_their_pictures_and_take_the_other_sound(pack):
    item = Item.objects.get(key="object0002_object0001/question0001")
    first, second = (store().local(clip_name(flipped_of(item, position).name)) for position in (0, 1))
    assert abs(pitch_of(first) - 400) < 10
    assert abs(pitch_of(second) - 1500) < 10
    assert seen_in(first) == seen_in(path_of(clip_of(pack, 2).rendition("original")))
    samples, rate = heard_in(second)
    assert abs(len(samples) / rate - 1.0) < 0.1  # the longer sound ends with the pictures
    with pytest.raises(NoRendition, match="between two clips"):
        flipped_of(item, 2)


def test_a_form_is_made_once(pack):
    clip = clip_of(pack, 1)
    assert rendition_of(clip, "midframe") == rendition_of(clip, "midframe")
    assert len({rendition.name for rendition in clip.renditions.all()}) == clip.renditions.count()


@pytest.mark.parametrize("kind", ["frame-box", "square-crop", "crop-box"])
def test_without_a_box_there_is_no_form_that_shows_it(pack, kind):
    clip = clip_of(pack, 1)
    clip.facts = {}
    with pytest.raises(NoRendition, match="no box"):
        rendition_of(clip, kind)


def test_a_clip_without_sound_has_no_sound_to_take_out(db, tmp_path):
    root = small(tmp_path)
    write_heard(root / "videos" / "object0001.mp4", None)
    report = import_release(BENCHMARKS["pacs"], root)
    assert any(where == "object0001" and "holds no sound" in what for where, what in report.problems)
    with pytest.raises(NoRendition, match="the clip has no sound"):
        rendition_of(clip_of(report.pack, 1), "audio-16000")
    assert not [name for name in store().names("clips/") if name.endswith(".wav")]


# --- the clip in its one form ---


@pytest.mark.parametrize(
    ("name", "codec", "voice", "is_copied"),
    [("a.mp4", "mpeg4", "aac", False), ("a.mkv", "libx264", "libopus", False), ("b.mp4", "libx264", "aac", True)],
)
def test_the_served_clip_keeps_its_sound_in_step_with_its_pictures(tmp_path, name, codec, voice, is_copied):
    flashes = [10, 30, 31, 60]
    shown = [230 if number in flashes else 20 for number in range(75)]
    rate = 48_000 if voice == "libopus" else RATE
    samples = clicks([number / 25 for number in flashes if number != 31], 3.0)
    if rate != RATE:
        samples = np.repeat(samples, rate // RATE)
    source = write_heard(tmp_path / name, samples, shown=shown, codec=codec, voice=voice, fps=25, rate=rate)
    assert is_conform(probe(source)) == is_copied
    facts = conform(source, made := tmp_path / "made.mp4")
    assert (facts.has_sound, facts.frames) == (True, 75)
    seen = [seconds for seconds, grey in seen_in(made) if grey > 150]
    heard, rate = heard_in(made)
    loud = np.flatnonzero(np.abs(heard) > 0.25) / rate
    starts = [float(one) for number, one in enumerate(loud) if number == 0 or one - loud[number - 1] > 0.1]
    assert len(seen_in(made)) == 75
    assert np.allclose(starts, [seen[0], seen[1], seen[3]], atol=0.020)
    assert is_conform(probe(made))


# --- withdrawing a clip ---


def test_a_withdrawn_clip_leaves_in_every_form(pack, django_capture_on_commit_callbacks):
    clip, item = clip_of(pack, 1), Item.objects.get(key="object0002_object0001/question0001")
    for kind in ("muted", "silent", "midframe", "crop-box", "audio-44100"):
        rendition_of(clip, kind)
    made = [path_of(one) for one in clip.renditions.all()]
    made += [store().local(clip_name(flipped_of(item, position).name)) for position in (0, 1)]
    assert all(path.exists() for path in made)
    with django_capture_on_commit_callbacks(execute=True):
        gone = told("change_pack", "withdraw-clip", "object0001", "--why", "the channel asked for it")
    assert gone["clip"] == clip.pk
    assert [bool(one.withdrawn_at) for one in (clip_of(pack, 1), clip_of(pack, 2))] == [True, False]
    assert not any(path.exists() for path in made)
    assert not FlippedClip.objects.exists()
    assert not Rendition.objects.filter(clip=clip).exists()
    with pytest.raises(NoRendition):
        rendition_of(clip_of(pack, 1), "midframe")
    assert clip_of(pack, 1).withdrawal_note == "the channel asked for it"


def test_of_an_item_s_two_clips_a_person_has_to_choose_the_one_that_goes(pack):
    item = Item.objects.get(key="object0002_object0001/question0001")
    with pytest.raises(CommandError, match=r"is 2 clips: .*by its number: \d+ \(object0002 of .* \(object0001"):
        say("change_pack", "withdraw-clip", item.public_id, "--why", "the channel asked for it")
    assert not Clip.objects.exclude(withdrawn_at=None).exists()


# --- the folders of the prepared release ---


def test_prepare_media_writes_the_release_s_folders(pack, tmp_path):
    out, only = tmp_path / "prepared", "midframes,center_with_box,audio21992,videos_flipped"
    prepared, again = (told("export_benchmark", "--media", "pacs", "--out", out, "--only", only) for _ in range(2))
    written = sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())
    assert prepared["files"] == len(written) == 9 + 2 * 3
    assert written[:2] == ["audio21992/object0001.wav", "audio21992/object0002.wav"]
    assert "videos_flipped/object0002_object0001/question0001/1.mp4" in written
    assert (prepared["problems"], again["files"]) == ([], 0)


def test_an_unknown_form_is_named(pack, tmp_path):
    with pytest.raises(CommandError, match="there is no form 'films'; there is: videos, videos_muted"):
        say("export_benchmark", "--media", "pacs", "--out", tmp_path / "out", "--only", "films")
    assert not (tmp_path / "out").exists()


def test_models_hear_what_browsers_play(pack):
    clip = clip_of(pack, 3)
    assert decodable(clip) == path_of(clip.rendition("original"))
    assert abs(pitch_of(decodable(clip)) - 700) < 10
