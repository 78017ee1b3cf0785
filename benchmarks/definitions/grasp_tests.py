"""The tests of GRASP: their titles, the label of each folder of the release, and the concepts tested."""

from dataclasses import dataclass


@dataclass(frozen=True)
class GroundingTest:
    """A Level-1 test; `labels` maps each folder to the true label of its clips and is empty for the orderings."""

    name: str
    title: str
    labels: dict[str, str]
    objects: int = 0  # number of objects in an ordering


@dataclass(frozen=True)
class PhysicsTest:
    """A Level-2 test with its number in the paper."""

    number: int
    name: str
    title: str
    concepts: tuple[str, ...]
    caution: str = ""


LEVEL_1 = (
    GroundingTest("Shape", "Shape", {"ShapeBall": "ball", "ShapeCube": "cube"}),
    GroundingTest(
        "Color", "Color", {"ColorRed": "red", "ColorGreen": "green", "ColorBlue": "blue", "ColorBlack": "black"}
    ),
    GroundingTest("Movement", "Movement", {"MovementTrue": "moving", "MovementFalse": "not moving"}),
    GroundingTest(
        "Direction",
        "Directionality",
        {
            "DirectionForward": "forward",
            "DirectionBackward": "backward",
            "DirectionLeft": "left",
            "DirectionRight": "right",
        },
    ),
    GroundingTest(
        "RelationalPosition",
        "Relational position",
        {"RelationalPositionLeft": "left", "RelationalPositionRight": "right"},
    ),
    GroundingTest("TwoObjectOrdering", "Ordering, two objects", {}, objects=2),
    GroundingTest("ThreeObjectOrdering", "Ordering, three objects", {}, objects=3),
    GroundingTest("FourObjectOrdering", "Ordering, four objects", {}, objects=4),
)

DEFLECTION = "deflection angle"

LEVEL_2 = (
    PhysicsTest(1, "Unchangeableness", "Objects behind a screen", ("unchangeableness",)),
    PhysicsTest(2, "Unchangeableness2", "Ball rolls past a block", ("unchangeableness",)),
    PhysicsTest(3, "SolidityContinuity", "Ball and two barriers", ("solidity", "continuity")),
    PhysicsTest(4, "SolidityContinuity2", "Ball falls onto a platform", ("solidity", "continuity")),
    PhysicsTest(5, "ObjectPermanence2", "Block and two screens", ("object permanence",)),
    PhysicsTest(6, "ObjectPermanence", "Ball behind a low screen", ("object permanence",)),
    PhysicsTest(7, "ObjectPermanence3", "Drawbridge", ("object permanence",)),
    PhysicsTest(8, "Inertia", "Ball bounces off a wall", ("inertia",), DEFLECTION),
    PhysicsTest(9, "Gravity", "Ball on a slope", ("gravity",)),
    PhysicsTest(10, "GravityInertia", "Ball falls behind a screen", ("gravity", "inertia")),
    PhysicsTest(11, "GravityInertia2", "Ball rolls over an edge", ("gravity", "inertia")),
    PhysicsTest(12, "Continuity", "Ball and a closed corner", ("continuity",)),
    PhysicsTest(13, "GravityContinuity", "Ball and a gap", ("gravity", "continuity")),
    PhysicsTest(14, "Collision", "Ball hits a ball", ("collision",)),
    PhysicsTest(15, "GravitySupport", "Block pushed to an edge", ("support", "gravity")),
    PhysicsTest(16, "Inertia2", "Ball rolls under a cover", ("inertia",)),
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
