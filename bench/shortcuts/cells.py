"""Data: the input of each classifier, the cells that the target leaves out (stated before measuring), known reasons."""

LOOKS = {
    "parameters": "drawn parameters",
    "size": "file size",
    "length": "length",
    "telltale": "telltale",
    "first": "first frame",
    "last": "last frame",
}
CONTROL = "control"

# Tests whose outcome is the final position of objects: the last frame shows the answer. The target and Holm's
# correction leave these last frames out.
REVEALED_BY_LAST_FRAME = {
    "SolidityContinuity": "The ball lies at the first barrier or at the second, seen from where it started.",
    "SolidityContinuity2": "The ball lies on the upper floor or on the lower one.",
    "GravityInertia": "The ball lies on the floor or hovers above it.",
    "GravityInertia2": "The ball has run on to the far side, or it lies under the edge or floats.",
    "Continuity": "The ball lies in the open corner or inside the closed one.",
    "GravityContinuity": "The ball lies below the gap or on the shelf beyond it.",
    "Collision": "Both balls lie at the far wall, or at the foot of the plank.",
    "GravitySupport": "The box rests on its support, or with most of it beyond the end.",
}

# Parameters that are the violation itself: no classifier sees them.
OF_THE_VIOLATION: dict[str, dict[str, str]] = {}

# Known reasons why a cell misses the target, by (profile, test, sight).
EXPLAINED: dict[tuple[str, str, str], str] = {
    ("faithful", "ObjectPermanence2", "first"): "The block stands beside the screens in a plausible clip and between "
    "them in an implausible one, as Appendix H has it; with the rod's housing in view, that place tells the answer.",
    ("faithful", "Unchangeableness", "parameters"): "Implausible clips start at once, behind a higher screen.",
    ("faithful", "Unchangeableness", "first"): "Its screen, higher and nearer, waits in another place.",
    ("faithful", "Unchangeableness", "last"): "What was recoloured is white, which no object is at the start.",
    ("faithful", "Unchangeableness2", "parameters"): "The camera's height varies more in implausible clips.",
    ("faithful", "Unchangeableness2", "first"): "The camera's height varies more in implausible clips.",
    ("faithful", "ObjectPermanence3", "last"): "Presumably because the plank is slow and swings further in implausible "
    "clips: more of them end before it lies flat again.",
    ("faithful", "Continuity", "parameters"): "The ball of a plausible clip runs to either corner, that of an "
    "implausible one always across the tray: where it starts and where it ends hang together.",
    ("faithful", "Unchangeableness2", "last"): "The ball is white, which it never is at the start.",
    ("faithful", "ObjectPermanence", "parameters"): "Implausible clips have a larger ball and a lower screen.",
    ("faithful", "ObjectPermanence", "first"): "The screen is lower in implausible clips.",
    ("faithful", "ObjectPermanence", "last"): "The screen is lower in implausible clips.",
}

# Known reasons why the control does not learn a test.
NOT_LEARNT = {
    "Continuity": "Presumably because the ball rests alike in both answers: what differs is on which side of it a thin "
    "plank lies, a pixel or two wide at 72 lines. Of 48 pairs of another seed the area was 0.58."
}
