"""The same pictures give the same file, whatever the encoder's memory contained."""

import ctypes
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pytest

from scenes.rendering import video_file
from scenes.rendering.mujoco_renderer import RenderedFrame
from scenes.rendering.video import encode
from scenes.rendering.video_file import AS_IT_COMES, M_PERTURB, ZEROS, zeroed_memory


def moving_square(size, frames=40):
    """Noise with a moving square, so that the encoder searches for motion."""
    width, height = size
    ground = np.random.default_rng(3).integers(90, 110, (height, width, 3)).astype(np.uint8)
    for number in range(frames):
        pixels = ground.copy()
        left = number * (width - 20) // frames
        pixels[height // 3 : height // 3 + 16, left : left + 16] = (200, 40, 40)
        yield RenderedFrame(pixels, is_new=True)


def litter(rng):
    """Fill memory with numbers like motion vectors, and free it."""
    blocks = [rng.integers(-40, 40, size).astype(np.int16) for size in rng.integers(1000, 50_000, 300)]
    del blocks


def files(folder, size, count=6):
    """The bytes of so many files of the same pictures, each made in used memory."""
    rng, path = np.random.default_rng(1), folder / "clip.mp4"
    for _ in range(count):
        litter(rng)
        encode(moving_square(size), path, size, 10)
        yield path.read_bytes()


@pytest.mark.parametrize("size", [(96, 72), (128, 96), (320, 240)])
def test_the_same_pictures_are_the_same_bytes(tmp_path, size):
    assert len(set(files(tmp_path, size))) == 1


def used_again(size=4096):
    """The first bytes of a new block of memory that was full of 0x5A before it was freed."""
    library = ctypes.CDLL(None)
    library.malloc.restype, library.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    block = library.malloc(size)
    ctypes.memset(block, 0x5A, size)
    library.free(block)
    block = library.malloc(size)
    found = ctypes.string_at(block, size)
    library.free(block)
    return found


def test_memory_begins_as_zeros_inside_and_as_it_was_outside():
    assert 0x5A in used_again()
    with zeroed_memory():
        assert used_again() == bytes(4096)
    assert 0x5A in used_again()


def test_a_video_is_written_inside(tmp_path, monkeypatch):
    """Without it, differences depend on the machine: on some processors none of 400 files differs."""
    entered = []
    monkeypatch.setattr(video_file, "zeroed_memory", lambda: nullcontext(entered.append(1)))
    next(files(tmp_path, (96, 72)))
    assert entered == [1]


def test_memory_is_as_it_comes_again_after_a_failure(monkeypatch):
    asked = []
    library = SimpleNamespace(mallopt=lambda *what: asked.append(what))
    monkeypatch.setattr("scenes.rendering.video_file.ctypes", SimpleNamespace(CDLL=lambda name: library))
    with pytest.raises(RuntimeError, match="in the middle"), zeroed_memory():
        raise RuntimeError("in the middle")
    assert asked == [(M_PERTURB, ZEROS), (M_PERTURB, AS_IT_COMES)]


def test_a_machine_without_glibc_writes_its_files_too(monkeypatch, tmp_path):
    monkeypatch.setattr("scenes.rendering.video_file.ctypes", SimpleNamespace(CDLL=lambda name: SimpleNamespace()))
    assert len(list(files(tmp_path, (96, 72), count=1))) == 1
