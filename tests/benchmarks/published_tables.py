"""The papers' tables for the tests: Markdown, typed independently of the definitions."""

import re
from pathlib import Path

FOLDER = Path(__file__).parent / "printed"
LABELS = {"pacs-table-2": 2, "pacs-table-3": 2}
COUNTS = {"craft": 1, "pacs": 3, "giraffe": 11}
NAMES = [f"{slug}-table-{number}" for slug, count in COUNTS.items() for number in range(1, count + 1)]


def read(name: str) -> list[list[str]]:
    """Rows of cells as printed; '' where the paper prints nothing."""
    lines = (FOLDER / f"{name}.md").read_text(encoding="utf-8").splitlines()
    return [[_plain(cell) for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def labels(name: str) -> int:
    """The number of cells before a row's figures."""
    return LABELS.get(name, 1)


def _plain(cell: str) -> str:
    cell = cell.strip().strip("*")
    if "[NR]" in cell:
        return "not recovered"
    return re.sub(r" \[.*\]| \(text only\)", "", "" if cell == "–" else cell)
