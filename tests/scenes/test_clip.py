import json
import os
from pathlib import Path

import pytest

from scenes.audit import audit_folder
from scenes.audit.verdict import Finding, Verdict
from scenes.clip import ClipFailed, ClipReport, NoSuchScene, UnknownProfile, make_clip

render = pytest.mark.render


def make_small(folder: str, seed: int, out: Path) -> ClipReport:
    return make_clip(folder, seed, 0, out, size=(96, 72), fps=10)


def test_unknown_names_are_named(tmp_path):
    with pytest.raises(NoSuchScene, match="ShapePyramid"):
        make_clip("ShapePyramid", 0, 0, tmp_path / "out")
    with pytest.raises(UnknownProfile, match="better"):
        make_clip("ShapeBall", 0, 0, tmp_path / "out", profile="better")
    assert not (tmp_path / "out").exists()


@render
@pytest.mark.parametrize(("size", "fps", "what"), [((97, 72), 10, "97x72"), ((96, 72), 30, "30"), ((8, 8), 50, "8x8")])
def test_unusable_formats_are_named(size, fps, what, tmp_path):
    with pytest.raises(ValueError, match=what):
        make_clip("ShapeBall", 0, 0, tmp_path / "out", size=size, fps=fps)
    assert not (tmp_path / "out").exists()


@render
def test_clip_stands_in_the_official_layout(tmp_path):
    report = make_clip("TwoObjectOrdering", 1, 3, tmp_path, size=(96, 72), fps=10)
    files = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert files == [
        "trajectories/level1/TwoObjectOrdering/003.json",
        "trajectories/level1/TwoObjectOrdering/003.npz",
        "videos/level1/TwoObjectOrdering/003.mp4",
        "videos/level1/TwoObjectOrdering/003.txt",
    ]
    assert (tmp_path / files[3]).read_text() == f"{report.label},"
    facts = json.loads((tmp_path / files[0]).read_text())
    assert (facts["label"], facts["seed"], facts["index"], facts["profile"]) == (report.label, 1, 3, "corrected")
    assert facts["first_violation"] is None


@render
def test_finished_clip_is_kept_and_another_wish_makes_it_again(tmp_path):
    first = make_small("IP_GravityInertia", 1, tmp_path)
    before = first.path.stat().st_mtime_ns
    assert make_small("IP_GravityInertia", 1, tmp_path).was_kept
    assert first.path.stat().st_mtime_ns == before
    assert not make_small("IP_GravityInertia", 2, tmp_path).was_kept
    assert not make_clip("IP_GravityInertia", 2, 0, tmp_path, size=(64, 48), fps=10).was_kept
    facts = json.loads((tmp_path / "trajectories/level2/IP_GravityInertia/000.json").read_text())
    assert facts["first_violation"]["what"] == "the ball hovers with nothing under it"


@render
def test_same_clip_has_the_same_bytes(tmp_path):
    paths = [make_small("DirectionLeft", 1, tmp_path / name).path for name in ("a", "b")]
    assert paths[0].read_bytes() == paths[1].read_bytes()


@render
def test_clip_that_fails_its_audit_is_not_written(tmp_path, monkeypatch):
    doubt = Verdict("ball", findings=(Finding("doubt", "it looks wrong"),))
    monkeypatch.setattr("scenes.drawing.audit_trajectory", lambda trajectory: doubt)
    with pytest.raises(ClipFailed, match=r"ShapeBall 000.*20 draws.*it looks wrong"):
        make_small("ShapeBall", 0, tmp_path)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@render
def test_a_refused_draw_is_drawn_again(tmp_path, monkeypatch):
    verdicts = iter([Verdict("cube"), Verdict("ball"), Verdict("cube")])  # the last one for the other answer's draw
    monkeypatch.setattr("scenes.drawing.audit_trajectory", lambda trajectory: next(verdicts))
    assert make_small("ShapeBall", 0, tmp_path).redraws == 1


@render
def test_a_draw_that_another_answer_cannot_use_is_refused_too(tmp_path, monkeypatch):
    """Otherwise the answers would have different random draws."""
    doubt = Verdict("cube", findings=(Finding("doubt", "it looks wrong"),))
    verdicts = iter([Verdict("ball"), doubt, Verdict("ball"), Verdict("cube")])
    monkeypatch.setattr("scenes.drawing.audit_trajectory", lambda trajectory: next(verdicts))
    make_small("ShapeBall", 0, tmp_path)
    facts = json.loads((tmp_path / "trajectories/level1/ShapeBall/000.json").read_text())
    assert facts["refused"] == ["as ShapeCube: it looks wrong"]


@render
def test_no_half_file_is_left_when_rendering_breaks(tmp_path, monkeypatch):
    def broken(self, frame):
        raise RuntimeError("no picture")

    monkeypatch.setattr("scenes.rendering.soft_light.SoftLight.draw", broken)
    with pytest.raises(RuntimeError, match="no picture"):
        make_small("ShapeBall", 0, tmp_path)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["000.npz"]


@render
def test_folder_audit_names_what_was_tampered_with(tmp_path):
    for folder in ("ColorRed", "P_Gravity", "TwoObjectOrdering"):
        make_small(folder, 1, tmp_path)
    assert dict(audit_folder(tmp_path)) == {"ColorRed/000": [], "P_Gravity/000": [], "TwoObjectOrdering/000": []}
    for root in ("videos", "trajectories"):
        os.rename(tmp_path / root / "level1/ColorRed", tmp_path / root / "level1/ColorBlue")
        os.rename(tmp_path / root / "level2/P_Gravity", tmp_path / root / "level2/IP_Gravity")
    (tmp_path / "videos/level1/TwoObjectOrdering/000.txt").write_text("red ball,red cube,")
    found = dict(audit_folder(tmp_path))
    assert list(found) == ["ColorBlue/000", "TwoObjectOrdering/000", "IP_Gravity/000"]
    assert all(findings for findings in found.values())


@render
def test_folder_audit_finds_missing_and_broken_files(tmp_path):
    for folder in ("ColorRed", "ColorBlue"):
        make_small(folder, 1, tmp_path)
    (tmp_path / "videos/level1/ColorRed/000.mp4").unlink()
    (tmp_path / "trajectories/level1/ColorBlue/000.npz").write_bytes(b"PK\x03\x04 not a trajectory")
    found = dict(audit_folder(tmp_path))
    assert found["ColorRed/000"] == ["missing: 000.mp4"]
    assert found["ColorBlue/000"][0].startswith("unreadable")
