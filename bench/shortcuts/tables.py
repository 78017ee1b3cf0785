"""Converts drawn parameters to columns of numbers."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Row = dict[str, float | str]


def columns(rows: Sequence[Row], without: Iterable[str] = ()) -> tuple[list[str], NDArray]:
    """Names of the columns that are not constant, and their values (rows, columns).

    A text parameter becomes a column of 0 and 1 for each of its values. If a clip lacks a parameter the number is 0,
    and one more column says which clips have it.
    """
    left_out = set(without)
    names = sorted({name for row in rows for name in row} - left_out)
    found: dict[str, list[float]] = {}
    for name in names:
        values = [row.get(name) for row in rows]
        if any(value is None for value in values):
            found[f"{name} is there"] = [float(value is not None) for value in values]
        if any(isinstance(value, str) for value in values):
            for word in sorted({value for value in values if isinstance(value, str)}):
                found[f"{name} = {word}"] = [float(value == word) for value in values]
        else:
            found[name] = [float(value or 0.0) for value in values]
    varying = {name: column for name, column in found.items() if len(set(column)) > 1}
    return list(varying), np.array(list(varying.values())).T if varying else np.zeros((len(rows), 1))
