"""Foreign media are opened in a limited process: a bad file costs one clip and gives a clear sentence."""

import os
import time

import pytest

from benchmarks.encoding import sandbox
from benchmarks.encoding.probe import MediaLimits, UnreadableMedia, probe
from benchmarks.encoding.sandbox import MediaChild, MediaChildren
from tests.benchmarks.grasp_release import FPS, FRAMES, write_clip
from tests.programs import loaded_by


@pytest.fixture
def child():
    with MediaChildren() as children, children.one() as one:
        yield one


@pytest.fixture
def clip(tmp_path):
    return write_clip(tmp_path / "clip.mp4")


def test_a_good_clip_is_probed_and_written_anew(child, clip, tmp_path):
    facts = child.write_anew(clip, tmp_path)
    assert (facts.frames, facts.seconds, facts.fps) == (FRAMES, FRAMES / FPS, FPS)
    assert probe(tmp_path / "original.mp4").frames == facts.frames
    assert (tmp_path / "poster.jpg").read_bytes().startswith(b"\xff\xd8")


def test_a_child_that_waited_longer_than_a_clip_may_take_reads_the_next_one(child, clip, tmp_path, monkeypatch):
    """The alarm of one clip must not end a process of the pool while it waits for the next."""
    monkeypatch.setattr(sandbox, "SECONDS", 1)
    child.write_anew(clip, tmp_path)
    time.sleep(3.5)
    assert child.write_anew(clip, tmp_path).frames


def test_media_that_never_end_are_given_up(clip, tmp_path, monkeypatch, child):
    monkeypatch.setattr(sandbox, "PATIENCE", 1.5)
    endless = tmp_path / "endless.mp4"
    os.mkfifo(endless)
    with pytest.raises(UnreadableMedia, match="took too long"):
        child.write_anew(endless, tmp_path)
    monkeypatch.undo()
    assert child.write_anew(clip, tmp_path).frames, "the next clip has a fresh process"


def test_a_process_that_is_killed_costs_one_clip(clip, tmp_path, child):
    child.write_anew(clip, tmp_path)
    child._process.kill()
    with pytest.raises(UnreadableMedia, match="broke the decoder"):
        child.write_anew(clip, tmp_path)
    assert child.write_anew(clip, tmp_path).frames


def test_media_that_want_too_much_memory_are_refused(clip, tmp_path, monkeypatch):
    monkeypatch.setattr(sandbox, "MEGABYTES", 40)  # less memory than the decoder's own code needs
    child = MediaChild()
    with pytest.raises(UnreadableMedia):
        child.write_anew(clip, tmp_path)
    child.end()


@pytest.mark.parametrize("limit", [{"frames": 3}, {"seconds": 0}, {"gigabytes": 0}])
def test_length_and_bytes_have_limits(clip, limit):
    with pytest.raises(UnreadableMedia):
        probe(clip, MediaLimits(**limit))


def test_the_process_knows_neither_database_nor_secrets():
    assert loaded_by("import benchmarks.encoding.sandbox_child", ["django"], os.environ) == set()
    assert not {"SECRET_KEY", "DATABASE_URL"} & set(sandbox.BARE)
