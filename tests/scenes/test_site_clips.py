"""The clips of the home page and of practice match `clips.json` beside them, and have no pack's seed."""

import hashlib
import json

import pytest

from benchsite.serving.demo import SEED as DEMO
from scenes.drawing import draw_motion
from scenes.registry import SCENES
from tools.bench.pages.site_clips import OUT, SEED, SHOWN, main

SOURCES = json.loads((OUT / "clips.json").read_text())


@pytest.mark.parametrize("name", SHOWN)
def test_the_clip_is_the_one_named_and_its_motion_is_made_again(name):
    facts = SOURCES[name]
    assert (facts["scene"], facts["index"]) == SHOWN[name]
    assert (facts["seed"], facts["look"]) == (SEED, "cinema")
    assert hashlib.sha256((OUT / f"{name}.mp4").read_bytes()).hexdigest() == facts["sha256"]
    motion = draw_motion(SCENES[facts["scene"]], SEED, facts["index"], profile="corrected")
    assert motion.digest() == facts["digest"]


def test_they_are_small_and_of_no_packs_seed():
    assert set(SOURCES) == set(SHOWN)
    assert SEED not in (0, DEMO)
    assert sum(path.stat().st_size for path in OUT.iterdir()) < 1_500_000


def test_an_unknown_clip_is_named(tmp_path, capsys):
    assert main(["magic"], tmp_path / "out") == 2
    assert "there are home, practice" in capsys.readouterr().err
