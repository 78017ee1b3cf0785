"""The cache of decoded frames: bounded, evicts the least recently read, usable by any number of processes."""

import json
import os
import subprocess
import sys
import textwrap
import time
from contextlib import suppress

import numpy as np
import pytest

from benchmarks.storage.disk_cache import ABANDONED_AFTER
from evaluation.adapters.base import Frames
from evaluation.inputs import frame_cache
from evaluation.inputs.frame_cache import cache_frames, cached_frames, place_of, root
from evaluation.inputs.frames import digest_of
from tests.site import PATIENCE, ROOT, environment

PIXELS = 100_000  # bytes of the frames of one clip here


def frames(number: int, size: int = PIXELS) -> Frames:
    pixels = np.random.default_rng(number).integers(0, 255, (2, size // 6, 1, 3), dtype=np.uint8)
    return Frames(pixels, (0, 7), (0.0, 0.7), digest_of(pixels), 1.0, 10.0)


def place(number: int):
    return place_of(f"{number:064x}"[::-1], "uniform-2")


def held() -> int:
    found = 0
    for path in root().glob("*/*"):
        with suppress(FileNotFoundError):
            found += path.stat().st_size
    return found


@pytest.fixture
def small(settings):
    """Room for nine clips and a half."""
    settings.CACHE_MB = 1
    return settings


def test_what_was_kept_is_found_as_it_was():
    written = frames(1)
    cache_frames(place(1), written)
    found = cached_frames(place(1))
    assert np.array_equal(found.pixels, written.pixels)
    assert (found.indices, found.times, found.digest) == (written.indices, written.times, written.digest)
    assert (found.duration_seconds, found.fps) == (1.0, 10.0)
    assert not found.pixels.flags.writeable
    assert cached_frames(place(2)) is None


def test_it_never_takes_more_than_its_bound_and_what_is_open_can_still_be_read(small):
    cache_frames(place(0), frames(0))
    opened = cached_frames(place(0))
    for number in range(1, 40):
        cache_frames(place(number), frames(number))
        assert held() <= 1_000_000
    assert cached_frames(place(39)) is not None
    assert held() > 700_000
    assert not place(0).exists()
    assert digest_of(opened.pixels) == opened.digest


def test_what_was_not_read_for_longest_goes_first(small):
    for number in range(9):
        cache_frames(place(number), frames(number))
    for number in range(9):  # read in another order than written
        assert cached_frames(place(8 - number)) is not None
    for number in (9, 10):
        cache_frames(place(number), frames(number))
    left = {number for number in range(11) if place(number).exists()}
    assert {0, 1, 2, 3, 9, 10} <= left <= {*range(7), 9, 10}


def test_a_clip_larger_than_the_cache_is_not_kept_and_removes_nothing(small, caplog):
    cache_frames(place(1), frames(1))
    cache_frames(place(2), frames(2, 1_200_000))
    assert place(1).exists()
    assert not place(2).exists()
    assert "the whole cache has 1 MB" in caplog.text


def test_a_full_disk_costs_the_cache_and_not_the_answer(monkeypatch, caplog):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(frame_cache.os, "replace", full)
    cache_frames(place(1), frames(1))
    assert "No space left on device" in caplog.text
    assert held() == 0


@pytest.mark.parametrize("content", [b"", b"12", b"not twenty digits!!!", b"0" * 20])
def test_a_broken_or_forgetful_ledger_is_put_right(small, content):
    for number in range(9):
        cache_frames(place(number), frames(number))
    (root() / "held").write_bytes(content)
    for number in range(9, 30):
        cache_frames(place(number), frames(number))
    if content != b"0" * 20:  # a plausible but wrong number is only noticed when room is made
        assert held() <= 1_000_000
    assert held() < 2_000_000


def test_what_a_killed_writer_left_goes_in_time(small):
    cache_frames(place(1), frames(1))
    old, new = place(1).parent / "part-old", place(1).parent / "part-new"
    for path in (old, new):
        path.write_bytes(b"x" * 1000)
    past = time.time() - ABANDONED_AFTER - 1
    os.utime(old, (past, past))
    for number in range(2, 30):
        cache_frames(place(number), frames(number))
    assert not old.exists()


SCRIPT = textwrap.dedent("""
    import json, os, random, sys
    os.environ["DJANGO_SETTINGS_MODULE"] = "benchsite.settings"
    import django; django.setup()
    from evaluation.inputs.frame_cache import FOLDER, cache_frames, cached_frames, forget
    from evaluation.inputs.frames import digest_of
    from tests.evaluation.inputs.test_frame_cache import frames, held, place

    chance, most, found, wrong = random.Random(int(sys.argv[1])), 0, 0, 0
    for _ in range(150):
        number = chance.randrange(25)
        seen = cached_frames(place(number))
        if seen is None:
            cache_frames(place(number), frames(number))
        else:
            found += 1
            wrong += digest_of(seen.pixels) != seen.digest or seen.digest != frames(number).digest
        if chance.random() < 0.05:
            forget(f"{chance.randrange(25):064x}"[::-1])
        if chance.random() < 0.2:
            with FOLDER._ledger():  # nobody adds anything while it is counted
                most = max(most, held())
    print(json.dumps({"most": most, "found": found, "wrong": wrong}))
""")


def test_many_processes_read_write_and_evict_at_once(tmp_path):
    env = environment(tmp_path) | {"CACHE_MB": "1"}
    (tmp_path / "var").mkdir(exist_ok=True)
    how = {"cwd": ROOT, "env": env, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen([sys.executable, "-c", SCRIPT, str(number)], **how) for number in range(3)]
    for process in processes:
        output, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, errors
        facts = json.loads(output)
        assert facts["wrong"] == 0
        assert facts["found"] > 20
        assert 0 < facts["most"] <= 1_000_000
