"""One body of a CRAFT scene at one moment."""

from dataclasses import dataclass

from scenes.craft.world.catalogue import DYNAMIC_SHAPES, OUTLINES, Outline, Point, polygon_of

MOVES = 0.001  # metres a second along either axis from which on a thing counts as moving


@dataclass(frozen=True)
class Thing:
    """A body and its state; `uid` counts down in order of creation, so that 0 is the newest."""

    uid: int
    shape: str
    size: str
    colour: str
    position: Point  # metres, y up
    angle: float  # radians, counter-clockwise
    velocity: Point = (0.0, 0.0)  # metres a second
    spin: float = 0.0  # radians a second
    is_awake: bool = True
    corners: int = 0  # of a circle; 0: it is round

    @property
    def is_dynamic(self) -> bool:
        return self.shape in DYNAMIC_SHAPES

    @property
    def is_moving(self) -> bool:
        """Whether it moves by the benchmark's rule, which ignores gravity and rotation."""
        return self.is_dynamic and max(map(abs, self.velocity)) > MOVES

    @property
    def outline(self) -> Outline:
        outline = OUTLINES[self.shape, self.size]
        return polygon_of(outline.radius, self.corners) if outline.radius and self.corners else outline
