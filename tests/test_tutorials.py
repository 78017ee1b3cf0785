"""The documentation's tutorials, typed as printed on a running site."""

import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchsite.serving.serve import free_port
from tests.programs import python
from tests.road import others_take_part, take_the_road
from tests.site import PATIENCE, ROOT, Site, environment

pytestmark = [pytest.mark.render, pytest.mark.worker, pytest.mark.browser]
BLOCK = re.compile(r"^(?:Save this as `(?P<file>[^`]+)`:\n\n)?```(?P<language>\w+)\n(?P<text>.*?)^```$", re.M | re.S)


class Terminal:
    """A terminal in an empty folder, beside the running site."""

    def __init__(self, site: Site, folder: Path) -> None:
        self.site, self.folder = site, folder
        self.env = environment(site.folder) | {"PYTHONPATH": str(ROOT)}  # as an installed site is found
        self.behind: list[subprocess.Popen[bytes]] = []
        self.port = str(free_port("127.0.0.1"))  # instead of 9000, which may be taken
        (folder / ".venv").symlink_to(sys.prefix)

    def save(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text.replace("9000", self.port))

    def type(self, command: str) -> str:
        """Run a command as printed, at this site's address; returns what it prints, or '' behind an ampersand."""
        command = command.replace("http://localhost:8000", self.site.address).replace("9000", self.port)
        if command.endswith("&"):
            self.behind.append(subprocess.Popen(command.split()[:-1], cwd=self.folder, env=self.env))
            time.sleep(1.0)
            return ""
        program, *words = shlex.split(command)
        assert program in ("benchsite", ".venv/bin/python")
        words = ["-m", "benchsite.cli", *words] if program == "benchsite" else words
        done = python(words, self.env, cwd=self.folder, timeout=PATIENCE)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout.replace(str(self.folder), "…")


@pytest.fixture
def terminal(small_site, tmp_path) -> Iterator[Terminal]:
    terminal = Terminal(small_site, tmp_path)
    yield terminal
    for process in terminal.behind:
        process.kill()
        process.wait()


def follow(terminal: Terminal, name: str, before: dict[str, object] | None = None) -> str:
    """Type a tutorial's commands and compare their output, except numbers, with the page; returns all output.

    `before` maps the beginning of a block to a person's manual steps before typing it.
    """
    printed, everything = "", ""
    for block in BLOCK.finditer((ROOT / "docs" / "tutorials" / f"{name}.md").read_text()):
        text = block["text"].replace("\\\n", " ")
        if block["file"]:
            terminal.save(block["file"], block["text"])
        elif block["language"] == "sh":
            printed = type_all(terminal, text, before or {})
            everything += printed
        else:
            compare(text, printed)
    return everything


def type_all(terminal, text, before):
    lines = [line for line in text.splitlines() if not line.startswith("make ")]
    for part, act in before.items():
        if part in text:
            act()
    return "".join(terminal.type(" ".join(line.split())) for line in lines)


def compare(promised: str, printed: str) -> None:
    for line in promised.splitlines():
        assert without_numbers(line) in without_numbers(printed), f"{line}\nis not in\n{printed}"


def without_numbers(text: str) -> str:
    return re.sub(r"\d+(\.\d+)?", "#", text)


def test_a_first_evaluation_ends_with_a_row(terminal):
    assert "My first model" in follow(terminal, "first-evaluation")


def test_a_first_human_study_ends_with_a_table(terminal, chromium):
    terminal.type("benchsite start_run --model random --benchmark grasp --strategy plausibility --wait")

    def take_part():
        page = chromium.new_page()
        page.goto(f"{terminal.site.address}/t/my-study/?participant=me")
        with others_take_part(terminal.site.address, "my-study"):
            assert take_the_road(page)
        page.close()

    follow(terminal, "first-human-study", {"change_trial close my-study": take_part})
    assert (terminal.folder / "study-codebook.md").is_file()
    table = (terminal.folder / "table.tex").read_text()
    assert re.search(r"Random, evaluated here.*? overall\} & .*?^n & 2 & ", table, re.DOTALL | re.MULTILINE)


def test_clips_of_ones_own_end_in_a_board_that_others_can_verify(terminal):
    assert "every number follows from the answers" in follow(terminal, "own-clips")


def test_a_folder_becomes_a_benchmark_with_a_study_and_a_table(terminal):
    follow(terminal, "own-benchmark")
    table = (terminal.folder / "table.tex").read_text()
    assert figures_of(table, "Always yes") == {"Overall": "50.0", "By pair": "0.0", "colour": "50.0", "shape": "50.0"}
    assert figures_of(table, "Simulated people").keys() == {"Overall", "By pair", "colour", "shape"}


def figures_of(table: str, row: str) -> dict[str, str]:
    """The figures of a row by part; the table is turned where wider figures do not fit, and simulated people guess."""
    bare = re.sub(r"\\parbox.*?\\ragged\w+ ?|}| \\\\$", "", table, flags=re.M)
    grid = [line.split(" & ") for line in bare.splitlines() if " & " in line and "multicolumn" not in line]
    if row in grid[0]:
        grid = [list(column) for column in zip(*grid, strict=True)]
    cells = next(line for line in grid if line[0] == row)
    return {part: cell.split()[0] for part, cell in zip(grid[0][1:], cells[1:], strict=True)}
