"""Questions -> the statistics of a release: tables, and the paper's Figure 4, rings of question and answer types."""

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

QUESTION_TYPES = ("Descriptive", "Counterfactual", "Cause", "Enable", "Prevent")
# The paper's own colours; question types, the inner ring, are grey.
COLOURS = {"Boolean": "#8dd3c7", "Count": "#ffffb3", "Color": "#bebada", "Shape": "#fb8072"}
GREYS = ("#d9d9d9", "#c4c4c4", "#b0b0b0", "#9c9c9c", "#888888")
RINGS = ("question_type", "answer_type", "answer")
Kind = tuple[str, str, str]  # question type, answer type, answer


@dataclass(frozen=True)
class Arc:
    """A piece of a ring, from `start` to `end` of a turn, 0 to 1 clockwise from the top."""

    ring: int  # 0 is the innermost
    start: float
    end: float
    label: str
    count: int
    colour: str

    @property
    def text(self) -> str:
        """The piece's label; the innermost ring has no room for counts beside its long names."""
        return f"{self.label}: {self.count}" if self.ring else self.label


def arcs_of(counts: Mapping[Kind, int]) -> list[Arc]:
    """Three rings; within each piece the most frequent value first, question types in the benchmark's order."""
    whole = sum(counts.values())
    return list(_ring(counts, 0, 0.0, whole, "")) if whole else []


def _ring(counts: Mapping[Kind, int], ring: int, start: float, whole: int, colour: str) -> Iterator[Arc]:
    """The pieces of this ring within one piece of the inner ring, each followed by its outer pieces."""
    sums: Counter[str] = Counter()
    for kind, count in counts.items():
        sums[kind[ring]] += count
    for place, (label, count) in enumerate(sorted(sums.items(), key=_in_order if ring == 0 else _commonest)):
        own = GREYS[place % len(GREYS)] if ring == 0 else COLOURS.get(label, colour)
        end = start + count / whole
        yield Arc(ring, start, end, label, count, own)
        if ring + 1 < len(RINGS):
            inside = {kind: number for kind, number in counts.items() if kind[ring] == label}
            yield from _ring(inside, ring + 1, start, whole, own)
        start = end


def _in_order(pair: tuple[str, int]) -> tuple[int, str]:
    known = pair[0] in QUESTION_TYPES
    return (QUESTION_TYPES.index(pair[0]) if known else len(QUESTION_TYPES), pair[0])


def _commonest(pair: tuple[str, int]) -> tuple[int, str]:
    return -pair[1], pair[0]


def write_statistics(folder: Path, records: Sequence[Mapping[str, Any]], title: str) -> None:
    """Write three tables of a release's questions, and Figure 4 as PNG and PDF."""
    from scenes.craft.questions.sunburst import write_picture

    folder.mkdir(parents=True, exist_ok=True)
    kinds = Counter((one["question_type"], one["answer_type"], one["answer"]) for one in records)
    by_scene = Counter((int(one["simulation_id"]), one["question_type"]) for one in records)
    tables: dict[str, tuple[tuple[str, ...], Mapping[Any, int]]] = {
        "answers": (RINGS, kinds),
        "templates": (("template", "answer"), Counter((one["template_id"], one["answer"]) for one in records)),
        "scenes": (("scene", "question_type"), by_scene),
    }
    for name, (heads, counts) in tables.items():
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow((*heads, "questions"))
            table.writerows((*values, count) for values, count in sorted(counts.items()))
    for form in ("png", "pdf"):
        write_picture(arcs_of(kinds), title, folder / f"figure_4.{form}")
