"""Fixtures for runs: decodable clips, items about them, and a queue that sends nothing."""

from pathlib import Path

import numpy as np
import pytest
from celery import current_app

from evaluation.workers.loop import _warm
from tests.factories import make_clip, make_item, make_pack


@pytest.fixture(autouse=True)
def queue(monkeypatch):
    """A list of the Celery messages, which are recorded instead of sent."""
    sent = []
    monkeypatch.setattr(current_app, "send_task", lambda name, args=(), **options: sent.append((name, *args)))
    _warm.clear()
    return sent


def write_video(path: Path, frames: int = 20, fps: int = 10, size: tuple[int, int] = (64, 48)) -> Path:
    """Write a clip whose n-th frame is grey with brightness 10·n, so that its pixels identify the frame."""
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
    """A function that makes items with real video files; each clip has a true and a false statement."""

    def make(count: int = 1, *, frames: int = 20, test: str = "Color", stated: int | None = None, **values):
        items = []
        for number in range(count):
            clip = make_clip(
                pack,
                key=f"level1/{test}Red/{pack.clips.count():03}",
                frames=stated or frames,
                fps=10,
                seconds=(stated or frames) / 10,
                width=64,
                height=48,
            )
            write_video(settings.MEDIA_ROOT / "clips" / clip.renditions.get().name, frames)
            for variant, expected, polarity in (("true", "yes", "positive"), ("false", "no", "negative")):
                facets = {"test": (test,), "polarity": (polarity,)}
                values_here = {"key": clip.key, "variant": variant, "expected": expected, "facets": facets, **values}
                items.append(make_item(pack, clip=clip, **values_here))
        return items

    return make
