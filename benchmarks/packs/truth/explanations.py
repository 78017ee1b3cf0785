"""Explains the answer of a CRAFT item: the steps of the question's program, and a diagram of causes and effects."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.models import Clip, Item
from benchmarks.storage.store import staging, store, variation_name
from scenes.craft.questions.explaining import (
    Chain,
    DiagramEvent,
    DisplayedStep,
    NotExplained,
    chain_of,
    explained,
    name_of,
)
from scenes.craft.records import BadRecord, case_from, graph_from
from scenes.craft.world.run import Case, Thing

WIDTH, LABEL, ROW, EDGE = 720, 170, 34, 12  # sizes of the drawing in pixels
DOT, BOW = 5, 12  # radius of a dot, and height of an arrow's bow above its row
TICKS = range(0, 601, 100)


@dataclass(frozen=True)
class EventDot:
    """One event on the row of one object."""

    x: float
    y: float
    kind: str
    words: str


@dataclass(frozen=True)
class CausalDiagram:
    """Events per object over time, from left to right; `links` join the two rows of an event between two objects."""

    height: int
    rows: tuple[tuple[str, str, float, int], ...]  # name, colour, y, x where its line begins
    links: tuple[tuple[float, float, float], ...]  # x, from, to
    leads: tuple[str, ...]  # SVG paths of the arrows from cause to effect
    dots: tuple[EventDot, ...]
    ticks: tuple[tuple[float, int], ...]


@dataclass(frozen=True)
class Why:
    """The explanation for an item's page."""

    steps: tuple[DisplayedStep, ...]
    drawing: CausalDiagram
    events: tuple[tuple[str, tuple[int, ...]], ...]  # each event in words, with the numbers of its causes
    gone: tuple[tuple[int, str], ...]  # objects removed by the question: uid and name


def why(item: Item) -> Why | None:
    """The explanation of this item; None if the clip's events or the question's program are unknown."""
    if item.clip is None or (program := _program(item, item.clip)) is None:
        return None
    try:
        record = record_of(item.clip)
        case = case_from(record)
        steps, gone = explained(program, case)
        chain = chain_of(case.original, graph_from(record))
    except (OSError, ValueError, BadRecord, NotExplained):
        return None
    causes = (tuple(cause + 1 for cause in chain.causes(place)) for place in range(len(chain.events)))
    events = tuple(zip((mark.words for mark in chain.events), causes, strict=True))
    return Why(tuple(steps), causal_diagram(chain), events, tuple((thing.uid, name_of(thing)) for thing in gone))


def _program(item: Item, clip: Clip) -> list[dict[str, Any]] | None:
    programs = clip.facts.get("programs")
    found = programs.get(item.key.partition("/")[2]) if isinstance(programs, dict) else None
    return found if isinstance(found, list) else None


def case_of(clip: Clip) -> Case:
    """The clip's simulation and its counterfactuals; raises OSError, ValueError or BadRecord."""
    return case_from(record_of(clip))


def record_of(clip: Clip) -> Any:
    """The clip's record of events as stored; raises OSError or ValueError."""
    return json.loads(store().local(clip.trajectory).read_text(encoding="utf-8"))


def causal_diagram(chain: Chain) -> CausalDiagram:
    def at(step: int) -> float:
        return round(LABEL + (WIDTH - LABEL - EDGE) * step / chain.steps, 1)

    heights = [ROW * row + ROW / 2 for row in range(len(chain.names))]
    dots = [
        EventDot(at(mark.step), heights[row], mark.kind, mark.words) for mark in chain.events for row in mark.things
    ]
    links = [
        (at(mark.step), heights[min(mark.things)], heights[max(mark.things)])
        for mark in chain.events
        if len(mark.things) > 1
    ]
    return CausalDiagram(
        height=ROW * len(chain.names) + ROW,
        rows=tuple((n, c, y, LABEL) for n, c, y in zip(chain.names, chain.looks, heights, strict=True)),
        links=tuple(links),
        leads=tuple(_arrow(chain.events[first], chain.events[second], at, heights) for first, second in chain.leads),
        dots=tuple(dots),
        ticks=tuple((at(step), step) for step in TICKS),
    )


def _arrow(cause: DiagramEvent, outcome: DiagramEvent, at: Callable[[int], float], heights: Sequence[float]) -> str:
    """SVG path of an arrow: a bow along the row of an object in both events, else a straight line."""
    same = sorted({*cause.things} & {*outcome.things})
    first, second = (same[0], same[0]) if same else (cause.things[0], outcome.things[0])
    x, y, to_x, to_y = at(cause.step), heights[first], at(outcome.step), heights[second]
    if first != second:
        return f"M{x} {y}L{to_x} {to_y}"
    bow = min(BOW, (to_x - x) / 2)
    return f"M{x} {y - DOT}Q{(x + to_x) / 2:.1f} {y - DOT - bow:.1f} {to_x} {y - DOT}"


def film_without(clip: Clip, uid: int) -> str:
    """Stored name of the clip without this object; rendered on the first request.

    Raises FileNotFoundError if there is no such object, or if its circles have more corners than this Box2D supports.
    """
    name = variation_name(f"{Path(clip.trajectory).stem}-{uid}.mp4")
    if store().size(name) is not None:
        return name
    from scenes.craft.filming import film
    from scenes.craft.world.physics import TooManyCorners, removed, simulate

    things: tuple[Thing, ...] = case_of(clip).original.start
    if uid not in {thing.uid for thing in things if thing.is_dynamic}:
        raise FileNotFoundError(f"nothing that can move has the number {uid}")
    try:
        run = simulate(removed(things, uid), keeps_poses=True)
    except TooManyCorners as why:
        raise FileNotFoundError(str(why)) from None
    with staging() as folder:
        made = folder / Path(name).name
        film(run, made, edge=clip.width, fps=round(clip.fps))
        store().put({made: name})
    return name
