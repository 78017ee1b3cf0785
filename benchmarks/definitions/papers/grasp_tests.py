"""The tests of GRASP: the label of each folder of the release, and the concepts tested."""

from dataclasses import dataclass


@dataclass(frozen=True)
class GroundingTest:
    """A Level-1 test; `labels` maps each folder to the true label of its clips; empty for orderings."""

    name: str
    labels: dict[str, str]
    objects: int = 0  # number of objects in an ordering


@dataclass(frozen=True)
class PhysicsTest:
    """A Level-2 test with its number in the paper."""

    number: int
    name: str
    concepts: tuple[str, ...]
    caution: str = ""


LEVEL_1 = (
    GroundingTest("Shape", {"ShapeBall": "ball", "ShapeCube": "cube"}),
    GroundingTest("Color", {"ColorRed": "red", "ColorGreen": "green", "ColorBlue": "blue", "ColorBlack": "black"}),
    GroundingTest("Movement", {"MovementTrue": "moving", "MovementFalse": "not moving"}),
    GroundingTest(
        "Direction",
        {
            "DirectionForward": "forward",
            "DirectionBackward": "backward",
            "DirectionLeft": "left",
            "DirectionRight": "right",
        },
    ),
    GroundingTest("RelationalPosition", {"RelationalPositionLeft": "left", "RelationalPositionRight": "right"}),
    GroundingTest("TwoObjectOrdering", {}, objects=2),
    GroundingTest("ThreeObjectOrdering", {}, objects=3),
    GroundingTest("FourObjectOrdering", {}, objects=4),
)

DEFLECTION = "deflection angle"

LEVEL_2 = (
    PhysicsTest(1, "Unchangeableness", ("unchangeableness",)),
    PhysicsTest(2, "Unchangeableness2", ("unchangeableness",)),
    PhysicsTest(3, "SolidityContinuity", ("solidity", "continuity")),
    PhysicsTest(4, "SolidityContinuity2", ("solidity", "continuity")),
    PhysicsTest(5, "ObjectPermanence2", ("object permanence",)),
    PhysicsTest(6, "ObjectPermanence", ("object permanence",)),
    PhysicsTest(7, "ObjectPermanence3", ("object permanence",)),
    PhysicsTest(8, "Inertia", ("inertia",), DEFLECTION),
    PhysicsTest(9, "Gravity", ("gravity",)),
    PhysicsTest(10, "GravityInertia", ("gravity", "inertia")),
    PhysicsTest(11, "GravityInertia2", ("gravity", "inertia")),
    PhysicsTest(12, "Continuity", ("continuity",)),
    PhysicsTest(13, "GravityContinuity", ("gravity", "continuity")),
    PhysicsTest(14, "Collision", ("collision",)),
    PhysicsTest(15, "GravitySupport", ("support", "gravity")),
    PhysicsTest(16, "Inertia2", ("inertia",)),
)

# In the order of Table 1.
CONCEPTS = (
    "continuity",
    "solidity",
    "inertia",
    "gravity",
    "collision",
    "object permanence",
    "support",
    "unchangeableness",
)

PHYSICS_BY_NAME = {test.name: test for test in LEVEL_2}
# The official text file swaps the two words in the name of test 15.
PHYSICS_BY_NAME_IN_TEXTS = PHYSICS_BY_NAME | {"SupportGravity": PHYSICS_BY_NAME["GravitySupport"]}
