"""RelationalPosition: a ball to the left or the right of a barrier, as the camera sees it."""

from numpy.random import Generator

from scenes.generators import chance
from scenes.generators.room import at, ball, board, room, table
from scenes.scene import Camera, Profile, Scene

DEPTH = -10.168
# The camera looks back into the room, 45 degrees downwards and 4.5 degrees aside, so that +x is left in the picture.
CAMERA = Camera(at(4.925, 15.328, -3.641), at(4.925 - 0.0784 * 6.0, 15.328 - 6.0, -3.641 - 0.9969 * 6.0))
BALL_X = {"left": 6.5, "right": 1.0}


def relational_position(rng: Generator, label: str, profile: Profile) -> Scene:
    colour = chance.strong_colour(rng)
    barrier = board("Barrier", (3.745, 11.724, DEPTH), (0.5, 3, 5), "Pole", role="barrier")
    thing = ball("Ball", 2.0, (BALL_X[label], 11.224, DEPTH), colour, role="object", material="matte", motion="still")
    return Scene(
        test="RelationalPosition",
        label=label,
        bodies=(*room(), *table(3.745, DEPTH), barrier, thing),
        camera=CAMERA,
        parameters={"red": colour[0], "green": colour[1], "blue": colour[2]},
    )
