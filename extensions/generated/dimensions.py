"""What raters and judges are asked about a generated clip, and the published sets of such questions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean
from typing import Any

FEWEST, MOST = 2, 7  # options of a question


class BadDimensionError(ValueError):
    """A `[[dimensions]]` table that can't be used; the message names it and what is wrong."""


@dataclass(frozen=True)
class RatedDimension:
    """One question about a clip; `anchors` are the words of each step, the lowest first.

    With `laws` it is asked only about prompts that name one of them, else about every prompt.
    """

    name: str
    title: str
    question: str
    anchors: tuple[str, ...]
    lowest: int = 1
    is_prompt_shown: bool = False
    may_be_unknown: bool = True  # raters may say that it can't be told
    laws: tuple[str, ...] = ()

    @property
    def steps(self) -> range:
        return range(self.lowest, self.lowest + len(self.anchors))

    def applies_to(self, laws: Iterable[str]) -> bool:
        return not self.laws or bool(set(self.laws) & set(laws))


def read_dimensions(tables: Iterable[Mapping[str, Any]]) -> tuple[RatedDimension, ...]:
    """The dimensions of a prompt pack's file, those with a hidden prompt first.

    Raises BadDimensionError for a table without a name, question or 2 to 7 anchors, and for a name given twice.
    """
    found: dict[str, RatedDimension] = {}
    for number, table in enumerate(tables, 1):
        dimension = _read(table, f"dimensions, table {number}")
        if dimension.name in found:
            raise BadDimensionError(f"dimensions, table {number}: {dimension.name!r} is there already")
        found[dimension.name] = dimension
    return tuple(sorted(found.values(), key=lambda dimension: dimension.is_prompt_shown))


def _read(table: Mapping[str, Any], place: str) -> RatedDimension:
    for key in ("name", "question"):
        if not (isinstance(table.get(key), str) and table[key].strip()):
            raise BadDimensionError(f"{place}: {key} is missing")
    anchors = table.get("anchors", ())
    if not (isinstance(anchors, list | tuple) and FEWEST <= len(anchors) <= MOST):
        raise BadDimensionError(f"{place}: anchors must be the words of {FEWEST} to {MOST} steps")
    known = {"name", "title", "question", "anchors", "lowest", "prompt_shown", "unknown", "laws"}
    if unknown := sorted(set(table) - known):
        raise BadDimensionError(f"{place}: {unknown[0]} is not a key; there are {', '.join(sorted(known))}")
    return RatedDimension(
        name=table["name"].strip(),
        title=str(table.get("title") or table["name"]),
        question=table["question"].strip(),
        anchors=tuple(map(str, anchors)),
        lowest=int(table.get("lowest", 1)),
        is_prompt_shown=bool(table.get("prompt_shown", False)),
        may_be_unknown=bool(table.get("unknown", True)),
        laws=tuple(table.get("laws", ())),
    )


def _scale(name: str, title: str, question: str, **more: Any) -> RatedDimension:
    return RatedDimension(name, title, question, ("None of it", "Little", "Half", "Most", "All of it"), **more)


# PhyGround (arXiv 2605.10806): three general dimensions, and 13 laws of which a prompt has two to four.
DOMAINS = {
    "Solid-Body": ("gravity", "inertia", "momentum", "impenetrability", "collision", "material"),
    "Fluid": ("buoyancy", "displacement", "flow_dynamics", "boundary_interaction", "fluid_continuity"),
    "Optical": ("reflection", "shadow"),
}
GENERAL = (
    _scale("persistence", "Things stay things", "Do things keep their number, shape and identity?"),
    _scale("SA", "Fits the prompt", "Does the clip show what the prompt says?", is_prompt_shown=True),
    _scale("PTV", "Order of events", "Do events happen in a possible order?", is_prompt_shown=True),
)
PHYGROUND = (
    *(
        _scale(law, law.replace("_", " ").capitalize(), f"Does the clip obey {law.replace('_', ' ')}?", laws=(law,))
        for laws in DOMAINS.values()
        for law in laws
    ),
    *GENERAL,
)
# VideoPhy-2 (arXiv 2503.06800): the prompt is hidden for physics.
VIDEOPHY = (
    _scale("PC", "Plausibility", "Does the clip obey the laws of physics, whatever it shows?"),
    _scale("SA", "Fits the prompt", "Does the clip show what the prompt says?", is_prompt_shown=True),
)
PRESETS = {"phyground": PHYGROUND, "videophy-2": VIDEOPHY}


def phyground_overall(general: Mapping[str, float], laws: Mapping[str, Iterable[float]]) -> float | None:
    """Half the mean of the three general means, half the mean over all (clip, law) scores (arXiv 2605.10806).

    The paper weighs its three domains by their numbers of scores, which is the mean over all of them. None if one of
    the two halves is missing.
    """
    of_laws = [score for scores in laws.values() for score in scores]
    if not of_laws or set(general) < {dimension.name for dimension in GENERAL}:
        return None
    return (fmean(general[dimension.name] for dimension in GENERAL) + fmean(of_laws)) / 2
