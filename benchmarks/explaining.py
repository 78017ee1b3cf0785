"""Why the answer is what it is, for whoever asked for it: the question's program step by step, and what led to what."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.media_store import staging, store, variation_name
from benchmarks.models import Clip, Item
from scenes.craft.explaining import Chain, Mark, NotExplained, StepShown, chain_of, explained, name_of, thought_away
from scenes.craft.records import BadRecord, case_from, graph_from
from scenes.craft.run import Case
from scenes.craft.thing import Thing

WIDTH, LABEL, ROW, EDGE = 720, 170, 34, 12  # of the drawing, in its own pixels
DOT, BOW = 5, 12  # a dot's radius, and how far an arrow along a row leaves it
TICKS = (0, 100, 200, 300, 400, 500, 600)


@dataclass(frozen=True)
class Dot:
    """One event on one thing's row."""

    x: float
    y: float
    kind: str
    words: str


@dataclass(frozen=True)
class Drawing:
    """What happened to whom, from left to right; `links` join the rows of what happened to two things at once."""

    height: int
    rows: tuple[tuple[str, str, float, int], ...]  # name, colour, y, where its line begins
    links: tuple[tuple[float, float, float], ...]  # x, from, to
    leads: tuple[str, ...]  # an arrow's path each, from what led to what
    dots: tuple[Dot, ...]
    ticks: tuple[tuple[float, int], ...]


@dataclass(frozen=True)
class Why:
    """All that an item's page shows of it."""

    steps: tuple[StepShown, ...]
    drawing: Drawing
    events: tuple[tuple[str, tuple[int, ...]], ...]  # in words, and the numbers of those that led to it
    gone: tuple[tuple[int, str], ...]  # what the question thinks away: uid and name


def why(item: Item) -> Why | None:
    """None where nothing is known of the clip, or of how the question was made."""
    if item.clip is None or (program := _program(item, item.clip)) is None:
        return None
    try:
        record = record_of(item.clip)
        case = case_from(record)
        steps, gone = explained(program, case), thought_away(program, case)
        chain = chain_of(case.original, graph_from(record))
    except (OSError, ValueError, BadRecord, NotExplained):
        return None
    causes = (tuple(cause + 1 for cause in chain.causes(place)) for place in range(len(chain.marks)))
    events = tuple(zip((mark.words for mark in chain.marks), causes, strict=True))
    return Why(tuple(steps), drawn(chain), events, tuple((thing.uid, name_of(thing)) for thing in gone))


def _program(item: Item, clip: Clip) -> list[dict[str, Any]] | None:
    programs = clip.facts.get("programs")
    found = programs.get(item.key.partition("/")[2]) if isinstance(programs, dict) else None
    return found if isinstance(found, list) else None


def case_of(clip: Clip) -> Case:
    """What happened in the clip and what would have; raises OSError, ValueError or BadRecord."""
    return case_from(record_of(clip))


def record_of(clip: Clip) -> Any:
    """The same as it is written; raises OSError or ValueError."""
    return json.loads(store().local(clip.trajectory).read_text(encoding="utf-8"))


def drawn(chain: Chain) -> Drawing:
    def at(step: int) -> float:
        return round(LABEL + (WIDTH - LABEL - EDGE) * step / chain.steps, 1)

    heights = [ROW * row + ROW / 2 for row in range(len(chain.names))]
    dots = [Dot(at(mark.step), heights[row], mark.kind, mark.words) for mark in chain.marks for row in mark.things]
    links = [
        (at(mark.step), heights[min(mark.things)], heights[max(mark.things)])
        for mark in chain.marks
        if len(mark.things) > 1
    ]
    return Drawing(
        height=ROW * len(chain.names) + ROW,
        rows=tuple((n, c, y, LABEL) for n, c, y in zip(chain.names, chain.looks, heights, strict=True)),
        links=tuple(links),
        leads=tuple(_arrow(chain.marks[first], chain.marks[second], at, heights) for first, second in chain.leads),
        dots=tuple(dots),
        ticks=tuple((at(step), step) for step in TICKS),
    )


def _arrow(cause: Mark, outcome: Mark, at: Callable[[int], float], heights: Sequence[float]) -> str:
    """A bow along the row of the thing that both happened to, or straight from one row to another."""
    same = sorted({*cause.things} & {*outcome.things})
    first, second = (same[0], same[0]) if same else (cause.things[0], outcome.things[0])
    x, y, to_x, to_y = at(cause.step), heights[first], at(outcome.step), heights[second]
    if first != second:
        return f"M{x} {y}L{to_x} {to_y}"
    bow = min(BOW, (to_x - x) / 2)
    return f"M{x} {y - DOT}Q{(x + to_x) / 2:.1f} {y - DOT - bow:.1f} {to_x} {y - DOT}"


def film_without(clip: Clip, uid: int) -> str:
    """The stored name of the clip of what would have happened without this thing; filmed when first asked for."""
    name = variation_name(f"{Path(clip.trajectory).stem}-{uid}.mp4")
    if store().size(name) is not None:
        return name
    from scenes.craft.case import removed
    from scenes.craft.filming import film
    from scenes.craft.physics import simulate

    things: tuple[Thing, ...] = case_of(clip).original.start
    if uid not in {thing.uid for thing in things if thing.is_dynamic}:
        raise FileNotFoundError(f"nothing that can move has the number {uid}")
    with staging() as folder:
        made = folder / Path(name).name
        film(simulate(removed(things, uid), keeps_poses=True), made, edge=clip.width, fps=round(clip.fps))
        store().put({made: name})
    return name
