"""Whatever a clip was, people and models get the same pictures: its first, middle and last, its size and its length."""

import base64
import io
import random
from fractions import Fraction

import av
import numpy as np
import pytest
from PIL import Image

from benchmarks.encoding.conform import changes_of, conform, cut, is_conform
from benchmarks.encoding.frames import frames
from benchmarks.encoding.probe import probe
from benchmarks.encoding.stills import write_poster
from tests.benchmarks.odd_clips import MATRICES, NEAR, RATE, ZOO, Odd, distance, write

SAME = 3.0  # mean difference in grey levels between two decoders
AS_STORED = {"the rate varies in MP4"}  # by the order of decoding, so that the last length is another's


def shown_at(odd, seconds):
    """The number of the picture that is seen at this time."""
    return max(number for time, number in odd.seen if time <= seconds + 0.01)


def times_in(path):
    with av.open(str(path)) as container:
        return [frame.time for frame in container.decode(video=0)]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Each clip of the zoo, written once: its description, its file, the conformed file and the facts."""
    folder, known = tmp_path_factory.mktemp("zoo"), {}

    def one(name, odd=None):
        if name not in known:
            odd = odd or ZOO[name]
            source = write(folder / f"{len(known)}.film", odd)
            target = folder / f"{len(known)}.mp4"
            known[name] = odd, source, target, conform(source, target)
        return known[name]

    return one


def check(odd, target, tmp_path):
    times = times_in(target)
    places = [0, len(times) // 2, len(times) - 1]
    wanted = [shown_at(odd, times[place]) for place in places]
    for frame, number in zip(frames(target, places), wanted, strict=True):
        assert distance(frame.picture, number, odd) < NEAR
    for share, number in ((0.0, wanted[0]), (1.0, wanted[2])):
        write_poster(target, tmp_path / "poster.jpg", share)
        assert distance(np.asarray(Image.open(tmp_path / "poster.jpg")), number, odd) < NEAR


@pytest.mark.parametrize("name", ZOO)
def test_first_middle_and_last_picture_are_what_a_person_saw(made, tmp_path, name):
    odd, _source, target, facts = made(name)
    times = times_in(target)
    assert times[0] == 0.0
    assert max(np.diff(times), default=0) <= 1.001
    assert len(times) == facts.frames
    assert facts.seconds == pytest.approx(odd.seconds, abs=0.06 if name in AS_STORED else 0.01)
    check(odd, target, tmp_path)
    for seconds, _number in odd.seen:
        assert min(abs(seconds - time) for time in times) < 0.01, "each picture at its own time"


@pytest.mark.parametrize("name", ZOO)
def test_what_is_conform_once_is_copied_ever_after(made, tmp_path, name):
    _odd, _source, target, facts = made(name)
    assert is_conform(probe(target))
    again = conform(target, tmp_path / "again.mp4")
    assert (again.frames, again.width, again.height, again.changes) == (facts.frames, facts.width, facts.height, ())
    assert again.seconds == pytest.approx(facts.seconds, abs=1e-6)


@pytest.mark.parametrize("name", [name for name in ZOO if ZOO[name].says])
def test_what_was_changed_is_said_in_one_line(made, name):
    odd, source, _target, facts = made(name)
    assert facts.changes == odd.says == changes_of(probe(source))


def test_a_clip_that_needs_nothing_is_copied_without_a_word(made):
    for name in ("plain", "plain with sound", "B-frames", "sound ends early"):
        _odd, source, target, facts = made(name)
        assert facts.changes == ()
        with av.open(str(source)) as before, av.open(str(target)) as after:
            first, second = ([bytes(packet) for packet in file.demux(video=0)] for file in (before, after))
        assert first == second


@pytest.mark.parametrize("name", ["turned by 90°", "a transport stream", "the rate varies", "B-frames in Matroska"])
def test_a_part_of_a_long_video_has_the_same_form(made, tmp_path, name):
    odd, source, _target, _facts = made(name)
    facts = cut(source, target := tmp_path / "part.mp4", probe(source), 0.6, 1.2)
    kept = [(time - 0.6, number) for time, number in odd.seen if time + 1e-6 >= 0.6 and time < 1.2 - 1e-6]
    assert facts.frames == len(kept)
    assert facts.seconds == pytest.approx(0.6, abs=0.02)
    assert is_conform(probe(target))
    for frame, (_time, number) in zip(frames(target, range(facts.frames)), kept, strict=True):
        assert distance(frame.picture, number, odd) < NEAR


def drawn_kinds(count=12, seed=20_261_128):
    """Kinds of clips by a seeded draw of container, codec and what was done to it."""
    chance = random.Random(seed)
    files = [("mp4", "libx264"), ("mov", "libx264"), ("matroska", "libx264"), ("mpegts", "libx264"), ("avi", "mjpeg")]
    files += [("mp4", "libx265"), ("matroska", "libx265"), ("mp4", "mpeg4"), ("mov", "mjpeg")]
    for _ in range(count):
        kind, codec = chance.choice(files)
        how = {"begins": chance.choice([0.0, 0.3])} if kind in ("mp4", "mov", "mpegts") else {}
        how |= {"turn": chance.choice(["", *MATRICES])} if kind in ("mp4", "mov") else {}
        how |= {"pixel": chance.choice([Fraction(1), Fraction(4, 3)])} if kind != "avi" else {}
        how |= {"form": "yuvj420p"} if codec == "mjpeg" else {}
        yield Odd(kind, codec, sound=chance.choice([0.0, 1.2, 2.5]) if kind != "avi" else 0.0, **how)


@pytest.mark.parametrize("odd", list(drawn_kinds()), ids=lambda odd: f"{odd.kind} {odd.codec} {odd.turn}")
def test_any_container_codec_and_turn_together(made, tmp_path, odd):
    _odd, _source, target, facts = made(repr(odd), odd)
    assert facts.frames == len(odd.seen)
    assert facts.seconds == pytest.approx(odd.seconds, abs=1 / RATE + 0.01)
    check(odd, target, tmp_path)


SEEN = """async ([film, times]) => {
  const video = document.createElement("video");
  const happens = (what) => new Promise((resolve) => video.addEventListener(what, resolve, { once: true }));
  const ready = happens("loadeddata");
  video.muted = true;
  video.src = `data:video/mp4;base64,${film}`;
  await ready;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
  const pictures = [];
  for (const time of [video.duration / 3, ...times]) {
    const there = happens("seeked");
    video.currentTime = time;
    await there;
    await new Promise((resolve) => setTimeout(resolve, 50));
    canvas.getContext("2d").drawImage(video, 0, 0);
    pictures.push(canvas.toDataURL("image/png").split(",")[1]);
  }
  return { pictures, seconds: video.duration };
}"""
IN_A_BROWSER = (
    *("plain with sound", "turned by 90°", "mirrored", "wide pixels", "a turned HEVC film", "a transport stream"),
    *("B-frames in Matroska", "an edit list", "slides", "sound goes on", "full range"),
)


@pytest.mark.browser
def test_a_browser_shows_what_models_get(made, chromium):
    page = chromium.new_page()
    for name in IN_A_BROWSER:
        odd, _source, target, facts = made(name)
        times = times_in(target)
        places = [0, len(times) // 2, len(times) - 1]
        film = base64.b64encode(target.read_bytes()).decode()
        seen = page.evaluate(SEEN, [film, [times[place] + 0.02 for place in places]])
        assert seen["seconds"] == pytest.approx(facts.seconds, abs=0.26), name
        for place, picture, frame in zip(places, seen["pictures"][1:], frames(target, places), strict=True):
            pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB"))
            assert distance(pixels, shown_at(odd, times[place]), odd) < NEAR, name
            assert float(np.abs(pixels.astype(float) - frame.picture).mean()) < SAME, name
