"""A file has its name only when it is complete."""

import json

import pytest

from scenes.whole_files import READABLE, whole, write_json


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "clips"
    folder.mkdir()
    return folder


def test_the_name_is_given_when_the_block_ends(folder):
    path = folder / "clip.mp4"
    path.write_bytes(b"old")
    with whole(path) as temporary:
        temporary.write_bytes(b"new")
        assert (temporary.parent, path.read_bytes()) == (folder, b"old")
    assert [one.name for one in folder.iterdir()] == ["clip.mp4"]
    assert path.read_bytes() == b"new"


def write_half(path, stop):
    with whole(path) as temporary:
        temporary.write_bytes(b"ha")
        raise stop


@pytest.mark.parametrize("stop", [ValueError, KeyboardInterrupt])
def test_what_is_stopped_leaves_what_stood_and_nothing_else(folder, stop):
    path = folder / "clip.mp4"
    path.write_bytes(b"old")
    with pytest.raises(stop):
        write_half(path, stop)
    assert {one.name: one.read_bytes() for one in folder.iterdir()} == {"clip.mp4": b"old"}


def test_content_that_is_no_json_leaves_nothing(folder):
    with pytest.raises(TypeError):
        write_json(folder / "items.json", {1, 2})
    assert not list(folder.iterdir())


def test_json_is_written_as_asked(folder):
    write_json(folder / "items.json", ["grün"], **READABLE)
    assert (folder / "items.json").read_text(encoding="utf-8") == '[\n "grün"\n]'
    write_json(folder / "items.json", ["grün", 1], separators=(",", ":"))
    assert (folder / "items.json").read_text() == '["gr\\u00fcn",1]'
    assert json.loads((folder / "items.json").read_text()) == ["grün", 1]
