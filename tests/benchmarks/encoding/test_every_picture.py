"""Every picture of a film reaches the served file, in its order and from its beginning, whatever its container."""

from fractions import Fraction

import av
import numpy as np
import pytest

from benchmarks.encoding import encode
from benchmarks.encoding.audio import write_silent
from benchmarks.encoding.conform import conform, cut, is_conform
from benchmarks.encoding.encode import copy_streams
from benchmarks.encoding.probe import UnreadableMedia, probe
from benchmarks.encoding.video_track import VideoTrack

FPS, FRAMES, KEYFRAMES = 25, 150, 50
B_FRAMES = {"g": str(KEYFRAMES), "bf": "3", "sc_threshold": "0", "preset": "veryfast"}
SIZE = 64, 36
LEAST_DIFFERENCE = 1.4  # grey values between two pictures that follow each other


def write_film(path, kind, *, options=B_FRAMES, skip=0):
    """Six seconds that get lighter picture by picture; `skip` packets are left out at the beginning."""
    with av.open(str(path), "w", format=kind) as made:
        stream = made.add_stream("libx264", rate=FPS, options=options)
        (stream.width, stream.height), stream.pix_fmt = SIZE, "yuv420p"
        packets = []
        for number in range(FRAMES):
            picture = av.VideoFrame.from_ndarray(np.full((*SIZE[::-1], 3), 20 + 1.4 * number, np.uint8), format="rgb24")
            picture.pts, picture.time_base = number, Fraction(1, FPS)
            packets += stream.encode(picture)
        for packet in [*packets, *stream.encode(None)][skip:]:
            made.mux(packet)
    return path


def greys(path):
    with av.open(str(path)) as container:
        return np.array([frame.to_ndarray(format="gray").mean() for frame in container.decode(video=0)])


def first_time(path):
    with av.open(str(path)) as container:
        return next(container.decode(video=0)).time


FILMS = {
    "an open GOP in Matroska": ("matroska", {"options": B_FRAMES | {"x264-params": "open-gop=1"}}),
    "the middle of a GOP": ("matroska", {"skip": 20}),
    "the middle of a GOP of a stream": ("mpegts", {"skip": 20}),
}


@pytest.mark.parametrize(("kind", "how"), FILMS.values(), ids=FILMS)
def test_the_served_file_shows_what_the_source_shows(tmp_path, kind, how):
    source = write_film(tmp_path / "film", kind, **how)
    facts = conform(source, made := tmp_path / "made.mp4")
    wanted, shown = greys(source), greys(made)
    assert len(wanted) == len(shown) == facts.frames > 0
    assert np.abs(wanted - shown).max() < LEAST_DIFFERENCE
    assert (first_time(made), is_conform(probe(source))) == (0.0, False)
    assert facts.seconds == pytest.approx(facts.frames / FPS, abs=0.001)


def test_a_copy_that_lost_a_picture_is_not_served(tmp_path, monkeypatch):
    source = write_film(tmp_path / "film.mp4", "mp4")
    copied = encode.timed_packets
    monkeypatch.setattr(encode, "timed_packets", lambda *which: list(copied(*which))[:-1])
    facts = conform(source, made := tmp_path / "made.mp4")
    assert len(greys(made)) == facts.frames == FRAMES


def test_pictures_lost_by_the_encoder_are_a_problem_of_the_clip(tmp_path, monkeypatch):
    source = write_film(tmp_path / "film.mkv", "matroska")
    monkeypatch.setattr(VideoTrack, "finish", lambda track, seconds: None)
    with pytest.raises(UnreadableMedia, match="149"):
        conform(source, tmp_path / "made.mp4")


@pytest.mark.parametrize("write", [lambda *paths: copy_streams(*paths, sound=False), write_silent])
def test_a_form_that_would_lose_its_beginning_is_not_made(tmp_path, write):
    source = write_film(tmp_path / "film.mkv", "matroska")
    with pytest.raises(UnreadableMedia):
        write(source, tmp_path / "made.mp4")


def test_a_part_without_a_picture_is_a_problem(tmp_path):
    source = write_film(tmp_path / "film.mp4", "mp4")
    with pytest.raises(UnreadableMedia):
        cut(source, tmp_path / "made.mp4", probe(source), 7.0, 9.0)


def write_with_sound_tracks(path, number):
    """A second of pictures and so many tracks of silence."""
    with av.open(str(path), "w", format="mp4") as made:
        pictures = made.add_stream("libx264", rate=FPS)
        (pictures.width, pictures.height), pictures.pix_fmt = SIZE, "yuv420p"
        tracks = [made.add_stream("aac", rate=16_000, layout="mono") for _ in range(number)]
        for _ in range(FPS):
            made.mux(pictures.encode(av.VideoFrame.from_ndarray(np.zeros((*SIZE[::-1], 3), np.uint8), "rgb24")))
        for track in tracks:
            silence = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), "fltp", "mono")
            silence.sample_rate, silence.pts = 16_000, 0
            made.mux(track.encode(silence))
        for stream in (pictures, *tracks):
            made.mux(stream.encode(None))
    return path


@pytest.mark.parametrize(("sound", "tracks"), [(True, 1), (False, 0)])
def test_of_several_sound_tracks_the_first_is_copied(tmp_path, sound, tracks):
    copy_streams(write_with_sound_tracks(tmp_path / "two.mp4", 2), made := tmp_path / "made.mp4", sound=sound)
    with av.open(str(made)) as written:
        assert (len(written.streams.video), len(written.streams.audio)) == (1, tracks)
