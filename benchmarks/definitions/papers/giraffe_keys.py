"""Scenarios and changes of Giraffe-Bench's patterns, as named in its releases."""

SCENARIOS = ("clock", "snake", "quantity", "number", "rotation", "trajectory", "tetris", "shadow", "colour", "size")
CHANGES = ("spatial-movement", "rotation", "quantity", "property")  # the paper's four dimensions of patterns
