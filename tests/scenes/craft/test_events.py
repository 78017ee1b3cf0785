"""The rules of collisions, touches and entries, and the causal links of events."""

import pytest

from scenes.craft.questions.graph import graph_of
from scenes.craft.world.physics import simulate
from scenes.craft.world.run import CollisionEvent, ContactTracker
from scenes.craft.world.staging import stage
from tests.scenes.craft.worlds import BASKET, GROUND, dropped, fixed, thing, told

GOES_ON = 1000


def types_of(lasting: int, steps: int = 100) -> list[tuple[int, str]]:
    """The event types of a contact from step 10 on with this length."""
    watch = ContactTracker()
    for step in range(steps):
        if step == 10:
            watch.begin("contact", (1, 0))
        if step == 10 + lasting:
            watch.end("contact")
        if step + 1 < steps:
            watch.tick()
    return [(event.step, event.type) for event in watch.events]


@pytest.mark.parametrize(
    ("lasting", "events"),
    [
        (19, [(10, "Collision")]),
        (20, [(10, "Collision")]),
        (21, [(10, "StartTouching"), (31, "EndTouching")]),
        (GOES_ON, [(10, "StartTouching")]),
    ],
)
def test_a_contact_of_more_than_20_steps_is_a_touch(lasting, events):
    assert types_of(lasting) == events


def test_contacts_of_the_last_20_steps_leave_no_event():
    assert types_of(GOES_ON, steps=10 + 21) == []
    assert types_of(GOES_ON, steps=10 + 22) == [(10, "StartTouching")]


@pytest.mark.parametrize(
    ("gap", "events"),
    [
        (5, [(48, "Collision"), (68, "Collision"), (73, "StartTouching")]),
        (20, [(97, "Collision"), (136, "Collision"), (144, "StartTouching")]),
        (0.5, [(14, "Collision"), (20, "StartTouching")]),
        (0.1, [(None, "StartTouching")]),
    ],
)
def test_what_lands_softly_does_not_collide(gap, events):
    """The steps are those of the fact sheet's own trial, for a small cube dropped from so many metres."""
    found = [(event.step, event.type) for event in simulate(dropped(gap)).events]
    assert found == [(found[0][0] if step is None else step, kind) for step, kind in events]


def test_who_touches_the_basket_has_entered_and_each_edge_is_a_contact_of_its_own():
    things = (fixed(2, "ground"), fixed(1, "basket", y=-1.2), thing(0, "circle", size="large", position=(0.0, 8.0)))
    run = simulate(things)
    assert next(event.objects for event in run.events if event.type == "ContainerEndUp") == (1, 0)
    resting = [event for event in run.events if event.type == "StartTouching" and set(event.objects) == {1, 0}]
    assert len(resting) == 1
    assert run.thing(0).is_dynamic
    assert not run.end[-1].is_moving


def test_circles_roll_without_rattling():
    """Scene 14's circle on its platform: a polygon gives dozens of collisions there."""
    for index in range(3):
        run = simulate(stage(14, 0, index))
        shelf, roller = run.start[4], run.dynamic[0]
        hits = [e for e in run.events if e.type == "Collision" and set(e.objects) == {shelf.uid, roller.uid}]
        assert len(hits) <= 4


def test_the_graph_leads_from_each_things_last_event_before():
    red, blue = thing(0), thing(1, colour="blue")
    run = told(
        (red, blue),
        (5, "Collision", GROUND, 0),
        (9, "Collision", 1, 0),
        (9, "Collision", GROUND, 1),
        (20, "ContainerEndUp", BASKET, 1),
    )
    graph = graph_of(run)
    assert [event.step for event in graph.events] == [-1, 5, 9, 9, 20, 600]
    assert dict(graph.edges) == {0: (1, 3), 1: (2,), 2: (5,), 3: (4,), 4: (5,), 5: ()} | {3: (4, 5)}


def test_a_run_without_events_still_leads_from_start_to_end():
    graph = graph_of(told((thing(0),)))
    assert graph.events == (CollisionEvent(-1, "Start"), CollisionEvent(600, "End"))
    assert graph.edges == ((0, (1,)), (1, ()))
