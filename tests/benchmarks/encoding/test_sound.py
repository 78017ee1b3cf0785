"""The sound of a clip: read as one channel, refused where there is none or too much, written at a rate of AAC."""

import io
from types import SimpleNamespace

import av
import pytest

from benchmarks.encoding.audio import Voice, has_sound, sound
from benchmarks.encoding.conform import conform
from benchmarks.encoding.probe import UnreadableMedia
from tests.benchmarks.audio_clips import RATE, pitch_of, tone, write_heard


def test_the_sound_is_one_channel_of_all_samples(tmp_path):
    path = write_heard(tmp_path / "clip.mkv", tone(440, 1.0), voice="pcm_f32le")
    samples, rate = sound(path, longest=1.0)
    assert (samples.shape, rate) == ((RATE,), RATE)
    assert samples == pytest.approx(tone(440, 1.0), abs=1e-6)
    with pytest.raises(UnreadableMedia, match=r"more than 0\.9 s of sound"):
        sound(path, longest=0.9)


def test_a_clip_that_is_copied_as_it_is_keeps_its_sound(tmp_path):
    path = write_heard(tmp_path / "heard.mp4", tone(440, 1.0))
    assert conform(path, made := tmp_path / "made.mp4").changes == ()
    assert pitch_of(made) == pytest.approx(440, abs=5)


def test_a_clip_without_sound_says_so(tmp_path):
    silent = write_heard(tmp_path / "silent.mp4", None)
    (tmp_path / "none.mp4").write_bytes(b"no film")
    heard = write_heard(tmp_path / "heard.mp4", tone(440, 0.5))
    assert [has_sound(path) for path in (heard, silent, tmp_path / "none.mp4")] == [True, False, False]
    with pytest.raises(UnreadableMedia, match="the clip has no sound"):
        sound(silent, longest=9.0)


@pytest.mark.parametrize(("channels", "layout"), [(1, "mono"), (2, "stereo"), (6, "stereo")])
def test_a_track_keeps_a_rate_that_every_player_supports(channels, layout):
    rates = [48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000]
    with av.open(io.BytesIO(), "w", format="mp4") as written:
        found = [SimpleNamespace(rate=rate, channels=channels) for rate in (*rates, 96_000, 22_000)]
        voices = [Voice.like(written, track) for track in found]
        assert [voice.rate for voice in voices] == [*rates, 44_100, 44_100]
        assert {voice.layout for voice in voices} == {layout}
        assert {voice.stream.bit_rate for voice in voices} == {128_000}
