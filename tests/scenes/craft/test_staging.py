"""The twenty scenes: their things, the order of creation, and reproducibility by seed."""

import json
import math
from dataclasses import replace

import Box2D
import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from benchmarks.commands import CallerMistake
from scenes.craft.records import BadRecord, case_from, case_record, mass_of
from scenes.craft.world.physics import NOISE, TooManyCorners, case_of, perturbed, removed, simulate
from scenes.craft.world.staging import LAYOUTS, stage
from tests.scenes.craft.worlds import fixed, thing

DYNAMIC = (5, 10, 3, 4, 3, 3, 4, 4, 4, 3, 3, 4, 4, 3, 3, 3, 4, 5, 4, 3)  # number of moving things, by scene


def test_circles_of_128_corners_are_refused_by_a_box2d_that_was_built_for_16(tmp_path):
    things = stage(14, 1, 0, profile="polygons")
    every = (one for number in LAYOUTS for one in stage(number, 1, 0, profile="polygons"))
    assert {one.shape: one.corners for one in every if one.corners} == {"circle": 128, "static_ball": 128}
    assert Box2D.b2_maxPolygonVertices == 16
    with pytest.raises(TooManyCorners, match="circles of 128 corners: this Box2D takes 16, and `make polygons` builds"):
        simulate(things)
    with pytest.raises(CommandError, match="`make polygons` builds another"):
        call_command("generate_benchmark", "craft", out=tmp_path / "made", count=1, profile="polygons")
    assert not (tmp_path / "made").exists()
    with pytest.raises(CallerMistake, match="grasp has no profile polygons"):
        call_command("generate_benchmark", "grasp", out=tmp_path / "made", count=1, profile="polygons")


def test_circles_with_corners_rattle_and_weigh_a_little_less():
    """With 16 corners, the limit of this Box2D; docs/benchmarks/craft.md has the figures of 128."""

    def collisions(corners):
        things = (tuple(replace(one, corners=corners) for one in stage(number, 1, 0)) for number in LAYOUTS)
        return sum(event.type == "Collision" for one in things for event in simulate(one).events)

    assert collisions(16) > 1.3 * collisions(0)
    ball = next(one for one in stage(14, 1, 0) if one.shape == "circle")
    assert len(replace(ball, corners=128).outline.points) == 128
    assert mass_of(replace(ball, corners=128, size="small"))[0] == pytest.approx(157.0, abs=0.05)
    assert mass_of(replace(ball, corners=0, size="small"))[0] == pytest.approx(157.08, abs=0.01)


def test_corners_are_in_the_record_of_those_that_have_them():
    with_corners = tuple(replace(one, corners=16) for one in stage(2, 3, 4))
    record = json.loads(json.dumps(case_record(case_of(with_corners), "video.mp4")))
    assert [one.corners for one in case_from(record).original.start] == [16] * len(with_corners)
    assert "corners" not in json.dumps(case_record(case_of(stage(2, 3, 4)), "video.mp4"))


@pytest.mark.parametrize("number", LAYOUTS)
def test_ids_count_down_from_the_walls_and_nothing_looks_like_another(number):
    things = stage(number, 1, 2)
    count = len(things)
    assert [one.uid for one in things] == list(range(count - 1, -1, -1))
    assert [one.shape for one in things[:4]] == ["wall_l", "wall_r", "ground", "basket"]
    free = [one for one in things if one.is_dynamic]
    assert len(free) == DYNAMIC[number - 1]
    assert len({(one.shape, one.size, one.colour) for one in free}) == len(free)
    assert {one.angle for one in free} == {math.pi}
    assert things == stage(number, 1, 2) != stage(number, 1, 3)


def test_settings_are_the_ends_and_the_middle_of_what_is_drawn():
    low, middle, high = (stage(1, 0, 0, setting=setting)[3].position[0] for setting in ("min", "mean", "max"))
    assert (low, middle, high) == (-3, 0, 3)
    assert {low <= stage(1, 0, index)[3].position[0] <= high for index in range(20)} == {True}


def test_the_original_leaves_out_what_it_cant_tell_apart():
    """Scene 7's large circle; the corrected profile chooses another colour."""
    counts = {
        profile: {sum(one.is_dynamic for one in stage(7, 0, index, profile=profile)) for index in range(120)}
        for profile in ("faithful", "corrected")
    }
    assert counts == {"faithful": {3, 4}, "corrected": {4}}


def test_what_is_gone_leaves_ids_and_order_as_they_were():
    things = stage(1, 0, 0)
    rest = removed(things, 2)
    assert [one.uid for one in rest] == [one.uid for one in things if one.uid != 2]
    assert case_of(things[:3] + things[-2:]).without.keys() == {0, 1}


def test_a_written_case_gives_the_same_runs_again():
    case = case_of(stage(2, 3, 4))
    read = case_from(json.loads(json.dumps(case_record(case, "./videos/sid_2/000504.mp4"))))
    again = case_of(read.original.start)
    assert again.original.events == case.original.events
    first, second = ({uid: run.events for uid, run in one.without.items()} for one in (case, again))
    assert first == second


@pytest.mark.parametrize("record", [{}, {"original_video_output": {}, "variations_outputs": {}}, []])
def test_other_json_is_no_record(record):
    with pytest.raises(BadRecord, match="not the record of a video"):
        case_from(record)


def test_noise_shifts_only_what_moves_sideways():
    rng = np.random.default_rng(0)
    still, fast = perturbed((thing(1, velocity=(0.0, -8.0)), thing(0, velocity=(5.0, 1.0))), rng)
    share = still.angle / math.pi - 1
    assert 0 < abs(share) <= NOISE
    assert still.position == (0.0, 0.0)
    assert still.velocity[1] == pytest.approx(-8 * (1 + share))
    share = fast.angle / math.pi - 1
    assert fast.position == pytest.approx((10 * share / (1 + share),) * 2)
    assert perturbed((fixed(0, "platform"),), rng) == (fixed(0, "platform"),)


def test_a_run_is_the_same_whether_or_not_it_is_watched():
    things = stage(9, 0, 0)
    seen = simulate(things, keeps_poses=True)
    assert seen.events == simulate(things).events
    assert seen.poses.shape == (600, 4, 3)
