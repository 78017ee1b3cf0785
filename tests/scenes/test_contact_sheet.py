"""Contact sheets: chosen moments, and completeness."""

from pathlib import Path

import numpy as np
import pytest

from scenes.contact_sheet import COLUMNS, WIDE, contact_sheets, telling_states
from scenes.drawing import draw_until_sound
from scenes.registry import SCENES
from tools.bench.pages.grasp_contact_sheets import main

pytestmark = pytest.mark.render


@pytest.mark.parametrize("test", ["GravityInertia", "Gravity", "Collision"])
def test_moments_hold_the_violation_and_go_on_until_it_can_be_known(test, tmp_path):
    plausible, broken = (
        draw_until_sound(SCENES[f"{truth}_{test}"], 3, 0, "corrected", tmp_path / "x.npz") for truth in ("P", "IP")
    )
    states = telling_states(plausible, broken)
    assert len(states) == COLUMNS == len(set(states))
    assert states == sorted(states)
    assert broken.verdict.violation_frame in states
    assert states[-1] >= broken.first_knowable


def test_sheets_show_plausible_beside_implausible_and_frame_the_violation():
    sheets = contact_sheets("GravityInertia")
    wide, narrow = np.array(sheets.wide), np.array(sheets.narrow)
    width = WIDE.frame[0] + WIDE.gap
    assert wide.shape[1] == COLUMNS * width
    red = (wide == (217, 45, 32)).all(axis=2)
    rows = np.flatnonzero(red.sum(axis=1) > WIDE.frame[0] // 2)
    assert rows.min() > wide.shape[0] // 2  # only in the lower row
    upper, lower = wide[: wide.shape[0] // 2], wide[wide.shape[0] // 2 :]
    last = slice(-width, -WIDE.gap)
    assert np.abs(upper[:, last].astype(int) - lower[:, last]).max() > 60
    columns = np.flatnonzero((narrow == (217, 45, 32)).all(axis=2).sum(axis=0) > 10)
    assert columns.min() > narrow.shape[1] // 2 > 200  # only in the right column


def test_unknown_tests_are_named(tmp_path, capsys):
    with pytest.raises(KeyError, match="Magic"):
        contact_sheets("Magic")
    assert main(["Magic"], tmp_path / "out") == 2
    assert "Magic" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_every_test_that_is_made_has_its_sheet_in_the_repository():
    folder = Path(__file__).parents[2] / "static" / "sheets" / "grasp"
    tests = {kind.test for kind in SCENES.values()}
    assert {path.stem for path in folder.glob("*.webp")} == tests | {f"{test}-narrow" for test in tests}
