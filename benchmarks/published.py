"""Published figures and known defects from their data files, digit by digit."""

import json
from pathlib import Path

from benchmarks.definition import Defect, PublishedCell, PublishedRow

DATA = Path(__file__).parent / "data"


def published_rows(path: Path) -> tuple[PublishedRow, ...]:
    """Rows whose cells are lists of column, printed, polarity and mark."""
    rows = json.loads(path.read_text(encoding="utf-8"))
    return tuple(PublishedRow(**{**row, "cells": tuple(PublishedCell(*cell) for cell in row["cells"])}) for row in rows)


def defects(path: Path) -> tuple[Defect, ...]:
    return tuple(Defect(**row) for row in json.loads(path.read_text(encoding="utf-8")))
