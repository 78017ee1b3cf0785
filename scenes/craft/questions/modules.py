"""The functions of question programs, by name; sets contain uids, events are ordered by step."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from scenes.craft.questions.graph import ordered
from scenes.craft.world.run import COLLISION, ENTER, Case, CollisionEvent, SimulatedRun

Things = frozenset[int]
Events = tuple[CollisionEvent, ...]
FIRST_STATE, LAST_STATE = 0, -1


class NoAnswer(Exception):
    """The question has no answer in this case: what it mentions is missing or not unique."""


@dataclass(frozen=True)
class CaseFacts:
    """A case as programs see it."""

    case: Case

    @cached_property
    def events(self) -> Events:
        return ordered(self.case.original)

    @cached_property
    def events_without(self) -> dict[int, Events]:
        return {uid: ordered(run) for uid, run in self.case.without.items()}

    @cached_property
    def dynamic(self) -> Things:
        return frozenset(thing.uid for thing in self.run.dynamic)

    @cached_property
    def ground(self) -> int:
        return next(thing.uid for thing in self.run.start if thing.shape == "ground")

    @cached_property
    def moving(self) -> dict[int, Things]:
        """The moving things in the first and in the last state."""
        states = {FIRST_STATE: self.run.start, LAST_STATE: self.run.end}
        return {at: frozenset(thing.uid for thing in things if thing.is_moving) for at, things in states.items()}

    @cached_property
    def looks(self) -> dict[int, dict[str, str]]:
        return {
            thing.uid: {"size": thing.size, "color": thing.colour, "shape": thing.shape} for thing in self.run.start
        }

    @property
    def run(self) -> SimulatedRun:
        return self.case.original


Module = Callable[..., Any]


def _all(facts: CaseFacts) -> Things:
    return frozenset(facts.looks)


def _filter_by(attribute: str) -> Module:
    return lambda facts, things, value: frozenset(uid for uid in things if facts.looks[uid][attribute] == value)


def _query(attribute: str) -> Module:
    return lambda facts, thing: facts.looks[thing][attribute]


def _unique(facts: CaseFacts, things: Things) -> int:
    if len(things) != 1:
        raise NoAnswer(f"{len(things)} things where one is meant")
    return next(iter(things))


def _end_of(place: int) -> Module:
    def pick(facts: CaseFacts, events: Events) -> CollisionEvent:
        if not events:
            raise NoAnswer("no such event")
        return events[place]

    return pick


def _collisions(facts: CaseFacts, events: Events) -> Events:
    """Collisions of two things that can both move."""
    return tuple(event for event in events if event.type == COLLISION and facts.dynamic.issuperset(event.objects))


def _hits_ground(facts: CaseFacts, events: Events) -> Events:
    return tuple(event for event in events if event.type == COLLISION and facts.ground in event.objects)


def _hits_basket(facts: CaseFacts, events: Events) -> Events:
    baskets = {uid for uid, look in facts.looks.items() if look["shape"] == "basket"}
    return tuple(event for event in events if event.type == COLLISION and baskets.intersection(event.objects))


def _enters(facts: CaseFacts, events: Events) -> Events:
    return tuple(event for event in events if event.type == ENTER)


def _participants(facts: CaseFacts, events: Events) -> Things:
    return frozenset(uid for event in events for uid in event.objects)


def _partner(facts: CaseFacts, thing: int, event: CollisionEvent) -> int:
    return next(uid for uid in event.objects if uid != thing)


def _without(facts: CaseFacts, thing: int) -> Events:
    return facts.events_without[thing]


def _on_each(module: Module) -> Module:
    return lambda facts, sets, *others: tuple(module(facts, one, *others) for one in sets)


MODULES: dict[str, Module] = {
    "start_scene": _all,
    "end_scene": _all,
    "start_scene_step": lambda facts: FIRST_STATE,
    "end_scene_step": lambda facts: LAST_STATE,
    "events": lambda facts: facts.events,
    "filter_size": _filter_by("size"),
    "filter_color": _filter_by("color"),
    "filter_shape": _filter_by("shape"),
    "unique": _unique,
    "as_list": lambda facts, thing: frozenset([thing]),
    "intersect": lambda facts, one, other: one & other,
    "intersect_list": _on_each(lambda facts, one, other: one & other),
    "difference": lambda facts, one, other: one - other,
    "count": lambda facts, things: len(things),
    "exist": lambda facts, things: bool(things),
    "event_exist": lambda facts, events: bool(events),
    "exist_list": _on_each(lambda facts, things: bool(things)),
    "any_true": lambda facts, truths: any(truths),
    "filter_dynamic_objects": lambda facts, things: things & facts.dynamic,
    "filter_moving_objects": lambda facts, things, at: things & facts.moving[at],
    "filter_stationary_objects": lambda facts, things, at: things - facts.moving[at],
    "filter_events": lambda facts, events, thing: tuple(event for event in events if thing in event.objects),
    "filter_collision_with_dynamics": _collisions,
    "filter_collide_ground": _hits_ground,
    "filter_collide_ground_list": _on_each(_hits_ground),
    "filter_collide_basket": _hits_basket,
    "filter_collide_basket_list": _on_each(_hits_basket),
    "filter_enter_container": _enters,
    "filter_enter_container_list": _on_each(_enters),
    "filter_objects_from_events": _participants,
    "filter_objects_from_events_list": _on_each(_participants),
    "filter_first": _end_of(0),
    "filter_last": _end_of(-1),
    "filter_before": lambda facts, events, mark: tuple(event for event in events if event.step < mark.step),
    "filter_after": lambda facts, events, mark: tuple(event for event in events if event.step > mark.step),
    "is_before": lambda facts, one, other: one.step < other.step,
    "event_partner": _partner,
    "query_color": _query("color"),
    "query_shape": _query("shape"),
    "counterfact_events": _without,
    "counterfact_events_list": lambda facts, things: tuple(_without(facts, thing) for thing in sorted(things)),
}
