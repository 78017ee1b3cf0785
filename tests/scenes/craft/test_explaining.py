"""The causal diagram: links through hidden events, and links as stored."""

import json

import pytest

from scenes.craft.questions.explaining import chain_of
from scenes.craft.questions.graph import graph_of
from scenes.craft.records import BadRecord, case_from, case_record, graph_from
from scenes.craft.world.physics import case_of
from scenes.craft.world.staging import stage
from tests.scenes.craft.worlds import BASKET, GROUND, fixed, thing, told

PLATFORM = 8


def test_what_is_not_shown_hands_on_what_led_to_it():
    """Red hits blue, both touch a platform, blue falls and enters; red's touch ends."""
    things = (fixed(PLATFORM, "platform"), thing(1, "cube", "red"), thing(0, "circle", "blue"))
    run = told(
        things,
        (5, "Collision", 1, 0),
        (9, "Collision", PLATFORM, 0),
        (20, "Collision", GROUND, 0),
        (30, "StartTouching", PLATFORM, 1),
        (40, "EndTouching", PLATFORM, 1),
        (50, "ContainerEndUp", BASKET, 0),
    )
    chain = chain_of(run, graph_of(run))
    assert [mark.step for mark in chain.events] == [5, 20, 50]
    assert chain.leads == ((0, 1), (1, 2))
    assert [chain.causes(place) for place in range(3)] == [(), (0,), (1,)]


def test_a_written_graph_is_read_as_it_was_made():
    """A graph recomputed from a stored run may differ: the order in which events became known is not stored."""
    for scene in (2, 9):
        case = case_of(stage(scene, 3, 4))
        record = json.loads(json.dumps(case_record(case, "")))
        assert graph_from(record) == graph_of(case.original)
        read, made = case_from(record).original, case.original
        assert chain_of(read, graph_from(record)).leads == chain_of(made, graph_of(made)).leads


def test_a_graph_with_large_numbers_as_in_the_official_files_is_read():
    nodes = [
        {"id": 94500, "step": 600, "type": "End", "objects": []},
        {"id": 94301, "step": -1, "type": "Start", "objects": []},
        {"id": 94418, "step": 24, "type": "Collision", "objects": [7, 1]},
    ]
    edges = [{"from": 94301, "to": [94418]}, {"from": 94418, "to": [94500]}, {"from": 94500, "to": []}]
    graph = graph_from({"original_video_output": {"causal_graph": {"nodes": nodes, "edges": edges}}})
    assert [event.step for event in graph.events] == [-1, 24, 600]
    assert graph.edges == ((0, (1,)), (1, (2,)), (2, ()))


@pytest.mark.parametrize("record", [{}, {"original_video_output": {"causal_graph": {"nodes": [{}], "edges": []}}}])
def test_other_json_is_no_graph(record):
    with pytest.raises(BadRecord, match="not a causal graph"):
        graph_from(record)
