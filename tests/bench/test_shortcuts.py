"""The shortcut study, small: a planted shortcut is found, chance is not, and the page has the measured figures."""

from functools import partial

import numpy as np
import pytest

from bench.shortcuts import page
from bench.shortcuts.__main__ import arguments, main
from bench.shortcuts.cells import CONTROL, EXPLAINED, LOOKS, NOT_LEARNT, OF_THE_VIOLATION, REVEALED_BY_LAST_FRAME
from bench.shortcuts.classifiers import FOLDS, area_of, components, fold_of, logistic, trees
from bench.shortcuts.jobs import Job
from bench.shortcuts.motion import motion_numbers
from bench.shortcuts.networks import picture_net
from bench.shortcuts.studies import Study, code_digest, level2_tests
from bench.shortcuts.tables import columns
from bench.shortcuts.track import NUMBERS, rest_picture, track_numbers, track_of
from benchmarks.definitions import grasp_prompts
from leaderboard.audits import learners
from measures.roc import EXACTLY_HALF

PAIRS = 60
PAIR = np.tile(np.arange(PAIRS), 2)
IMPLAUSIBLE = np.arange(2 * PAIRS) >= PAIRS


@pytest.fixture(autouse=True)
def less_to_learn(monkeypatch):
    """Fewer training steps and trees: the shortcuts planted here need fewer than a scene."""
    monkeypatch.setattr("bench.shortcuts.networks.STEPS", 15)
    monkeypatch.setattr(learners, "trees", partial(learners.trees, 40))


def draws(rng, count=6):
    """Parameters that both clips of a pair share."""
    return np.tile(rng.normal(size=(PAIRS, count)), (2, 1))


def test_shared_draws_give_nothing_away():
    assert area_of([logistic, trees], draws(np.random.default_rng(0)), IMPLAUSIBLE, PAIR) == (EXACTLY_HALF, 0)


def test_a_parameter_drawn_elsewhere_is_found():
    seen = draws(np.random.default_rng(1))
    seen[IMPLAUSIBLE, 3] += 1.5
    area, differing = area_of([logistic, trees], seen, IMPLAUSIBLE, PAIR)
    assert differing == PAIRS
    assert area.value > 0.75
    assert area.p_value() < 1e-4


def test_what_only_two_parameters_together_tell_is_found():
    rng = np.random.default_rng(2)
    seen = draws(rng, 3)
    seen[:, 0] = np.sign(rng.normal(size=2 * PAIRS))
    seen[:, 1] = np.where(IMPLAUSIBLE, 1, -1) * seen[:, 0] * rng.uniform(0.2, 1, 2 * PAIRS)
    area, _ = area_of([logistic, trees], seen, IMPLAUSIBLE, PAIR)
    assert area.interval().low > 0.65


def test_chance_is_seldom_called_a_shortcut():
    """With learning: a fold's classifier has seen the other folds' answers and may only gain from true shortcuts."""
    rng = np.random.default_rng(3)
    areas = [area_of([logistic], rng.normal(size=(2 * PAIRS, 4)), IMPLAUSIBLE, PAIR)[0] for _ in range(120)]
    assert np.mean([area.p_value() < 0.05 for area in areas]) <= 0.11
    assert np.mean([area.interval().low <= 0.5 <= area.interval().high for area in areas]) >= 0.89


