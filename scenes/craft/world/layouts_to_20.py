"""Scenes 11 to 20 except 18, which is next to scene 1."""

from collections.abc import Iterator
from math import cos, pi, sin

from scenes.craft.world.layouts_to_10 import SHOTS
from scenes.craft.world.parts import Chance, Part, Spawn, ball, basket, circle, platform, ramp


def scene_11(u: Chance) -> Iterator[Part]:
    """Things move towards each other and a ball between them; a third slides down two slopes."""
    yield basket(u(-18, -21))
    r = u(12.5, 15)
    yield platform(r, 5)
    left = u(-12.5, -11)
    yield platform(left, 5)
    yield ball(1, u(2.5, 4.5))
    x = u(4.5, 5.5)
    yield platform(r + 1, 32, pi / x)
    yield platform(left + 5, u(15.5, 21.5), pi / 5)
    yield Spawn(r + 2, 6.5, -u(15.5, 21.5))
    yield Spawn(left - 2, 6.5, u(15.5, 21.5))
    yield Spawn(r + 2, 38.5, -pi, -x)


def scene_12(u: Chance) -> Iterator[Part]:
    """A funnel of slopes under a ball; two things start above the picture."""
    yield basket(u(-2, 7))
    ry, rx = u(5, 9), u(14, 17)
    yield platform(rx, ry)
    ly, lx = u(25, 35), u(-14, -17)
    yield platform(u(7, 10), 19, pi / 3)
    yield platform(-2, 14, -pi / 3)
    yield platform(-9, u(10, 15), -pi / 4)
    yield ball(-2, 27)
    yield Spawn(lx - 3, ly + 8, 5)
    yield Spawn(u(-4, 6), 56.5)
    yield Spawn(u(-4, 9), 49.5)
    yield circle(rx + 3, ry + 3, -5)


def scene_13(u: Chance) -> Iterator[Part]:
    """Three balls on the left, two long slopes that lead to them."""
    yield basket(u(-21, -15))
    yield ball(u(-7, -5), u(5, 10))
    middle = u(-13, -11)
    yield ball(middle, u(15, 20))
    yield ball(u(-19, -17), u(25, 30))
    alpha, ux, uy, stretch = u(pi / 7, pi / 5), u(14.5, 19), u(34, 38), u(1.5, 2)
    yield platform(ux, uy, alpha)
    yield platform(ux - 8 * stretch * cos(alpha), uy - 8 * stretch * sin(alpha), alpha)
    beta, wx, wy, reach = u(pi / 7, pi / 5), u(14, 22), u(22, 26), u(1.5, 2)
    yield platform(wx, wy, beta)
    yield platform(wx - 8 * reach * cos(beta), wy - 8 * reach * sin(beta), beta)
    yield Spawn(u(middle - 8, middle + 8), u(35, 48))
    yield Spawn(u(middle - 8, middle + 8), u(35, 48))
    for x, y, slope in ((wx, wy, beta), (ux, uy, alpha)):
        speed = u(-2, 0)
        yield Spawn(x + u(-1, 1), y + 1, speed * cos(slope), speed * sin(slope))


def scene_14(u: Chance) -> Iterator[Part]:
    """A shelf from which a circle rolls, and two slopes above."""
    yield basket(u(-1.5, 1.5))
    yield platform(-12, 12)
    yield platform(7, 30, pi / u(4, 7))
    yield platform(-17, 28, -pi / u(4, 7))
    yield circle(-16, 14, u(3, 7))
    yield Spawn(7, u(32, 34))
    yield Spawn(-17, u(36, 38))


def scene_15(u: Chance) -> Iterator[Part]:
    """A basket on a platform; a thing is thrown at it up a long slope."""
    k = u(8, 16)
    yield basket(k, 10)
    yield platform(k, 5.88)
    high = u(25, 29)
    yield platform(18, high, pi / 6)
    yield platform(-8, 12, pi / 6)
    yield platform(-8 - 16 * cos(pi / 6), 12 - 16 * sin(pi / 6), pi / 6)
    yield platform(-12, 36, -pi / u(3, 5))
    yield Spawn(-12, 40)
    yield Spawn(18, high + 5)
    v = u(15, 23)
    yield Spawn(-10, 12.5, v, v)


def scene_16(u: Chance) -> Iterator[Part]:
    """Scene 3 with its slope and its upper circle on the other side."""
    h = u(1, 4)
    yield basket(21)
    yield platform(-10, h)
    yield platform(-2, h)
    yield platform(9.5, h)
    yield platform(16, u(18.8, 20.6), -4 * pi / 5)
    yield platform(u(-13, -11), 9.2)
    yield platform(u(8, 13), 9.2)
    yield Spawn(18, u(26, 35))
    yield circle(18, 11.2, u(-10, -5))
    yield circle(-18, h + 2, u(5, 10))


def scene_17(u: Chance) -> Iterator[Part]:
    """Scene 4 with one shelf on the right."""
    yield basket(21)
    h1 = u(25, 27)
    yield platform(-18, h1)
    h2 = u(16, 19)
    yield from (platform(x, h2) for x in (-18, -11))
    h3 = u(10, 13)
    yield platform(u(11, 15), h3)
    h4 = u(3, 5)
    yield from (platform(x, h4) for x in (-18, -4, 8.5))
    yield circle(u(-17, -15), h1 + 1.5, u(9, 15))
    yield circle(u(-18, -16), h2 + 1.5, u(9, 15))
    yield Spawn(u(16, 18), h3 + 1.5, u(-10, -5))
    yield circle(-18, 5.5, u(9, 15))


def scene_19(u: Chance) -> Iterator[Part]:
    """Scene 2 without its pyramid."""
    yield basket(u(-19, -15))
    yield platform(17, 19)
    yield ramp(11, 19)
    yield platform(-26.5, u(11, 14), 6 * pi / 7)
    yield platform(-7.5, u(5, 7))
    yield platform(17, u(5, 7))
    yield circle(22, 20, u.one_of(SHOTS))
    yield Spawn(-22, u.freely(19, 35), 0, u.freely(0, -9))
    yield Spawn(u.freely(-12, -4), 8)
    yield Spawn(22, 8, u.freely(-29, -20))


def scene_20(u: Chance) -> Iterator[Part]:
    """Two slopes high on the right feed a floor; a triangle drops beside them."""
    yield basket(u(15, 20))
    y = u(6, 8)
    yield platform(0, y)
    yield platform(u(3, 7), y)
    yield platform(-18, u(13, 16), -pi / u(4, 5))
    yield platform(-8, 28, pi / 6)
    yield platform(7, 37, pi / 6)
    z = u(42, 46)
    yield Spawn(10, z, -1, -1)
    yield Spawn(1, z - 4, -1, -1)
    yield Spawn(-10, z - 12, -1.5, -1.5, shape="triangle")
