"""Explains a question's program step by step with each step's result, and lays out the events as a diagram."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scenes.craft.questions.graph import Graph
from scenes.craft.questions.modules import MODULES, CaseFacts, NoAnswer
from scenes.craft.world.run import (
    COLLISION,
    END,
    ENTER,
    START,
    STEPS,
    TOUCH,
    TOUCH_END,
    Case,
    CollisionEvent,
    SimulatedRun,
    Thing,
)

MOST_LISTED = 6  # entries of a long list
WORDS = {
    "start_scene": "everything at the start", "end_scene": "everything at the end",
    "start_scene_step": "the first moment", "end_scene_step": "the last moment",
    "events": "everything that happened",
    "filter_size": "those of size {}", "filter_color": "those of colour {}", "filter_shape": "those of shape {}",
    "unique": "the only one", "as_list": "it alone",
    "intersect": "those in both", "difference": "the first without the second",
    "count": "how many", "exist": "is there any?", "event_exist": "is there any?",
    "any_true": "is it so at least once?",
    "filter_dynamic_objects": "those that can move",
    "filter_moving_objects": "those that are moving then",
    "filter_stationary_objects": "those that are not moving then",
    "filter_events": "what happened to it", "filter_collision_with_dynamics": "collisions of two things that can move",
    "filter_collide_ground": "collisions with the ground", "filter_collide_basket": "collisions with the basket",
    "filter_enter_container": "entries into the basket", "filter_objects_from_events": "who took part",
    "filter_first": "the first", "filter_last": "the last",
    "filter_before": "those before it", "filter_after": "those after it",
    "is_before": "is the first before the second?", "event_partner": "the other one",
    "query_color": "its colour", "query_shape": "its shape",
    "counterfact_events": "what would happen without it",
}  # fmt: skip
ON_EACH = "_list"  # suffix of a function that works on one result for each variation
EVENT_WORDS = {
    START: "start",
    END: "end",
    COLLISION: "collision",
    TOUCH: "touch",
    TOUCH_END: "end of a touch",
    ENTER: "entry into the basket",
}
FIXED_WORDS = {"wall_l": "left wall", "wall_r": "right wall", "static_ball": "ball"}
EACH, OF_THINGS, BOTH, NAME = (
    "{step}, each time",
    "{event} of {things}",
    "{first} and {second}",
    "{size} {colour} {shape}",
)
EVENTS, THINGS, NOTHING, ANSWERS = "{count} events", "{count} of them", "none", {True: "yes", False: "no"}


class NotExplained(ValueError):
    """The program can't be followed: it belongs to another benchmark or another video."""


@dataclass(frozen=True)
class DisplayedStep:
    """One step in words; `takes` are the numbers, from 1, of the earlier steps that it uses."""

    number: int
    words: str
    takes: tuple[int, ...]
    result: str


@dataclass(frozen=True)
class DiagramEvent:
    """An event in the causal diagram; `things` are rows, from 0, of the things that can move."""

    step: int
    kind: str
    words: str
    things: tuple[int, ...]


@dataclass(frozen=True)
class Chain:
    """The causal diagram: a row for each movable thing, its events as marks, and causal links between marks."""

    names: tuple[str, ...]
    looks: tuple[str, ...]  # their colours
    events: tuple[DiagramEvent, ...]
    leads: tuple[tuple[int, int], ...]  # indices of two marks, of which the first led to the second
    steps: int = STEPS

    def causes(self, place: int) -> tuple[int, ...]:
        """Indices of the marks that led to this one."""
        return tuple(first for first, second in self.leads if second == place)


def name_of(thing: Thing) -> str:
    if not thing.is_dynamic:
        return FIXED_WORDS.get(thing.shape, thing.shape)
    return NAME.format(size=thing.size, colour=thing.colour, shape=thing.shape)


