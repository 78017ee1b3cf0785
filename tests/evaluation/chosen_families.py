"""Chooses the families whose tiny builds are opened: in `make test` a third, in `make soak PART=families` all."""

import os
from collections.abc import Collection, Iterable

ARE_ALL = os.environ.get("FAMILIES") == "all"


def chosen(names: Iterable[str], always: Collection[str] = ()) -> tuple[str, ...]:
    """Every third of these names, in their order, and those of `always`; all of them in `make soak`."""
    return tuple(name for place, name in enumerate(names) if ARE_ALL or place % 3 == 0 or name in always)