def test_both_clips_of_a_pair_lie_in_one_fold_and_the_folds_are_even():
    folds = fold_of(PAIR)
    assert (folds[:PAIRS] == folds[PAIRS:]).all()
    assert np.bincount(folds).tolist() == [2 * PAIRS // FOLDS] * FOLDS


def test_pictures_with_a_dot_are_told_from_those_without():
    rng = np.random.default_rng(4)
    pictures = np.tile(rng.integers(0, 160, (PAIRS, 72, 96, 3), dtype=np.uint8), (2, 1, 1, 1))
    pictures[IMPLAUSIBLE, 30:38, 40:48] = 250
    area, _ = area_of([components, picture_net], pictures, IMPLAUSIBLE, PAIR)
    assert area.interval().low > 0.8


def test_the_control_learns_an_order_that_no_frame_tells():
    """A dot moves up or down: every frame of one clip is also a frame of the other."""
    rng = np.random.default_rng(5)
    pairs = 32
    clips = np.zeros((2 * pairs, 16, 72, 96, 3), dtype=np.uint8)
    for number in range(pairs):
        column = rng.integers(4, 80)
        for frame in range(16):
            for clip, row in ((number, 4 * frame), (number + pairs, 60 - 4 * frame)):
                clips[clip, frame, row : row + 5, column : column + 5] = 220
    told = np.array([motion_numbers(clip) for clip in clips])
    area, _ = area_of([logistic, trees], told, np.arange(2 * pairs) >= pairs, np.arange(2 * pairs) % pairs)
    assert (area.value, area.interval().low > 0.85) == (1.0, True)


def test_the_control_follows_alike_to_the_left_and_to_the_right():
    clip = np.zeros((12, 72, 96, 3), dtype=np.uint8)
    for frame in range(12):
        clip[frame, 30:36, 4 + 6 * frame : 10 + 6 * frame] = (200, 40, 40)
    assert np.allclose(motion_numbers(clip), motion_numbers(clip[:, :, ::-1]))
    there, back = (track_of(one) for one in (clip, clip[:, :, ::-1]))
    assert np.allclose(track_numbers(there), track_numbers(back))
    assert there.from_start(-1) == pytest.approx((60 / 72, 0))
    still = clip[:1].repeat(12, axis=0)
    assert (motion_numbers(still) == 0).all()
    assert track_of(still) is None
    assert track_numbers(None).shape == track_numbers(there).shape == (NUMBERS,)


def test_the_picture_round_the_place_of_rest_is_turned_to_where_the_thing_came_from():
    """A ball runs along each side of a square and stops before a bar; the pictures are alike."""
    clip = np.full((10, 96, 96, 3), 90, dtype=np.uint8)
    for frame in range(10):
        clip[frame, 44:50, 10 + 5 * frame : 16 + 5 * frame] = (200, 40, 40)
    clip[:, 40:60, 68:71] = 255
    ways = [np.rot90(clip, turns, axes=(1, 2)) for turns in range(4)]
    pictures = [rest_picture(track_of(way)).astype(int) for way in ways]
    assert (pictures[0][22:26] == 255).any()  # below: it came from above
    assert max(np.abs(picture - pictures[0]).max(axis=2).astype(bool).mean() for picture in pictures) < 0.12


def test_the_network_is_seeded():
    rng = np.random.default_rng(6)
    pictures = rng.integers(0, 255, (20, 72, 96, 3), dtype=np.uint8)
    answers = np.arange(20) >= 10
    first, again = (picture_net(pictures, answers, pictures) for _ in range(2))
    assert (first == again).all()


def test_words_become_columns_and_what_is_missing_says_so():
    names, values = columns([{"a": 1.0, "wood": "oak", "b": 2.0}, {"a": 1.0, "wood": "elm"}], without=["c"])
    assert names == ["b is there", "b", "wood = elm", "wood = oak"]
    assert values.tolist() == [[1, 2, 0, 1], [0, 0, 1, 0]]
    assert columns([{"a": 1.0, "c": 1.0}, {"a": 1.0, "c": 2.0}], without=["c"])[1].tolist() == [[0], [0]]


@pytest.fixture
def study(tmp_path):
    return Study("SolidityContinuity", "corrected", 10, 10)


@pytest.mark.render
def test_a_study_is_measured_kept_and_written(study, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("bench.shortcuts.networks.STEPS", 2)
    for module in ("legibility", "visibility"):  # its seed's draws are no other test's
        monkeypatch.setattr(f"scenes.{module}.STRIDE", 100)
    job = Job(study, "cells", tmp_path)
    assert not job.is_done
    job.run()
    assert job.is_done
    results = study.results(tmp_path)
    assert results["parameters"]["differing"] == results["length"]["differing"] == results["first"]["differing"] == 0
    assert results["size"]["clips"] == results["last"]["differing"] == 10
    Job(study, CONTROL, tmp_path).run()
    assert study.has(tmp_path, CONTROL)
    assert not study.path(tmp_path, "").exists(), "nobody needs the clips any more"

    target = tmp_path / "page.md"
    words = f"--profile corrected --tests 3 --clips 10 --frames 10 --out {tmp_path} --page {target}"
    assert main(words.split()) == 0
    assert "2 of 2 measurements are there, 0 to go" in capsys.readouterr().out
    row = next(line for line in target.read_text().splitlines() if "`SolidityContinuity` | 0.50 n=10 |" in line)
    assert row.split(" | ")[2].strip() == "0.50 n=10"
    assert row.count("○") == 1
    assert page.NOT_MEASURED not in row


def test_results_of_older_code_are_measured_again_and_marked(study, tmp_path, monkeypatch):
    cell = {"area": 0.9, "low": 0.8, "high": 0.95, "p": 1e-9, "clips": 10, "differing": 10}
    study.keep(tmp_path, size=cell)
    assert study.has(tmp_path, "size")
    text = str(page.cells([study], tmp_path, list(LOOKS))[0])
    assert text == "**0.90 (0.80–0.95)** n=10"
    for module in ("bench.shortcuts.studies", "bench.shortcuts.page"):
        monkeypatch.setattr(f"{module}.code_digest", lambda test: "another")
    assert not study.has(tmp_path, "size")
    assert str(page.cells([study], tmp_path, list(LOOKS))[0]) == "**0.90 (0.80–0.95)** ‡ n=10"


def test_named_cells_are_no_part_of_the_family_and_never_miss(study, tmp_path):
    cell = {"area": 1.0, "low": 0.9, "high": 1.0, "p": 1e-30, "clips": 10, "differing": 10}
    study.keep(tmp_path, size=cell | {"area": 0.5, "low": 0.4, "high": 0.6, "p": 0.04}, first=cell, last=cell)
    size, first, last = page.cells([study], tmp_path, list(LOOKS))
    assert (size.adjusted, first.adjusted, last.adjusted) == (0.04, pytest.approx(2e-30), None)
    assert (size.misses, first.misses, last.misses) == (True, True, False)


def test_a_wide_interval_misses_the_target_too(study, tmp_path):
    study.keep(tmp_path, size={"area": 0.55, "low": 0.4, "high": 0.68, "p": 0.4, "clips": 10})
    cell = page.cells([study], tmp_path, ["size"])[0]
    assert cell.misses
    assert not cell.differs
    assert str(cell) == "0.55 (0.40–0.68) ▲ n=10"


def test_the_verdict_fails_where_the_target_is_missed(study, tmp_path, capsys):
    words = ["--stage", "verdict", "--clips", "10", "--out", str(tmp_path), "--page", str(tmp_path / "page.md")]
    study.keep(tmp_path, size={"area": 0.8, "low": 0.7, "high": 0.9, "p": 1e-6, "clips": 10, "bytes": [10, 20]})
    assert main(words) == 1
    assert "misses the target: SolidityContinuity, file size: 0.80" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["--tests", "Levitation"], "no test Levitation"),
        (["--clips", "3"], "at least 10 clips"),
        (["--jobs", "0"], "at least one process"),
        (["--profile", "sloppy"], "invalid choice"),
    ],
)
def test_bad_arguments_get_one_line(words, what, capsys):
    with pytest.raises(SystemExit) as ended:
        arguments(words)
    assert ended.value.code == 2
    assert what in capsys.readouterr().err.splitlines()[-1]


def test_the_digest_is_of_this_tests_code():
    assert code_digest("Gravity") != code_digest("Collision")


def test_everything_named_beforehand_is_a_test_of_the_paper():
    named = {*REVEALED_BY_LAST_FRAME, *OF_THE_VIOLATION, *NOT_LEARNT, *(test for _, test, _ in EXPLAINED)}
    assert named <= set(grasp_prompts.LEVEL_2)
    assert all(sight in LOOKS for _, _, sight in EXPLAINED)


@pytest.mark.parametrize("profile", ["corrected", "faithful"])
def test_the_page_has_both_tables_with_every_test(profile):
    text = page.PAGE.read_text(encoding="utf-8")
    table = text[text.index(f"## Profile `{profile}`") :]
    assert all(f"| {test.number} | `{name}` |" in table for name, test in level2_tests().items())
    assert "grasp-shortcuts.md" in (page.PAGE.parent / "grasp.md").read_text(encoding="utf-8")
