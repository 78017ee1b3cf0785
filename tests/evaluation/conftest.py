"""What the tests of runs share: clips that can really be decoded, items about them, and a queue that goes nowhere."""

from pathlib import Path

import numpy as np
import pytest
from celery import current_app

from evaluation.working import _warm
from tests.factories import make_clip, make_item, make_pack


@pytest.fixture(autouse=True)
def queue(monkeypatch):
    """Messages stay in this process; the list holds what was sent."""
    sent = []
    monkeypatch.setattr(current_app, "send_task", lambda name, args=(), **options: sent.append((name, *args)))
    _warm.clear()
    return sent


def write_video(path: Path, frames: int = 20, fps: int = 10, size: tuple[int, int] = (64, 48)) -> Path:
    """A clip whose n-th frame is grey of the brightness 10·n, so that a frame can be told by its pixels."""
    import av

    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=fps, options={"crf": "1", "g": "5"})
        stream.width, stream.height, stream.pix_fmt = *size, "yuv420p"
        for number in range(frames):
            picture = np.full((size[1], size[0], 3), number * 10, np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())
    return path


@pytest.fixture
def pack(db):
    return make_pack(name="small")


@pytest.fixture
def make_filmed(settings, pack):
    """Make items whose clips are real files; each clip has a true and a false statement."""

    def make(count: int = 1, *, frames: int = 20, test: str = "Color", stated: int | None = None, **values):
        items = []
        for number in range(count):
            clip = make_clip(pack, key=f"level1/{test}Red/{pack.clips.count():03}", frames=stated or frames, fps=10,
                             seconds=(stated or frames) / 10, width=64, height=48)  # fmt: skip
            write_video(settings.MEDIA_ROOT / "clips" / clip.renditions.get().name, frames)
            for variant, expected, polarity in (("true", "yes", "positive"), ("false", "no", "negative")):
                facets = {"test": (test,), "polarity": (polarity,)}
                values_here = {"key": clip.key, "variant": variant, "expected": expected, "facets": facets, **values}
                items.append(make_item(pack, clip=clip, **values_here))
        return items

    return make
