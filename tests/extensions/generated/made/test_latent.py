import pytest

from extensions.generated.made.latent import ADHERENCE, KINDS, PHYSICAL, ClipTruth, mean_quality, step_of


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weights", [PHYSICAL, ADHERENCE])
def test_a_worse_break_seems_worse(kind, weights):
    seems = [mean_quality(weights, ClipTruth(severity > 0, kind, severity=severity)) for severity in range(4)]
    assert seems == sorted(seems, reverse=True)
    assert len(set(seems)) == 4


def test_a_break_counts_for_physics_and_a_still_picture_for_the_prompt():
    broken, whole = ClipTruth(True, "falls", severity=3), ClipTruth()
    assert mean_quality(PHYSICAL, broken) < mean_quality(PHYSICAL, whole, follows=-2.5)
    assert mean_quality(ADHERENCE, broken) > mean_quality(ADHERENCE, whole, follows=-2.5)


@pytest.mark.parametrize(
    ("latent", "steps", "step"), [(0.2, 5, 1), (3.6, 5, 4), (9, 5, 5), (5, 2, 2), (2.9, 2, 1), (4.9, 4, 4), (1, 7, 1)]
)
def test_the_answer_is_the_nearest_step(latent, steps, step):
    assert step_of(latent, steps) == step


def test_the_truth_of_a_clip_is_read_from_its_row():
    record = {"is_broken": True, "kind": "turns", "onset": 1.5, "visible_from": 2.0, "severity": 2}
    assert ClipTruth.of(record) == ClipTruth(True, "turns", 1.5, 2.0, 2)
    whole = {"is_broken": False, "kind": "", "onset": None, "visible_from": None, "severity": None}
    assert ClipTruth.of(whole) == ClipTruth.of(record | {"is_broken": False}) == ClipTruth()
    assert ClipTruth.of(record | {"severity": None}).severity == 2
