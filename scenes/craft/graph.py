"""Events -> which led to which, by the benchmark's rules. Questions never look at it; people do."""

from dataclasses import dataclass

from scenes.craft.events import END, START, Event
from scenes.craft.run import STEPS, Run


@dataclass(frozen=True)
class Graph:
    """`events` by step with start first and end last; `edges` from a place in it to others, by who is reached first."""

    events: tuple[Event, ...]
    edges: tuple[tuple[int, tuple[int, ...]], ...]


def ordered(run: Run, steps: int = STEPS) -> tuple[Event, ...]:
    """All events by step, those of one step as they became known, between start and end."""
    return (Event(-1, START), *sorted(run.events, key=lambda event: event.step), Event(steps, END))


def graph_of(run: Run, steps: int = STEPS) -> Graph:
    """Each event follows from the last one before it of each thing that takes part and can move."""
    numbers = sorted(range(len(run.events)), key=lambda number: run.events[number].step)  # stable, as in `ordered`
    place = {number: at for at, number in enumerate(numbers, 1)}
    dynamic = {thing.uid for thing in run.dynamic}
    own = _own_events(run)
    leads: dict[int, list[int]] = {0: []}
    for number in numbers:
        event = run.events[number]
        before = [_before(run, own[uid], event) for uid in event.objects if uid in dynamic]
        for cause in sorted({place[number] for number in before if number is not None}) or [0]:
            leads.setdefault(cause, []).append(place[number])
    end = len(run.events) + 1
    lasts = sorted({place[numbers[-1]] for numbers in own.values()}) or [0]
    for last in lasts:
        leads.setdefault(last, []).append(end)
    return Graph(ordered(run, steps), tuple(_walk(leads)))


def _own_events(run: Run) -> dict[int, list[int]]:
    """Each thing's events as they became known: a collision is known when it ends, and dated when it began."""
    own: dict[int, list[int]] = {}
    for number, event in enumerate(run.events):
        for uid in event.objects:
            own.setdefault(uid, []).append(number)
    return own


def _before(run: Run, own: list[int], event: Event) -> int | None:
    """What happened to this thing just before the first of its events that is not earlier than this one."""
    first = next(at for at, number in enumerate(own) if run.events[number].step >= event.step)
    return own[first - 1] if first else None


def _walk(leads: dict[int, list[int]]) -> list[tuple[int, tuple[int, ...]]]:
    """What each event led to, in the order in which a walk from the start first comes to it, deep before broad."""
    found: dict[int, tuple[int, ...]] = {}
    waiting = [0]
    while waiting:
        at = waiting.pop()
        if at not in found:
            found[at] = tuple(leads.get(at, ()))
            waiting += reversed(found[at])
    return list(found.items())