def explained(program: Sequence[Mapping[str, Any]], case: Case) -> tuple[list[DisplayedStep], tuple[Thing, ...]]:
    """Every step of an official program (`type`, `inputs`, `value_inputs`) in words, and the things that it removes;
    raises NotExplained.
    """
    facts, outputs, steps, gone = CaseFacts(case), list[Any](), list[DisplayedStep](), list[int]()
    for number, step in enumerate(program, 1):
        try:
            kind, inputs, values = step["type"], tuple(step["inputs"]), tuple(step["value_inputs"])
            arguments = [outputs[place] for place in inputs]
            outputs.append(MODULES[kind](facts, *arguments, *values))
            words = _event_name(kind).format(*values)
        except (KeyError, IndexError, TypeError, NoAnswer) as error:
            raise NotExplained(f"step {number}: {error!r}") from None
        result = _event_sentence(kind, outputs[-1], case.original)
        steps.append(DisplayedStep(number, words, tuple(place + 1 for place in inputs), result))
        if kind == "counterfact_events":
            gone.append(arguments[0])
        elif kind == "counterfact_events_list":
            gone += sorted(arguments[0])
    return steps, tuple(case.original.thing(uid) for uid in gone)


def chain_of(run: SimulatedRun, graph: Graph) -> Chain:
    """The diagram of the events, without the many touches that involve only walls and platforms."""
    rows = {thing.uid: row for row, thing in enumerate(run.dynamic)}
    things = {thing.uid for thing in run.start if thing.is_dynamic or thing.shape in ("ground", "basket")}
    events = [
        place
        for place, event in enumerate(graph.events)
        if event.objects and event.type != TOUCH_END and things.issuperset(event.objects)
    ]
    marks = [
        DiagramEvent(event.step, event.type, f"{event.step}: {_event(event, run)}", _rows(event, rows))
        for event in (graph.events[place] for place in events)
    ]
    looks = tuple(thing.colour for thing in run.dynamic)
    return Chain(tuple(name_of(thing) for thing in run.dynamic), looks, tuple(marks), tuple(_leads(graph, events)))


def _leads(graph: Graph, numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pairs of shown events where one led to the other, directly or through events that are not shown."""
    mark = {place: number for number, place in enumerate(numbers)}
    after = dict(graph.edges)
    for place in numbers:
        found: set[int] = set()
        waiting = list(after.get(place, ()))
        while waiting:
            at = waiting.pop()
            if at not in found:
                found.add(at)
                waiting += () if at in mark else after.get(at, ())
        yield from ((mark[place], mark[at]) for at in sorted(found & mark.keys()))


def _rows(event: CollisionEvent, rows: Mapping[int, int]) -> tuple[int, ...]:
    return tuple(rows[uid] for uid in event.objects if uid in rows)


# --- a step and its result, in words ---


def _event_name(kind: str) -> str:
    return WORDS[kind] if kind in WORDS else EACH.format(step=WORDS[kind.removesuffix(ON_EACH)])


def _event_sentence(kind: str, result: Any, run: SimulatedRun) -> str:
    if isinstance(result, bool):
        return ANSWERS[result]
    if kind in ("start_scene_step", "end_scene_step"):
        return ""
    if kind in ("unique", "event_partner"):
        return name_of(run.thing(result))
    if isinstance(result, frozenset):
        return _enumeration(name_of(run.thing(uid)) for uid in sorted(result))
    if isinstance(result, CollisionEvent):
        return _event(result, run)
    if isinstance(result, tuple):
        return _each(kind, result, run)
    return str(result)


def _each(kind: str, results: tuple[Any, ...], run: SimulatedRun) -> str:
    """Events in their order, or one result for each variation."""
    if all(isinstance(one, CollisionEvent) for one in results):
        happened = [event for event in results if event.type not in (START, END)]
        # A long list becomes a number: the diagram below shows all of it.
        if len(happened) > MOST_LISTED:
            return EVENTS.format(count=len(happened))
        return _enumeration(_event(event, run) for event in happened)
    return "; ".join(_event_sentence(kind, one, run) for one in results)


def _event(event: CollisionEvent, run: SimulatedRun) -> str:
    names = [name_of(run.thing(uid)) for uid in event.objects if run.thing(uid).shape != "basket"]
    words = EVENT_WORDS.get(event.type, event.type)
    if not names:
        return words
    things = BOTH.format(first=", ".join(names[:-1]), second=names[-1]) if len(names) > 1 else names[0]
    return OF_THINGS.format(event=words, things=things)


def _enumeration(names: Iterable[str]) -> str:
    found = list(names)
    if not found:
        return NOTHING
    return ", ".join(found) if len(found) <= MOST_LISTED else THINGS.format(count=len(found))
