"""Runs and cases to and from the JSON of the official release.

Numbers are written in the shortest form that round-trips in single precision, so a run from a written state is the
same.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from scenes.craft.questions.graph import Graph, graph_of, ordered
from scenes.craft.world.catalogue import DENSITY, FRICTION, RESTITUTION
from scenes.craft.world.run import END, START, STEPS, Case, CollisionEvent, SimulatedRun, Thing

Record = dict[str, Any]

DIRECTIONS = {"left": [-1, 0], "right": [1, 0], "above": [0, 1], "below": [0, -1]}


class BadRecord(ValueError):
    """Not the JSON of a run; the message says what is wrong."""


def case_record(case: Case, video: str) -> Record:
    """The original run, its variations, and the events that each thing enables or prevents."""
    return {
        "original_video_output": run_record(case.original, video),
        "variations_outputs": {str(uid): run_record(run, video) for uid, run in case.without.items()},
        "enables": list(_missing(case.original, case.without, of_variation=False)),
        "prevents": list(_missing(case.original, case.without, of_variation=True)),
    }


def run_record(run: SimulatedRun, video: str) -> Record:
    graph = graph_of(run)
    return {
        "causal_graph": {
            "nodes": [
                {"id": place, "step": event.step, "type": event.type, "objects": list(event.objects)}
                for place, event in enumerate(graph.events)
            ],
            "edges": [{"from": place, "to": list(after)} for place, after in graph.edges],
            "vis": _dot(graph, run),
        },
        "scene_states": [
            {"step": step, "scene": {"objects": [_thing_record(thing) for thing in things], "directions": DIRECTIONS}}
            for step, things in ((0, run.start), (STEPS, run.end))
        ],
        "video_filename": video,
    }


def _missing(original: SimulatedRun, without: Mapping[int, SimulatedRun], *, of_variation: bool) -> Iterator[Record]:
    """Events of one run that the other lacks, by type and things; platforms and the removed thing are ignored."""
    platforms = {thing.uid for thing in original.start if thing.shape == "platform"}
    for uid, run in without.items():
        here, there = (run, original) if of_variation else (original, run)
        known = {(event.type, frozenset(event.objects)) for event in there.events}
        for place, event in enumerate(ordered(here)):
            own = set(event.objects)
            if own and not own & {uid, *platforms} and (event.type, frozenset(own)) not in known:
                yield {str(uid): place}


def _dot(graph: Graph, run: SimulatedRun) -> str:
    """The graph in Graphviz's DOT language."""
    looks = {thing.uid: f"{thing.colour} {thing.shape}" for thing in run.start}
    nodes = (
        f'{place} [label="{" | ".join([event.type, *(looks[uid] for uid in event.objects)])}"];'
        for place, event in enumerate(graph.events)
    )
    edges = (f"{place} -> {after};" for place, afters in graph.edges for after in afters)
    return f"digraph d {{{' '.join((*nodes, *edges))}}}"


def _thing_record(thing: Thing) -> Record:
    mass, inertia = mass_of(thing)
    return {
        "uniqueID": thing.uid, "shape": thing.shape, "color": thing.colour, "size": thing.size,
        "bodyType": 2 if thing.is_dynamic else 0, "active": True,
        "2dCoords": _shortest(thing.position), "angle": _short(thing.angle),
        "2dLinearVelocity": _shortest(thing.velocity), "angularVelocity": _short(thing.spin),
        "linearDamping": 0.0, "angularDamping": 0.0, "gravityScale": 1.0, "bullet": False, "allowSleep": True,
        "awake": thing.is_awake, "fixedRotation": False,
        "friction": FRICTION, "restitution": RESTITUTION, "density": DENSITY,
        "massData-mass": _short(mass), "massData-centerX": 0.0, "massData-centerY": 0.0, "massData-I": _short(inertia),
        **({"corners": thing.corners} if thing.corners else {}),
    }  # fmt: skip


def mass_of(thing: Thing) -> tuple[float, float]:
    """Kilograms, and kilogram square metres about the centre; zeros for a thing that can't move."""
    outline = thing.outline
    if not thing.is_dynamic:
        return 0.0, 0.0
    if outline.radius:
        mass = DENSITY * np.pi * outline.radius**2
        return mass, mass * outline.radius**2 / 2
    x, y = np.array(outline.points).T
    after_x, after_y = np.roll(x, -1), np.roll(y, -1)
    cross = x * after_y - after_x * y
    squares = x * x + x * after_x + after_x * after_x + y * y + y * after_y + after_y * after_y
    return float(DENSITY * cross.sum() / 2), float(DENSITY * (cross * squares).sum() / 12)


def _short(number: float) -> float:
    return float(str(np.float32(number)))


def _shortest(numbers: Sequence[float]) -> list[float]:
    return [_short(number) for number in numbers]


# --- reading ---


def case_from(record: Mapping[str, Any]) -> Case:
    """The case of this record; raises BadRecord."""
    try:
        without = record["variations_outputs"].items()
        return Case(run_from(record["original_video_output"]), {int(uid): run_from(run) for uid, run in without})
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise BadRecord(f"not the record of a video with its variations: {error!r}") from None


def run_from(record: Mapping[str, Any]) -> SimulatedRun:
    """The run of this record; its events are ordered by step, since the order in which they became known is not
    stored."""
    start, end = (tuple(map(_thing_from, state["scene"]["objects"])) for state in record["scene_states"])
    nodes = record["causal_graph"]["nodes"]
    events = sorted(
        (CollisionEvent(int(node["step"]), str(node["type"]), tuple(map(int, node["objects"]))) for node in nodes),
        key=lambda event: event.step,
    )
    return SimulatedRun(start, end, tuple(event for event in events if event.type not in (START, END)))


def graph_from(record: Mapping[str, Any]) -> Graph:
    """The causal graph of the original run in this record; raises BadRecord.

    It can't be recomputed from a stored run: it depends on the order in which events became known.
    """
    try:
        graph = record["original_video_output"]["causal_graph"]
        nodes = sorted(graph["nodes"], key=lambda node: int(node["step"]))
        place = {node["id"]: at for at, node in enumerate(nodes)}
        events = (
            CollisionEvent(int(node["step"]), str(node["type"]), tuple(map(int, node["objects"]))) for node in nodes
        )
        edges = ((place[edge["from"]], tuple(place[to] for to in edge["to"])) for edge in graph["edges"])
        return Graph(tuple(events), tuple(edges))
    except (KeyError, TypeError, ValueError) as error:
        raise BadRecord(f"not a causal graph: {error!r}") from None


def _thing_from(record: Mapping[str, Any]) -> Thing:
    x, y = map(float, record["2dCoords"])
    vx, vy = map(float, record["2dLinearVelocity"])
    return Thing(
        uid=int(record["uniqueID"]),
        shape=str(record["shape"]),
        size=str(record["size"]),
        colour=str(record["color"]),
        position=(x, y),
        angle=float(record["angle"]),
        velocity=(vx, vy),
        spin=float(record["angularVelocity"]),
        is_awake=bool(record["awake"]),
        corners=int(record.get("corners", 0)),
    )
