"""Shots of a synthetic video by TransNet V2 with its real weights, and the clips cut from it."""

import json
import subprocess
import sys

import numpy as np
import pytest

from benchmarks.encoding.cut import small_frames
from benchmarks.encoding.probe import probe
from benchmarks.encoding.sandbox import BARE
from extensions.annotation.analysis.shots import CONTEXT, STEP, Network, _windows, first_frames
from tests.extensions.annotation.analysis.sounds import room, speech, write_video

SHOTS = ((3, 1), (9, 2), (6, 3))  # seconds and picture of each
FPS = 5  # so that the network needs two windows


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    sound = np.concatenate([room(seconds=12, level=0.05), speech(seconds=6)])
    return write_video(tmp_path_factory.mktemp("video") / "long.mp4", SHOTS, sound)


def read_by_child(source, folder, seed=1):
    asked = json.dumps({"source": str(source), "folder": str(folder), "seed": seed})
    command = [sys.executable, "-m", "extensions.annotation.analysis.child", "8000"]
    done = subprocess.run(command, input=asked, capture_output=True, text=True, env=BARE, timeout=300)
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_video_is_cut_at_its_shots_and_listened_to(video, tmp_path):
    folder = tmp_path / "clips"
    folder.mkdir()
    lines = read_by_child(video, folder)
    found = lines[-1]["found"]
    assert not found["is_clip"]
    assert {line["doing"] for line in lines[:-1]} == {"opening", "looking for shots", "listening"}
    clips = found["clips"]
    assert {clip["shot"] for clip in clips} == {1, 2}  # the first shot is too short
    assert clips[0]["start"] == 3.0
    assert [clip["start"] for clip in clips if clip["shot"] == 2] == [12.0]
    assert clips[-1]["heard"]["talking"] > 0.5
    assert clips[0]["heard"] == {"talking": 0.0, "silence": 0.0, "music": 0.0, "other": 1.0}
    for number, clip in enumerate(clips):
        facts = probe(folder / f"{number}.mp4")
        assert facts.seconds == pytest.approx(clip["end"] - clip["start"], abs=0.3)
        assert facts.has_sound
    left = {path.name for path in folder.iterdir()}
    assert left == {f"{number}.{kind}" for number in range(len(clips)) for kind in ("mp4", "jpg", "npy")}


def test_clips_of_a_video_in_matroska_begin_at_their_keyframes(tmp_path):
    sound = np.concatenate([room(seconds=6, level=0.05), speech(seconds=6)])
    source = write_video(tmp_path / "long.mkv", ((6, 1), (12, 2)), np.concatenate([sound, room(seconds=6, level=0.05)]))
    (folder := tmp_path / "clips").mkdir()
    clips = read_by_child(source, folder)[-1]["found"]["clips"]
    whole = np.concatenate(list(small_frames(source, 48, 27))).astype(float)
    assert len(clips) > 1
    for number, clip in enumerate(clips):
        shown = np.concatenate(list(small_frames(folder / f"{number}.mp4", 48, 27)))
        wanted = whole[round(clip["start"] * FPS) :][: len(shown)]
        assert len(shown) == round(clip["seconds"] * FPS) >= round((clip["end"] - clip["start"]) * FPS) - 2
        assert np.abs(wanted - shown).mean() < 5


def test_settings_for_graphics_cards_are_still_made_where_they_are_left_out():
    assert set(vars(Network)) & set(vars(Network.__base__)) >= {"_setup_deterministic_behavior"}


@pytest.mark.parametrize("count", [1, 7, 50, 51, 99, 100, 101, 260])
@pytest.mark.parametrize("piece", [1, 64, 1000])
def test_every_frame_is_judged_once_with_its_neighbours(count, piece):
    frames = np.broadcast_to(np.arange(count, dtype=np.uint8)[:, None, None, None], (count, 2, 2, 3))
    windows = list(_windows(frames[start : start + piece] for start in range(0, count, piece)))
    judged = np.concatenate([window[CONTEXT : CONTEXT + its, 0, 0, 0] for window, its in windows])
    assert judged.tolist() == [number % 256 for number in range(count)]
    assert all(len(window) == 2 * CONTEXT + STEP for window, _ in windows)
    assert windows[0][0][:CONTEXT, 0, 0, 0].tolist() == [0] * CONTEXT


def test_a_run_of_frames_at_which_a_shot_ends_is_one_cut():
    likely = np.zeros(20)
    likely[[4, 9, 10, 11, 19]] = 0.9
    assert first_frames(likely) == [5, 12]
