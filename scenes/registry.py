"""Every scene that can be made, keyed by its folder's name in the official layout.

To add a test: write its scene function in `generators/<test>.py` and its EXPECTATION in `audit/<test>.py`, add one line
to `TESTS` below and one to `EXPECTATIONS` in `audit/auditing.py`, and add its mutations to the tests.
"""

from collections.abc import Callable
from dataclasses import dataclass

from numpy.random import Generator

from scenes.generators.dynamics.collision import collision
from scenes.generators.dynamics.gravity import gravity
from scenes.generators.dynamics.gravity_continuity import gravity_continuity
from scenes.generators.dynamics.gravity_inertia import gravity_inertia
from scenes.generators.dynamics.gravity_inertia2 import gravity_inertia2
from scenes.generators.dynamics.gravity_support import gravity_support
from scenes.generators.dynamics.inertia import inertia
from scenes.generators.dynamics.inertia2 import inertia2
from scenes.generators.level1.ordering import ordering
from scenes.generators.level1.relational_position import relational_position
from scenes.generators.level1.shape import color, shape
from scenes.generators.level1.tray import direction, movement
from scenes.generators.objects.continuity import continuity
from scenes.generators.objects.object_permanence import object_permanence
from scenes.generators.objects.object_permanence2 import object_permanence2
from scenes.generators.objects.object_permanence3 import object_permanence3
from scenes.generators.objects.solidity_continuity import solidity_continuity
from scenes.generators.objects.solidity_continuity2 import solidity_continuity2
from scenes.generators.objects.unchangeableness import unchangeableness
from scenes.generators.objects.unchangeableness2 import unchangeableness2
from scenes.scene import Profile, Scene

Draw = Callable[[Generator, str, Profile], Scene]


@dataclass(frozen=True)
class SceneKind:
    """One folder of clips: a test with one of its answers."""

    folder: str
    level: int
    test: str
    number: int  # seeds the draws that all answers of the test share
    label: str  # empty if the answer is drawn at random
    draw: Draw


@dataclass(frozen=True)
class Test:
    """A test and the names of its folders, one for each answer."""

    name: str
    level: int
    number: int
    draw: Draw
    folders: dict[str, str]


def _answers(test: str, *labels: str) -> dict[str, str]:
    return {f"{test}{label.capitalize()}": label for label in labels}


def _pair(test: str) -> dict[str, str]:
    return {f"P_{test}": "plausible", f"IP_{test}": "implausible"}


# The number is part of every clip's seed: a new test needs a new one, and none may change. Level 2 uses the paper's.
TESTS = (
    Test("Shape", 1, 101, shape, _answers("Shape", "ball", "cube")),
    Test("Color", 1, 102, color, _answers("Color", "red", "green", "blue", "black")),
    Test("Direction", 1, 103, direction, _answers("Direction", "forward", "backward", "left", "right")),
    Test("Movement", 1, 104, movement, _answers("Movement", "true", "false")),
    Test("RelationalPosition", 1, 105, relational_position, _answers("RelationalPosition", "left", "right")),
    Test("TwoObjectOrdering", 1, 106, ordering(2, "TwoObjectOrdering"), {"TwoObjectOrdering": ""}),
    Test("ThreeObjectOrdering", 1, 107, ordering(3, "ThreeObjectOrdering"), {"ThreeObjectOrdering": ""}),
    Test("FourObjectOrdering", 1, 108, ordering(4, "FourObjectOrdering"), {"FourObjectOrdering": ""}),
    Test("Unchangeableness", 2, 1, unchangeableness, _pair("Unchangeableness")),
    Test("Unchangeableness2", 2, 2, unchangeableness2, _pair("Unchangeableness2")),
    Test("SolidityContinuity", 2, 3, solidity_continuity, _pair("SolidityContinuity")),
    Test("SolidityContinuity2", 2, 4, solidity_continuity2, _pair("SolidityContinuity2")),
    Test("ObjectPermanence2", 2, 5, object_permanence2, _pair("ObjectPermanence2")),
    Test("ObjectPermanence", 2, 6, object_permanence, _pair("ObjectPermanence")),
    Test("ObjectPermanence3", 2, 7, object_permanence3, _pair("ObjectPermanence3")),
    Test("Inertia", 2, 8, inertia, _pair("Inertia")),
    Test("Gravity", 2, 9, gravity, _pair("Gravity")),
    Test("GravityInertia", 2, 10, gravity_inertia, _pair("GravityInertia")),
    Test("GravityInertia2", 2, 11, gravity_inertia2, _pair("GravityInertia2")),
    Test("Continuity", 2, 12, continuity, _pair("Continuity")),
    Test("GravityContinuity", 2, 13, gravity_continuity, _pair("GravityContinuity")),
    Test("Collision", 2, 14, collision, _pair("Collision")),
    Test("GravitySupport", 2, 15, gravity_support, _pair("GravitySupport")),
    Test("Inertia2", 2, 16, inertia2, _pair("Inertia2")),
)

SCENES: dict[str, SceneKind] = {
    folder: SceneKind(folder, test.level, test.name, test.number, label, test.draw)
    for test in TESTS
    for folder, label in test.folders.items()
}
