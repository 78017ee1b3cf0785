"""Scenes 1 to 10: the basket, then fixed things, then moving things, each in the original's order of creation."""

from collections.abc import Iterator
from math import pi

from scenes.craft.world.catalogue import COLOURS, SIZES
from scenes.craft.world.parts import Chance, Part, Spawn, ball, basket, circle, platform, ramp

SHOTS = (-24.0, -28.0, -25.0, -18.0, -19.0)  # metres a second


def scene_1(u: Chance) -> Iterator[Part]:
    """Two low platforms beside the basket, three slopes above; things rest below and are thrown from above."""
    yield basket(u(-3, 3))
    yield platform(u(-13, -11), u(5, 7))
    yield platform(u(11, 13), u(5, 7))
    yield platform(-18, u(15, 17), 4 * pi / 5)
    yield platform(-5, 18, 51 * pi / u(51.2, 57))
    yield platform(16, u(22, 26), 51 * pi / u(51.2, 57))
    yield from thrown(u)


def thrown(u: Chance) -> Iterator[Part]:
    """The five things of scenes 1 and 18."""
    yield Spawn(u(-10, -7), 9)
    yield Spawn(u(10, 15), 9)
    yield Spawn(22, 17, -10, -4)
    yield Spawn(-10, u(35, 45), 3, -8)
    yield Spawn(16, 30, -21, -5)


def scene_18(u: Chance) -> Iterator[Part]:
    """Scene 1 with a ball in place of two slopes."""
    yield basket(u(-3, 3))
    yield platform(u(-13, -11), u(5, 7))
    yield platform(u(11, 13), u(5, 7))
    yield platform(-18, u(15, 17), 4 * pi / 5)
    yield ball(-4, 25)
    yield from thrown(u)


def scene_2(u: Chance) -> Iterator[Part]:
    """A pyramid of six small cubes, shot at by a circle; three more circles."""
    yield basket(u(1, 7))
    yield platform(17, 19)
    yield platform(9, 19)
    yield ramp(11, 19)
    yield platform(-26.5, 12, 6 * pi / 7)
    yield platform(-7.5, u(5, 7))
    yield platform(17, u(5, 7))
    places = ((3, 20), (5.2, 20), (7.4, 20), (4, 22), (6.2, 22), (5, 24))
    for (x, y), colour in zip(places, u.mixed(list(COLOURS)), strict=False):
        yield Spawn(x, y, shape="cube", size="small", colour=colour)
    ways = (
        (22.0, 20.0, u.one_of(SHOTS), 0.0),
        (-22.0, u.freely(19, 35), 0.0, u.freely(0, -9)),
        (u.freely(-12, -4), 8.0, 0.0, 0.0),
        (22.0, 8.0, u.freely(-29, -20), 0.0),
    )
    for way, colour in zip(ways, u.mixed(list(COLOURS)), strict=False):
        yield Spawn(*way, shape="circle", size=u.one_of(SIZES), colour=colour)


def scene_3(u: Chance) -> Iterator[Part]:
    """A floor of platforms and two more above it; circles roll, one thing drops down a slope."""
    h = u(1, 4)
    yield basket(21)
    yield platform(-10, h)
    yield platform(-2, h)
    yield platform(9.5, h)
    yield platform(-13, u(18.8, 19.6), 4 * pi / 5)
    yield platform(u(-13, -11), 9.2)
    yield platform(u(8, 13), 9.2)
    yield Spawn(-18, u(26, 35))
    yield circle(-18, 11.2, u(5, 10))
    yield circle(-18, h + 2, u(5, 10))


def scene_4(u: Chance) -> Iterator[Part]:
    """Four shelves of different lengths, a circle on each."""
    yield basket(21)
    h1 = u(22, 24)
    yield from (platform(x, h1) for x in (-18, -8, -2))
    h2 = u(15, 17)
    yield from (platform(x, h2) for x in (-18, -9))
    yield platform(-18, u(9, 11))
    h4 = u(3, 5)
    yield from (platform(x, h4) for x in (-18, -4, 9.5))
    yield circle(u(-17, -15), 24.5, u(5, 15))
    yield circle(u(-18, -16), 17.8, u(5, 15))
    yield circle(u(-18, -17), 11.5, u(5, 15))
    yield circle(-18, 5.5, u(5, 15))


