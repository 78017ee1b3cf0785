"""An incomplete backup file is detected; a terminal shows the progress of reading it."""

import io
import os
from pathlib import Path

import pytest

from benchmarks.commands import CallerMistake
from benchsite.backup import archive
from benchsite.backup.archive import Archive, writing
from benchsite.backup.state import progress_callback
from tests.commands import Terminal


def small(path: Path, name: str = "media/two") -> Path:
    with writing(path) as writer:
        for part in ("database.sqlite3", name):
            writer.add(part, io.BytesIO(b"content " * 50_000), 400_000)
        writer.finish({})
    return path


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.8])
def test_a_file_that_was_cut_off_is_told_as_such(tmp_path, share):
    path = small(tmp_path / "whole.tar")
    os.truncate(path, int(path.stat().st_size * share))
    with pytest.raises(CallerMistake, match="cut off"):
        Archive(path)


def test_one_changed_byte_is_found(tmp_path):
    path = small(tmp_path / "whole.tar")
    assert Archive(path).count("media") == 1
    content = bytearray(path.read_bytes())
    content[700] ^= 1
    path.write_bytes(content)
    with pytest.raises(CallerMistake, match="is damaged"):
        Archive(path)


def test_a_part_outside_and_another_format_are_refused(tmp_path, monkeypatch):
    with pytest.raises(CallerMistake, match=r"\.\./out is not a plain part"):
        Archive(small(tmp_path / "strange.tar", "../out"))
    path = small(tmp_path / "whole.tar")
    monkeypatch.setattr(archive, "FORMAT", 3)
    with pytest.raises(CallerMistake, match="of format 2: this version reads format 3"):
        Archive(path)


def test_progress_is_one_line_for_each_thing_and_drawn_seldom(monkeypatch):
    terminal, now = Terminal(), [0.0]
    monkeypatch.setattr("tqdm.std.time", lambda: now[0])
    show = progress_callback(terminal)
    for done in range(1, 1001):
        now[0] += 0.001
        show("Rows", done, 1000)
    show("Rows", 1000, 1000)
    show("Files", 1, 1)
    lines = terminal.getvalue().split("\n")
    assert [line.rpartition("\r")[2].split() for line in lines] == [
        ["Rows", f"[{'#' * 30}]", "1000/1000", "00:00", "left"],
        ["Files", f"[{'#' * 30}]", "1/1", "?", "left"],
        [],
    ]
    assert terminal.getvalue().count("\r") < 15
