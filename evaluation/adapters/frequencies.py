"""Baselines that answer by how often each answer is correct in a training split; they use neither question nor clip.

CRAFT's four heuristics are of this kind. They may use facets of an item, such as its answer type.
"""

import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from django.conf import settings

from evaluation.adapters.base import REPLY, Reply, Request, at_once
from evaluation.errors import ModelMisused

Cell = tuple[str, ...]  # values of the known facets


class FrequencyModel:
    """A baseline with the counts of the file `path`. For unseen values it drops the facets that it `knows`, in order.

    With `draws` it picks uniformly among the answers that were ever correct; otherwise it gives the most frequent
    answer, and among equally frequent ones the first by alphabet. `asked_on` maps each split to the training split
    whose counts are used, because CRAFT's settings have two divisions into splits.
    """

    def __init__(
        self, *, path: str, asked_on: Mapping[str, str], knows: Sequence[str] = (), draws: bool = False
    ) -> None:
        content = _content_of(path)
        self.knows, self.draws, self.path, self.asked_on = tuple(knows), draws, path, dict(asked_on)
        try:
            places = [tuple(content["facets"]).index(name) for name in self.knows]
            self.fitted_on = {split: sum(int(row[-1]) for row in rows) for split, rows in content["rows"].items()}
            self.cells = {split: _counted(content["rows"][split], places) for split in set(asked_on.values())}
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise ModelMisused(
                f"{path}: not counts of answers by {', '.join(self.knows) or 'nothing'} ({error!r})"
            ) from None

    @cached_property
    def description(self) -> dict[str, Any]:
        return {
            "device": "none",
            "what": "draws among the answers" if self.draws else "says the most frequent answer",
            "is_told": ", ".join(self.knows) or "nothing",
            "fitted_on": ", ".join(f"{count} questions of {split}" for split, count in self.fitted_on.items()),
            "counts": hashlib.sha256(_file_of(self.path).read_bytes()).hexdigest(),
        }

    @staticmethod
    def check_options(options: Mapping[str, Any]) -> None:
        """Raise ModelMisused for wrong options, without reading the counts."""
        if not options.get("path") or not isinstance(options.get("asked_on"), Mapping):
            raise ModelMisused("options path and asked_on: `train_baseline frequencies` writes both")

    def answer(self, requests: Iterable[Request]) -> Iterator[Reply]:
        return at_once(self._reply(request) for request in requests)

    def _reply(self, request: Request) -> Reply:
        missing = [name for name in self.knows if not request.facets.get(name)]
        if missing:
            return Reply("", error=f"this question has no {missing[0]}, by which the counts are grouped")
        if request.split not in self.asked_on:
            return Reply("", error=f"not fitted for the split {request.split!r}; there is: {', '.join(self.asked_on)}")
        cells = self.cells[self.asked_on[request.split]]
        counts = _nearest(cells, tuple(request.facets[name][0] for name in self.knows))
        if self.draws:
            text = random.Random(request.seed).choice(sorted(counts))  # noqa: S311
        else:
            text = min(counts, key=lambda answer: (-counts[answer], answer))
        return Reply(text, turns=(text,) * request.turns.count(REPLY))


def _nearest(cells: Mapping[Cell, Counter[str]], cell: Cell) -> Counter[str]:
    """The counts of this cell, or of the narrowest wider cell seen in training; facets are dropped in order."""
    return next(cells[cell[forgotten:]] for forgotten in range(len(cell) + 1) if cell[forgotten:] in cells)


def _counted(rows: Sequence[Sequence[Any]], places: Sequence[int]) -> dict[Cell, Counter[str]]:
    """The counts of every cell and every wider cell, from rows of facet values, answer and count."""
    cells: dict[Cell, Counter[str]] = {(): Counter()}
    for *values, answer, count in rows:
        whole = tuple(str(values[place]) for place in places)
        for forgotten in range(len(whole) + 1):
            cells.setdefault(whole[forgotten:], Counter())[str(answer)] += int(count)
    if not cells[()]:
        raise ValueError("no answers")
    return cells


def _file_of(path: str) -> Path:
    """The file; a relative path starts at VAR_DIR, so that the site's state can be moved as a whole."""
    return Path(settings.VAR_DIR) / path


def _content_of(path: str) -> Any:
    try:
        return json.loads(_file_of(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelMisused(f"{_file_of(path)}: no counts of answers here ({error})") from None
