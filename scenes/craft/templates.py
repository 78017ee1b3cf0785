"""The 67 kinds of questions that CRAFT makes, 48 of which it asks: their texts and their programs."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from scenes.craft.catalogue import COLOURS, DYNAMIC_SHAPES, SIZES

DATA = Path(__file__).parent / "data"
DOMAINS = {"Z": SIZES, "C": tuple(COLOURS), "S": DYNAMIC_SHAPES}
QUESTION_TYPES = {
    "descriptive": "Descriptive", "counterfactual": "Counterfactual",
    "cause": "Cause", "enable": "Enable", "prevent": "Prevent",
}  # fmt: skip


@dataclass(frozen=True)
class Step:
    """A function over what earlier steps gave; `slot` is filled by an attribute (`<C2>`), '' = by none."""

    module: str
    inputs: tuple[int, ...]
    slot: str = ""

    @property
    def domain(self) -> tuple[str, ...]:
        return DOMAINS[self.slot[1]] if self.slot else ()


@dataclass(frozen=True)
class Template:
    """One kind of question; `family` is its place in the official file of its question type."""

    name: str
    answer_type: str  # Boolean, Count, Color or Shape
    is_asked: bool
    texts: tuple[str, ...]
    program: tuple[Step, ...]

    @property
    def stem(self) -> str:
        return self.name.partition("_")[0]

    @property
    def family(self) -> int:
        return int(self.name.partition("_")[2])

    @property
    def question_type(self) -> str:
        return QUESTION_TYPES[self.stem]


@cache
def templates() -> dict[str, Template]:
    """All of them by name, in the order in which a video's questions are numbered."""
    read = json.loads((DATA / "templates.json").read_text(encoding="utf-8"))
    return {
        one["id"]: Template(
            one["id"], one["answer"], one["is_asked"], tuple(one["texts"]), tuple(map(_step, one["program"]))
        )
        for one in read
    }


def _step(text: str) -> Step:
    module, *rest = text.split()
    slot = rest.pop() if rest and rest[-1].startswith("<") else ""
    return Step(module, tuple(map(int, rest)), slot)


@cache
def synonyms() -> dict[str, tuple[str, ...]]:
    """A word and what may stand for it, itself among them, all equally likely."""
    read = json.loads((DATA / "synonyms.json").read_text(encoding="utf-8"))
    return {word: tuple(choices) for word, choices in read.items()}
