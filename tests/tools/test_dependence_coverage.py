"""The simulations of clusters, dyads and people with models, small; `make soak PART=coverage` runs all of them."""

import numpy as np
import pytest

from tools.bench.trials.dependence_coverage import (
    OBJECTS,
    clusters_of,
    dyads_of,
    equal_on_dyads,
    held_by,
    pacs_graph,
    pairs_of,
    panel_of,
    panel_of_parts,
    people_and_a_model,
    table,
)

DRAWS = 300  # of which 95 % are 285 ± 7.5 by chance


def test_the_graph_has_the_figures_of_pacs():
    labels = pacs_graph()
    assert (len(labels), len(np.unique(labels)), (labels[:, 0] == labels[:, 1]).any()) == (1164, OBJECTS, False)
    reached = {0}
    for _ in range(OBJECTS):
        reached |= {int(one) for pair in labels if reached & {*pair.tolist()} for one in pair}
    assert len(reached) == OBJECTS, "one component"


@pytest.mark.parametrize("panel", [panel_of(12, 160, 3, np.random.default_rng(1)), panel_of_parts(12, 160, 3)])
def test_nobody_judges_an_item_twice(panel):
    assert len({*zip(panel.item.tolist(), panel.person.tolist(), strict=True)}) == 1920
    assert np.bincount(panel.person).tolist() == [160] * 12


@pytest.mark.parametrize(
    "world",
    [
        clusters_of(5, 20, 0.5, 0.3),
        clusters_of(5, 20, 0.9, 0.3),
        dyads_of(0.7, 1.0),
        equal_on_dyads(0.7, 1.0),
        people_and_a_model(24, 64, 0.7),
        people_and_a_model(12, 160, 0.7),
        people_and_a_model(12, 160, 0.95),
        people_and_a_model(12, 160, 0.7, votes=2, in_parts=True),
        pairs_of(40, 1.0, 0.97),
    ],
    ids=lambda world: world.design,
)
def test_the_interval_holds_the_truth_and_a_simpler_one_does_not(world):
    found = held_by(world, DRAWS, seed=5)
    assert found.share >= 0.92
    assert found.simple <= 0.91


def test_an_interval_that_is_always_right_would_be_too_wide():
    for world in (dyads_of(0.7, 1.0), people_and_a_model(12, 160, 0.95, in_parts=True)):
        assert held_by(world, DRAWS, seed=5).share <= 0.985


def test_the_table_names_each_world():
    found = held_by(pairs_of(40, 0.7, 0.7), 5, seed=1)
    assert table([found], "difference").splitlines()[-1].startswith("| 70 against 70 % on 40 clips | 0.0 % |")
