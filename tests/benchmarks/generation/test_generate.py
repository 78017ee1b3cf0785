"""Clips are generated in several processes and imported, with visible progress."""

from typing import Any

import pytest

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.errors import UnknownScene
from benchmarks.generation.generate import chosen_scenes, generate, make_production
from benchmarks.models import Production, ProductionState
from tests.commands import told

GRASP = BENCHMARKS["grasp"]
SMALL: dict[str, Any] = {"size": (64, 48), "fps": 5}


@pytest.mark.parametrize(
    ("only", "folders"),
    [
        (["ColorRed"], ["ColorRed"]),
        (["Shape"], ["ShapeBall", "ShapeCube"]),
        (["Gravity", "ShapeBall"], ["ShapeBall", "P_Gravity", "IP_Gravity"]),
    ],
)
def test_scenes_are_chosen_by_folder_or_by_test(only, folders):
    assert chosen_scenes(GRASP, only) == folders


def test_an_unknown_scene_is_told_which_tests_exist():
    with pytest.raises(UnknownScene, match="Collision, Color"):
        chosen_scenes(GRASP, ["Magic"])


@pytest.mark.render
@pytest.mark.django_db
def test_made_clips_are_kept_imported_and_audited(tmp_path):
    """The whole path: generate twice, import twice, audit."""
    only, seen = ["ColorRed", "TwoObjectOrdering", "Gravity"], []
    first = generate(GRASP, tmp_path, count=1, only=only, progress=lambda *done: seen.append(done), **SMALL)
    assert (first.clips, first.kept) == (4, 0)
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    assert generate(GRASP, tmp_path, count=1, only=only, jobs=1, **SMALL).kept == 4
    found = told("import_benchmark", "grasp", tmp_path)
    assert (found["pack"], found["clips"], found["items"], found["problems"]) == ("corrected", 4, 3 + 2 + 2 + 60, [])
    assert told("check_benchmark", "--audit", "grasp", tmp_path) == {"clips": 4, "findings": []}


@pytest.mark.render
@pytest.mark.django_db
def test_a_production_ends_as_a_pack_and_can_be_run_again(tmp_path):
    options: dict[str, Any] = {"benchmark": "grasp", "pack_name": "demo", "out": tmp_path, "only": ["ShapeBall"]}
    options |= {"count": 1, "seed": 3}
    pack = make_production(**options, **SMALL)
    production = Production.objects.get()
    assert (production.state, production.clips_done, production.clips_total) == (ProductionState.DONE, 1, 1)
    assert (pack.name, pack.profile, pack.clips.count()) == ("demo", "corrected", 1)
    assert make_production(**options, **SMALL) == pack


@pytest.mark.django_db
def test_a_production_that_fails_says_why(tmp_path):
    with pytest.raises(UnknownScene):
        make_production(benchmark="grasp", pack_name="demo", out=tmp_path, count=1, seed=0, only=["Magic"], **SMALL)
    production = Production.objects.get()
    assert production.state == ProductionState.FAILED
    assert "Magic" in production.note
