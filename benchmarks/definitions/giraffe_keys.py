"""Facet values that Giraffe-Bench's definition and importer share: data sets, scenarios, changes in a pattern."""

from benchmarks.definitions.definition import FacetValue

DATASETS = (
    FacetValue("human-made", "Patterns made by people", level="1"),
    FacetValue("automated", "Patterns made by scripts", level="1"),
    FacetValue("activitynet", "ActivityNet Captions", level="2"),
    FacetValue("charades", "Charades", level="2"),
    FacetValue("clevrer", "CLEVRER", level="3"),
    FacetValue("roboset", "RoboSet (Teleoperation)", level="3"),
    FacetValue("human-made-choice", "Patterns made by people, four to choose from", level="4"),
    FacetValue("automated-choice", "Patterns made by scripts, four to choose from", level="4"),
)

# The paper speaks of ten but names eight; the last two are ours, within the paper's four dimensions of patterns.
SCENARIOS = (
    FacetValue("clock", "Digital clocks"),
    FacetValue("snake", "Snake"),
    FacetValue("quantity", "Item quantity changes"),
    FacetValue("number", "Numerical variations"),
    FacetValue("rotation", "Object rotations"),
    FacetValue("trajectory", "Trajectory movements"),
    FacetValue("tetris", "Tetris"),
    FacetValue("shadow", "Shadow rotations"),
    FacetValue("colour", "Colour change (ours)"),
    FacetValue("size", "Size change (ours)"),
)

# The paper's four dimensions of patterns.
CHANGES = (
    FacetValue("spatial-movement", "Spatial movement"),
    FacetValue("rotation", "Rotation"),
    FacetValue("quantity", "Quantity"),
    FacetValue("property", "Property: colour, number, shape, size"),
)
