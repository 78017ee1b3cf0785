"""Events -> their causal graph by the benchmark's rules; shown to people, never used for questions."""

from dataclasses import dataclass

from scenes.craft.world.run import END, START, STEPS, CollisionEvent, SimulatedRun


@dataclass(frozen=True)
class Graph:
    """`events` by step, start first and end last; `edges` from an event's index to others, in the order of a walk."""

    events: tuple[CollisionEvent, ...]
    edges: tuple[tuple[int, tuple[int, ...]], ...]


def ordered(run: SimulatedRun) -> tuple[CollisionEvent, ...]:
    """All events by step, and within a step in the order in which they became known, between start and end."""
    return (CollisionEvent(-1, START), *sorted(run.events, key=lambda event: event.step), CollisionEvent(STEPS, END))


def graph_of(run: SimulatedRun) -> Graph:
    """Connect each event with the last earlier event of each movable thing in it."""
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
    return Graph(ordered(run), tuple(_walk(leads)))


def _own_events(run: SimulatedRun) -> dict[int, list[int]]:
    """Each thing's events in the order in which they became known; a collision is dated at its start but known at its
    end.
    """
    own: dict[int, list[int]] = {}
    for number, event in enumerate(run.events):
        for uid in event.objects:
            own.setdefault(uid, []).append(number)
    return own


def _before(run: SimulatedRun, own: list[int], event: CollisionEvent) -> int | None:
    """The thing's last event before the first of its events that is not earlier than this one, or None."""
    first = next(at for at, number in enumerate(own) if run.events[number].step >= event.step)
    return own[first - 1] if first else None


def _walk(leads: dict[int, list[int]]) -> list[tuple[int, tuple[int, ...]]]:
    """The events that each event led to, in the order of a depth-first walk from the start."""
    found: dict[int, tuple[int, ...]] = {}
    waiting = [0]
    while waiting:
        at = waiting.pop()
        if at not in found:
            found[at] = tuple(leads.get(at, ()))
            waiting += reversed(found[at])
    return list(found.items())