def scene_5(u: Chance) -> Iterator[Part]:
    """A circle is shot off a jump towards slopes on the right."""
    yield basket(u(-5, 5))
    yield ramp(u(-9, -5), 11, pi / 2)
    yield platform(-11, 11)
    yield platform(-18, 11)
    yield platform(u(8, 13), 21, 30 * pi / u(31, 35))
    yield platform(16, 6, -15 * pi / u(16, 19))
    yield platform(12, u(12, 14))
    yield circle(u(-20, -18), 13.5, u(30, 39))
    yield Spawn(12, 23)
    yield Spawn(12, 16)


def scene_6(u: Chance) -> Iterator[Part]:
    """A steep slope, a middle shelf and a low floor."""
    yield basket(u(5, 10))
    yield platform(-12, 28, 5 * pi / u(6.25, 7))
    yield platform(16, 14, -15 * pi / u(16, 19))
    yield platform(5, u(17, 20), pi)
    q = u(3, 9)
    yield platform(-5, q, pi)
    yield platform(-19, q, pi)
    yield Spawn(-12, 31, 0, -15)
    # Its height is drawn separately from the shelf's, as in the original: it may start above the shelf or inside it.
    yield circle(4, u(17, 20) + 2, -8)
    yield circle(u(-20, -16), q + 2, u(8, 3))


def scene_7(u: Chance) -> Iterator[Part]:
    """Slopes down to a shelf on the left; three things fall, a large circle rolls."""
    yield basket(u(17, 20))
    yield platform(u(-15, -12), u(16, 18), 7 * pi / 8)
    yield platform(7, u(8, 9), 7 * pi / 8)
    yield platform(-10, u(8, 9), pi)
    x = u(10, 34)
    yield platform(10, u(21, 23), -x * pi / (x + 2))
    yield Spawn(-12, 25)
    yield Spawn(-15, 38)
    yield Spawn(10, 26)
    yield Spawn(-12, 11, u(3, 6), shape="circle", size="large", is_left_out_when_alike=True)


def scene_8(u: Chance) -> Iterator[Part]:
    """A raised basket at the end of a staircase of slopes; three things start far above the picture."""
    yield basket(u(19, 22), u(17, 20))
    t = u(28, 30)
    yield platform(u(-9, -11), t - 2, 4 * pi / 5)
    yield platform(u(-1, 1), t, 4 * pi / 5)
    b = u(6, 8.5)
    g = b + 4.6
    yield platform(-17, b, pi)
    yield platform(-2.8, g, -4 * pi / 5)
    yield platform(3.3, g + 3.25, -4 * pi / 5)
    yield platform(9.3, g + 6.5, -4 * pi / 5)
    yield Spawn(-12, t + u(26, 38))
    yield Spawn(-2, t + u(26, 38))
    yield Spawn(u(-13, -1), t + u(43, 52))
    yield circle(-u(15, 17), b + 2, u(24, 33))


def scene_9(u: Chance) -> Iterator[Part]:
    """Symmetric: circles roll apart on top, things rest on a shelf in the middle."""
    yield basket(u(-1, 1))
    t = u(28, 31)
    yield platform(7, t, pi)
    yield platform(-7, t, pi)
    yield platform(-u(16, 18), u(24, 25), u(7.5, 8.5) * pi / 9)
    yield platform(u(16, 18), u(24, 25), -u(7.5, 8.5) * pi / 9)
    m = u(14, 16)
    yield platform(u(4.5, 5.5), m, pi)
    yield platform(-u(4.5, 5.5), m, pi)
    yield platform(-u(12, 14), u(5, 6.5), u(7.5, 8.25) * pi / 9)
    yield platform(u(12, 14), u(5, 6.5), -u(7.5, 8.25) * pi / 9)
    yield circle(u(1.5, 12.5), t + 1.5, u(20, 40))
    yield circle(-u(1.5, 12.5), t + 1.5, -u(20, 40))
    yield Spawn(-u(8, 12), m + 1.5)
    yield Spawn(u(8, 12), m + 1.5)


def scene_10(u: Chance) -> Iterator[Part]:
    """Three slopes and a shelf; everything falls from rest."""
    yield basket(u(2, 6))
    h = u(26, 30)
    yield platform(-8, h, 44 * pi / u(51.2, 57))
    yield platform(-17, 17, 43 * pi / u(51.2, 57))
    yield platform(u(14, 18), 18, -46 * pi / u(51.2, 57))
    yield platform(u(-10, -6), u(3, 8))
    yield Spawn(-8, h + 4)
    yield Spawn(-19, u(25, 36))
    yield Spawn(16, u(29, 36))
