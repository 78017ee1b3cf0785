"""CRAFT's 67 kinds of questions, of which 48 are asked: their texts and programs."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from scenes.craft.world.catalogue import COLOURS, DYNAMIC_SHAPES, SIZES

DATA = Path(__file__).parents[1] / "data"
DOMAINS = {"Z": SIZES, "C": tuple(COLOURS), "S": DYNAMIC_SHAPES}
QUESTION_TYPES = {
    "descriptive": "Descriptive",
    "counterfactual": "Counterfactual",
    "cause": "Cause",
    "enable": "Enable",
    "prevent": "Prevent",
}


@dataclass(frozen=True)
class ProgramStep:
    """A function of earlier steps' outputs; `slot` (as `<C2>`) is filled by an attribute, '' for none."""

    module: str
    inputs: tuple[int, ...]
    slot: str = ""

    @property
    def domain(self) -> tuple[str, ...]:
        return DOMAINS[self.slot[1]] if self.slot else ()


@dataclass(frozen=True)
class Template:
    """One kind of question; `family` is its index in the official file of its question type."""

    name: str
    answer_type: str  # Boolean, Count, Color or Shape
    is_asked: bool
    texts: tuple[str, ...]
    program: tuple[ProgramStep, ...]

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
    """All templates by name, in the order in which a video's questions are numbered."""
    read = json.loads((DATA / "templates.json").read_text(encoding="utf-8"))
    return {
        one["id"]: Template(
            one["id"], one["answer"], one["is_asked"], tuple(one["texts"]), tuple(map(_step, one["program"]))
        )
        for one in read
    }


def _step(text: str) -> ProgramStep:
    module, *rest = text.split()
    slot = rest.pop() if rest and rest[-1].startswith("<") else ""
    return ProgramStep(module, tuple(map(int, rest)), slot)


@cache
def synonyms() -> dict[str, tuple[str, ...]]:
    """Each word with its synonyms, itself included, all equally likely."""
    read = json.loads((DATA / "synonyms.json").read_text(encoding="utf-8"))
    return {word: tuple(choices) for word, choices in read.items()}
