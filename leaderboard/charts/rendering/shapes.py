"""The shapes of a drawing, in drawing units."""

from dataclasses import dataclass, field

from django.utils.safestring import SafeString

from leaderboard.charts.rendering.looks import paint


class Painted:
    """A shape whose `look` says how it is painted."""

    look: str

    @property
    def paint(self) -> SafeString:
        """The attributes of the look, for SVG."""
        return paint(self.look)


@dataclass(frozen=True)
class Rectangle(Painted):
    x: float
    y: float
    width: float
    height: float
    look: str


@dataclass(frozen=True)
class Line(Painted):
    x1: float
    y1: float
    x2: float
    y2: float
    look: str
    title: str = ""


@dataclass(frozen=True)
class Label(Painted):
    """A line of text; `whole` is all of the text if it has several."""

    x: float
    y: float
    text: str
    anchor: str = "start"
    look: str = "text quiet"
    whole: str = ""


@dataclass(frozen=True)
class PointShape(Painted):
    x: float
    y: float
    outline: str
    look: str
    title: str
    scale: float = 1.0


@dataclass(frozen=True)
class Picture:
    """A square image, given as a data URL."""

    x: float
    y: float
    edge: float
    address: str


@dataclass(frozen=True)
class Drawing:
    """Shapes, painted as rectangles, lines, then marks; `parts` are drawings inside this one with their places."""

    title: str
    about: str
    width: float
    height: float
    rectangles: tuple[Rectangle, ...] = ()
    lines: tuple[Line, ...] = ()
    labels: tuple[Label, ...] = ()
    points: tuple[PointShape, ...] = ()
    pictures: tuple[Picture, ...] = ()
    parts: tuple[tuple[float, float, "Drawing"], ...] = field(default=(), repr=False)
    narrow: "Drawing | None" = field(default=None, repr=False)  # the same chart for phones
