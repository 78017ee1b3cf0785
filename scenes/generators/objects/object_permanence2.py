"""Test 5, ObjectPermanence2: two screens slide and one covers a block; a rod pushes it out from there or not."""

from dataclasses import dataclass

from numpy.random import Generator

from scenes.generators import chance
from scenes.generators.room import at, board, rod, room, slide
from scenes.scene import Action, After, Arrived, Body, Glide, Profile, Scene, Teleport, TriggeredAction, Vector

MIDDLE = 3.728
SCREEN_SPEED = 1.0  # metres a second
SCREEN_HEIGHT, SCREEN_DEPTH = 11.975, -0.134
HEIGHT = 11.994  # metres, of block and rod
BLOCK = 0.3  # metres along the push


@dataclass(frozen=True)
class TableLayout:
    """Sizes in metres; places are counted from the middle, in the direction in which the screens move."""

    screen: float  # width of one
    gap: float  # between the screens' centres; each screen moves by half of it
    trailing: float  # start of the screen that comes second
    thick: float  # of the block, away from the viewer
    depth: float  # of block and rod
    rod: float  # length
    box: float  # from the middle to each end of the box
    housing: float  # from the middle to the start of a housing

    @property
    def way(self) -> float:
        return self.gap / 2

    @property
    def ends(self) -> tuple[float, float]:
        """Final places of the trailing and the leading screen."""
        return self.trailing + self.way, self.trailing + self.way + self.gap

    @property
    def final_place(self) -> float:
        """The block's final place, between the screens."""
        return self.trailing + self.gap


PUBLISHED = TableLayout(screen=0.5, gap=2.0, trailing=-2.814, thick=0.3, depth=0.07, rod=2.0, box=3.2, housing=0.65)
# The published screen is too narrow for the block behind it: the camera still sees a strip of the block. Here both
# sides have housings and everything ends in the middle between them, so that screens and block give nothing away.
MENDED = TableLayout(screen=0.65, gap=1.2, trailing=-1.2, thick=0.2, depth=0.02, rod=1.9, box=4.2, housing=1.55)
PUBLISHED_ROD, MENDED_ROD = 2.064, 3.05  # metres from the middle to the centre of a waiting rod


@dataclass(frozen=True)
class RodPath:
    """How block and rod move, in the layout's places; `from_ahead` is 1 for a rod from ahead of the screens, else
    -1."""

    side: int  # the screens' direction along x
    layout: TableLayout
    speed: float
    start: float
    covered: float  # where the rod meets the block
    rod: float
    from_ahead: int

    def x(self, ahead: float) -> float:
        return MIDDLE + self.side * ahead

    def place(self, ahead: float) -> Vector:
        """Centre of block or rod at this place, as in the published tables."""
        return self.x(ahead), HEIGHT, self.layout.depth

    def touching(self, block: float) -> float:
        """The rod's place when it touches a block at this place."""
        return block + self.from_ahead * (BLOCK + self.layout.rod) / 2

    def to(self, name: str, ahead: float) -> Glide:
        return Glide(name, at(*self.place(ahead)), self.speed)


def object_permanence2(rng: Generator, label: str, profile: Profile) -> Scene:
    camera = chance.camera(rng, (MIDDLE, 13.191, -3.650), (MIDDLE, 12.539, -0.130), x=(-0.5, 0.5), height=(-0.5, 0.5))
    delay = chance.delay(rng, 50, 150)
    outer_colour, inner_colour, rod_colour = (chance.strong_colour(rng) for _ in range(3))
    speed = float(rng.uniform(1, 1.5))
    tint, wood, is_mirrored = chance.wall_tint(rng), chance.wood(rng), chance.is_mirrored(rng)
    path = (_published if profile == "faithful" else _mended)(label, -1 if is_mirrored else 1, speed)
    layout = path.layout
    housings = (path.side,) if profile == "faithful" else (-1, 1)
    screen, upright = (layout.screen, 1, 0.01), (SCREEN_HEIGHT, SCREEN_DEPTH)
    trailing, leading = path.x(layout.trailing), path.x(layout.trailing + layout.gap)
    return Scene(
        test="ObjectPermanence2",
        label=label,
        bodies=(
            *room(tint),
            *_box(wood, layout.box),
            *(part for side in housings for part in _housing(wood, layout, side)),
            slide("OuterScreen", (trailing, *upright), screen, "Shiny", role="screen", colour=outer_colour),
            slide("InnerScreen", (leading, *upright), screen, "Shiny", role="screen", colour=inner_colour),
            slide("Block", path.place(path.start), (BLOCK, 0.4, layout.thick), "FabricPattern3", role="block"),
            rod(path.place(path.rod), (layout.rod, 0.1, 0.1), rod_colour),
        ),
        camera=camera,
        rules=_rules(path, delay),
        parameters=chance.parameters(delay, speed, wood, is_mirrored),
    )


