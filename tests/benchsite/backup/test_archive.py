"""An incomplete backup file is detected; a terminal shows the progress of reading it."""

import io
import json
import os
import tarfile
from pathlib import Path

import pytest

from benchmarks.commands import CallerMistake
from benchsite.backup.archive import CONTENTS, Archive, writing
from benchsite.backup.progress import progress_callback


def small(path: Path) -> Path:
    with writing(path) as writer:
        for name in ("database/one", "media/two"):
            writer.add(name, io.BytesIO(b"content " * 50_000), 400_000)
        writer.finish({})
    return path


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.8])
def test_a_file_that_was_cut_off_is_told_as_such(tmp_path, share):
    path = small(tmp_path / "whole.tar")
    os.truncate(path, int(path.stat().st_size * share))
    with pytest.raises(CallerMistake, match="cut off"):
        Archive(path)


def test_one_changed_byte_names_the_part(tmp_path):
    path = small(tmp_path / "whole.tar")
    content = bytearray(path.read_bytes())
    content[700] ^= 1
    path.write_bytes(content)
    with pytest.raises(CallerMistake, match="database/one is damaged"):
        Archive(path)


@pytest.mark.parametrize(
    ("contents", "words"),
    [
        ({"format": 2, "parts": {}}, "format 2"),
        ({"format": 1, "parts": {"media/gone": {"sha256": ""}}}, "media/gone is missing"),
        ({"format": 1, "parts": {}}, "not in its list"),
        ({"format": 1, "parts": {"../out": {"sha256": ""}}}, "not a plain part"),
    ],
)
def test_a_list_that_does_not_fit_is_refused(tmp_path, contents, words):
    path, text = tmp_path / "strange.tar", json.dumps(contents).encode()
    with tarfile.open(path, "w") as tar:
        for name, content in (("../out", b"x"), (CONTENTS, text)):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    with pytest.raises(CallerMistake, match=words):
        Archive(path)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


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
