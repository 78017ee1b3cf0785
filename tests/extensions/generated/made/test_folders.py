import csv
import json
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from extensions.generated.made.clips import MadeOrder
from extensions.generated.made.folders import make_folders
from extensions.generated.made.generators import GENERATORS, broken_clips, lead_of
from extensions.generated.made.latent import KINDS
from extensions.generated.made.pictures import BEFORE_JUMP, jump, pictures_of
from extensions.generated.made.twin_scenes import LARGE, TESTS
from scenes.registry import SCENES
from scenes.trajectory import Trajectory
from tests.extensions.generated.made.conftest import ORDER

BY_SLUG = {made.slug: made for made in GENERATORS}
FPS, LEVEL_2 = ORDER.fps, {scene.test for scene in SCENES.values() if scene.level == 2}


def rows_of(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def truths(folders, slug):
    """(prompt, take) -> its line of truth.csv."""
    return {(row["prompt"], row["take"]): row for row in rows_of(folders / "sets" / slug / "truth.csv")}


def clip_of(folders, slug, prompt, take="1"):
    return pictures_of(folders / "sets" / slug / "clips" / f"{prompt}-{take}.mp4", ORDER.width)


def levels_apart(one, other):
    """Mean difference in grey levels."""
    return float(np.abs(one.astype(float) - other).mean())


def pixels_apart(one, other):
    """Pixels that differ by more than the compression changes them."""
    return int((np.abs(one.astype(int) - other).max(axis=2) > 40).sum())


def test_every_scene_that_can_break_is_a_prompt():
    assert set(TESTS) == LEVEL_2
    assert {test["breaks"] for test in TESTS.values()} <= set(KINDS)


@pytest.mark.parametrize("made", GENERATORS, ids=lambda made: made.slug)
@pytest.mark.parametrize(("prompts", "takes"), [(8, 1), (24, 2)])
def test_exactly_the_share_of_clips_breaks(made, prompts, takes):
    keys = [f"p{number}" for number in range(prompts)]
    broken = broken_clips(made, keys, takes, 1)
    assert len(broken) == round(Fraction(str(made.clips.share)) * prompts * takes)
    assert broken == broken_clips(made, keys, takes, 1)
    if 0 < len(broken) < prompts * takes:
        assert broken != broken_clips(made, keys, takes, 2)


def test_takes_of_a_generator_begin_at_different_pictures():
    assert all(len({lead_of(made, take) for take in range(1, 5)}) == 4 for made in GENERATORS)


@pytest.mark.render
class TestFolders:
    def test_all_generators_begin_with_the_same_picture(self, folders):
        for prompt in (row["id"] for row in rows_of(folders / "prompts" / "prompts.csv")):
            first = pictures_of(folders / "prompts" / "references" / f"{prompt}.mp4", ORDER.width)[0]
            apart = {made.slug: levels_apart(clip_of(folders, made.slug, prompt)[0], first) for made in GENERATORS}
            others = {slug: apart.pop(slug) for slug in ("pretty-but-wrong", "ugly-but-right", "backwards")}
            assert max(apart.values()) < 1.5
            assert min(others.values()) > 1.5

    def test_the_truth_is_that_of_the_scenes(self, folders, scenes_root):
        """Shares are exact, and onsets those of the audit of the scene's motion, by the picture."""
        for slug in ("faults-in-30", "faults-in-60"):
            rows = truths(folders, slug)
            broken = {key: row for key, row in rows.items() if row["is_broken"] == "1"}
            made = BY_SLUG[slug]
            assert len(broken) == round(made.clips.share * len(rows)) > 0
            for (prompt, take), row in broken.items():
                test = next(test for test in TESTS if prompt.startswith(f"{test.lower()}-"))
                path = scenes_root / "trajectories" / "level2" / f"IP_{test}" / "000.json"
                facts, lead = json.loads(path.read_text()), lead_of(made, int(take)) / FPS
                for column, moment in (("onset", "first_violation"), ("visible_from", "first_knowable")):
                    assert abs(float(row[column]) - lead - facts[moment]["seconds"]) < 1 / FPS
                severity = "3" if facts["legibility"]["telltale"]["pixels"] >= LARGE else "2"
                assert (row["kind"], row["severity"]) == (TESTS[test]["breaks"], severity)

    def test_a_broken_clip_shows_its_break_and_nothing_before(self, folders):
        slug = "faults-in-60"
        for (prompt, take), row in truths(folders, slug).items():
            if row["is_broken"] == "0":
                continue
            possible, lead = clip_of(folders, "perfect", prompt, take), lead_of(GENERATORS[0], int(take))
            own_lead = lead_of(BY_SLUG[slug], int(take))
            broken = clip_of(folders, slug, prompt, take)
            onset = int(float(row["onset"]) * FPS) - own_lead
            before = [pixels_apart(possible[lead + n], broken[own_lead + n]) for n in range(onset)]
            assert max(before) <= 4
            after = range(onset, len(possible) - max(lead, own_lead))
            assert max(pixels_apart(possible[lead + n], broken[own_lead + n]) for n in after) > 20

    def test_a_late_break_is_subtle(self, folders):
        rows = truths(folders, "late-and-subtle").values()
        assert {(row["kind"], row["severity"]) for row in rows if row["is_broken"] == "1"} == {("look", "1")}
        length = len(clip_of(folders, "perfect", "gravityinertia2-0")) / FPS
        assert all(float(row["onset"]) > length / 2 for row in rows if row["is_broken"] == "1")

    def test_floors_do_what_they_are_called(self, folders):
        for prompt in ("gravityinertia2-0", "unchangeableness2-0"):
            whole = clip_of(folders, "perfect", prompt)
            still, end = clip_of(folders, "nothing-moves", prompt), clip_of(folders, "end-at-once", prompt)
            assert max(pixels_apart(picture, still[0]) for picture in still) == 0
            row = truths(folders, "end-at-once")[prompt, "1"]
            place = round(float(row["onset"]) * FPS)
            assert place > BEFORE_JUMP
            assert levels_apart(end[place - 1], whole[0]) < 1.5
            assert levels_apart(end[place], whole[-1]) < 1.5
            assert levels_apart(clip_of(folders, "backwards", prompt)[0], whole[-1]) < 1.5
            odd, onset = clip_of(folders, "shuffled", prompt), truths(folders, "shuffled")[prompt, "1"]["onset"]
            place = round(float(onset) * FPS)
            assert max(levels_apart(picture, whole[0]) for picture in odd[:place]) < 1.5
            assert pixels_apart(odd[place], odd[place - 1]) > 4
            assert max(min(levels_apart(picture, known) for known in whole) for picture in odd) < 1.5
            assert len([1 for one, two in pairwise(odd) if pixels_apart(one, two) > 4]) > len(odd) / 3

    def test_an_end_that_looks_like_the_start_is_no_jump(self, folders):
        rows = truths(folders, "end-at-once")
        for (prompt, take), row in rows.items():
            clip = clip_of(folders, "end-at-once", prompt, take)
            assert (row["is_broken"] == "1") == (pixels_apart(clip[0], clip[-1]) > 4)
        assert {row["is_broken"] for row in rows.values()} == {"0", "1"}

    def test_a_fall_in_reverse_is_impossible_and_rolling_is_not(self, folders, scenes_root):
        rows = truths(folders, "backwards")
        assert rows["unchangeableness2-0", "1"]["is_broken"] == "0"
        fall = rows["gravityinertia2-0", "1"]
        motion = Trajectory.load(scenes_root / "trajectories" / "level2" / "P_GravityInertia2" / "000.npz")
        height = motion.position[:, motion.names["Ball"], 2]
        falls = motion.time[np.flatnonzero(np.diff(height) < -0.006)]
        length = len(clip_of(folders, "backwards", "gravityinertia2-0")) / FPS
        assert fall["kind"] == "falls"
        lead = lead_of(BY_SLUG["backwards"], 1) / FPS
        assert abs(length - float(fall["onset"]) - lead - float(falls.max())) < 2 / FPS

    def test_clips_of_a_set_differ_and_have_one_form(self, folders):
        sizes = set()
        for made in GENERATORS:
            files = [
                folders / "sets" / made.slug / row["file"]
                for row in rows_of(folders / "sets" / made.slug / "manifest.csv")
            ]
            assert len(files) == ORDER.prompts * ORDER.takes
            assert len({file.read_bytes() for file in files}) == len(files)
            sizes |= {(len(clip), clip[0].shape) for clip in (pictures_of(file, ORDER.width) for file in files)}
        assert len(sizes) == 1

    def test_the_same_order_gives_the_same_bytes(self, folders, scenes_root, tmp_path):
        make_folders(MadeOrder(**vars(ORDER)), scenes_root, tmp_path / "again", jobs=1, progress=lambda *_: None)
        ours, again = (
            {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}
            for root in (folders, tmp_path / "again")
        )
        assert ours == again

    def test_prompts_say_what_is_in_the_picture(self, folders):
        texts = {row["id"]: (row["prompt"], row["laws"]) for row in rows_of(folders / "prompts" / "prompts.csv")}
        assert texts["gravityinertia2-0"] == (
            "A turquoise ball rolls over the edge of a block and falls to the floor in a curve.",
            "gravity|inertia",
        )


def test_a_jump_to_the_end():
    pictures = [np.full((4, 4, 3), level, np.uint8) for level in range(20)]
    rng = np.random.default_rng(0)
    assert [picture[0, 0, 0] for picture in jump(pictures, rng, 0)] == [0] * BEFORE_JUMP + [19] * 15
