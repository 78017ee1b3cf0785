"""Test 15, GravitySupport: a rod pushes a block along a beam, and the block stays on it or hangs in the air."""

from dataclasses import dataclass, replace

from numpy.random import Generator

from scenes.generators import chance
from scenes.generators.room import at, board, rod, room, slide
from scenes.scene import After, Arrived, Body, Glide, Profile, Released, Scene, TriggeredAction, Vector

MIDDLE, DEPTH, SHELF = 3.728, -0.63, 11.794  # metres; SHELF is the height of the shelf's top
BEAM, ROD = 3.5, 3.5  # metres: lengths
BLOCK_START, ROD_START = -0.565, -3.017  # metres from the middle, in the direction of the push
RESERVE = (0.03, 0.8)  # metres of the beam that a plausible block leaves free: least and most
OVERHANG = (0.6, 0.95)  # share of an implausible block that is pushed over the edge


@dataclass(frozen=True)
class Push:
    """Direction and speed of the push, and the block's edge, which equals the beam's height and depth."""

    way: int
    edge: float
    speed: float

    def at(self, ahead: float) -> Vector:
        """Centre of block or rod, this many metres ahead of the middle."""
        return at(MIDDLE + self.way * ahead, SHELF + 1.5 * self.edge, DEPTH)

    def rod(self, ahead: float) -> Glide:
        return Glide("Rod", self.at(ahead), self.speed)

    def block(self, ahead: float) -> Glide:
        return Glide("Block", self.at(ahead), self.speed)

    @property
    def apart(self) -> float:
        """Metres between the centres of rod and block when they touch."""
        return ROD / 2 + self.edge / 2


def gravity_support(rng: Generator, label: str, profile: Profile) -> Scene:
    camera = chance.camera(rng, (MIDDLE, 13.635, -5.691), (MIDDLE, 12.539, -0.130), x=(-0.5, 0.5), height=(-0.5, 0.5))
    delay = chance.delay(rng, 20, 100)
    colour, rod_colour, speed = chance.strong_colour(rng), chance.strong_colour(rng), float(rng.uniform(1.5, 2))
    tint, wood, is_mirrored = chance.wall_tint(rng), chance.wood(rng), chance.is_mirrored(rng)
    edge, share = float(rng.uniform(0.5, 0.9)), float(rng.uniform(0, 1))
    # Corrected: half of the plausible blocks are pushed as far as an implausible one, and fall. Those that stay move
    # less, so that motion does not tell the answer.
    falls = label == "plausible" and profile == "corrected" and bool(rng.integers(2))
    push = Push(1 if is_mirrored else -1, edge, speed)
    x, height, depth = MIDDLE + push.way * BLOCK_START, SHELF + 1.5 * edge, DEPTH
    block = slide("Block", (x, height, depth), (edge, edge, edge), "Shiny", role="block", colour=colour)
    return Scene(
        test="GravitySupport",
        label=label,
        bodies=(
            *room(tint),
            *_box(wood, push.way),
            board("Beam", (MIDDLE, SHELF + edge / 2, DEPTH), (BEAM, edge, edge), "FabricPattern3", role="beam"),
            replace(block, motion="free", is_held=True) if falls else block,
            rod((MIDDLE + push.way * ROD_START, height, depth), (ROD, 0.2, 0.2), rod_colour),
        ),
        camera=camera,
        rules=_rules(push, delay, _end("implausible" if falls else label, profile, edge, share), falls=falls),
        parameters=chance.parameters(delay, speed, wood, is_mirrored, edge=edge, shift=share),
    )


def _end(label: str, profile: Profile, edge: float, share: float) -> float:
    """Metres from the middle to the block's final centre; `share` is a draw from 0 to 1."""
    is_plausible = label == "plausible"
    if profile == "faithful":  # the rod's centre is drawn; the block may overhang by up to half or be wholly beyond
        low, high = (-1.75, -edge / 2) if is_plausible else (2 * edge / 3, 0.397)
        return low + share * (high - low) + ROD / 2 + edge / 2
    if is_plausible:
        low, high = RESERVE
        return BEAM / 2 - edge / 2 - low - share * (high - low)
    low, high = OVERHANG
    return BEAM / 2 - edge / 2 + edge * (low + share * (high - low))


def _rules(push: Push, delay: float, end: float, *, falls: bool) -> tuple[TriggeredAction, ...]:
    let_go = (Released("Block"),) if falls else ()
    return (
        TriggeredAction(After(delay), (push.rod(BLOCK_START - push.apart),)),
        TriggeredAction(Arrived("Rod"), (push.rod(end - push.apart), push.block(end))),
        TriggeredAction(Arrived("Block"), (push.rod(ROD_START), *let_go)),
    )


def _box(wood: str, way: int) -> tuple[Body, ...]:
    """A long shelf and the housing from which the rod comes."""
    return (
        board("Shelf", (MIDDLE, 11.644, DEPTH), (10, 0.3, 2), wood, role="floor"),
        board("Back", (3.718, 12.794, 0.365), (9.98, 2, 0.01), "Pole"),
        board("Housing/Front", (MIDDLE - way * 2.9, 12.794, -1.58), (4, 2, 0.1), wood),
        board("Housing/Top", (MIDDLE - way * 2.95, 13.844, DEPTH), (4.1, 0.1, 2), wood),
        board("Housing/Outside", (MIDDLE - way * 4.95, 12.794, DEPTH), (0.1, 2, 2), wood),
    )