def _published(label: str, side: int, speed: float) -> RodPath:
    """The leading screen covers the block or, in an implausible clip, the trailing one; the rod comes from ahead."""
    behind_trailing, behind_leading = PUBLISHED.ends
    start = behind_leading if label == "plausible" else behind_trailing
    return RodPath(side, PUBLISHED, speed, start, behind_leading, PUBLISHED_ROD, 1)


def _mended(label: str, side: int, speed: float) -> RodPath:
    """The trailing screen covers the block; a rod pushes it out from there or, if implausible, from the other one."""
    behind_trailing, behind_leading = MENDED.ends
    from_ahead = -1 if label == "plausible" else 1
    covered = behind_trailing if label == "plausible" else behind_leading
    return RodPath(side, MENDED, speed, behind_trailing, covered, from_ahead * MENDED_ROD, from_ahead)


def _rules(path: RodPath, delay: float) -> tuple[TriggeredAction, ...]:
    layout = path.layout
    is_elsewhere = path.covered != path.start
    jump: tuple[Action, ...] = (Teleport("Block", at(*path.place(path.covered))),) if is_elsewhere else ()
    push = (path.to("Rod", path.touching(layout.final_place)), path.to("Block", layout.final_place))
    return (
        TriggeredAction(After(delay), (_screen("OuterScreen", path, 0), _screen("InnerScreen", path, 1))),
        TriggeredAction(Arrived("InnerScreen"), (*jump, path.to("Rod", path.touching(path.covered)))),
        TriggeredAction(Arrived("Rod"), push),
        TriggeredAction(Arrived("Block"), (path.to("Rod", path.rod),)),
    )


def _screen(name: str, path: RodPath, place: int) -> Glide:
    return Glide(name, at(path.x(path.layout.ends[place]), SCREEN_HEIGHT, SCREEN_DEPTH), SCREEN_SPEED)


def _box(wood: str, half: float) -> tuple[Body, ...]:
    length = 2 * half + 0.1
    return (
        board("Box/ShelfBack", (MIDDLE, 11.789, 0.145), (length, 0.01, 0.45), wood, role="floor"),
        board("Box/ShelfFront", (MIDDLE, 11.789, -0.405), (length, 0.01, 0.45), wood),
        board("Box/Right", (MIDDLE + half, 11.534, -0.13), (0.1, 0.5, 1), wood),
        board("Box/Left", (MIDDLE - half, 11.534, -0.13), (0.1, 0.5, 1), wood),
        board("Box/Bottom", (MIDDLE, 11.279, -0.13), (length, 0.01, 1), wood),
        board("Box/Front", (MIDDLE, 11.534, -0.635), (length, 0.52, 0.01), wood),
        board("Box/Back", (MIDDLE, 12.794, 0.365), (length, 2, 0.01), "Pole"),
        board("Box/Back2", (MIDDLE, 11.534, 0.365), (length - 0.2, 0.5, 0.01), "Pole"),
    )


def _housing(wood: str, layout: TableLayout, side: int) -> tuple[Body, ...]:
    """A housing that hides a waiting rod, from its start to the box's end."""
    length = layout.box - 0.05 - layout.housing
    middle = MIDDLE + side * (layout.housing + length / 2)
    where = "Right" if side > 0 else "Left"
    return (
        board(f"{where}Housing/Outside", (MIDDLE + side * layout.box, 12.794, -0.14), (0.1, 2, 1), wood),
        board(f"{where}Housing/Front", (middle, 12.794, -0.59), (length, 2, 0.1), wood),
        board(f"{where}Housing/Top", (middle + side * 0.05, 13.844, -0.14), (length + 0.1, 0.1, 1), wood),
    )
