"""People's stills equal the frames of models to the pixel."""

from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.encoding.even_frames import evenly_spaced
from benchmarks.encoding.probe import UnreadableMedia
from benchmarks.encoding.stills import frames_at
from evaluation.inputs import decoding
from evaluation.inputs.frames import wanted_frames
from tests.humantrials.site_content import write_clip


def test_stills_are_the_frames_of_models_to_the_pixel(tmp_path, monkeypatch):
    path = tmp_path / "clip.mp4"
    write_clip(path)
    clip = SimpleNamespace(frames=30, fps=25.0)
    monkeypatch.setattr(decoding, "decodable", lambda clip: path)
    for count in (1, 4, 8, 30):
        wanted = wanted_frames(f"uniform-{count}", 30)
        assert wanted == evenly_spaced(count, 30)
        sent = [one.picture for one in decoding.decoded(clip, wanted)]
        assert all(np.array_equal(one, other) for one, other in zip(frames_at(path, wanted), sent, strict=True))
    with pytest.raises(UnreadableMedia, match="ends before frame 40"):
        frames_at(path, (0, 40))
