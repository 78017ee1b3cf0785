"""Digital clocks whose time goes forwards or backwards by the same number of minutes each image."""

from itertools import combinations

from numpy.random import Generator

from scenes.giraffe.icons import STRONG
from scenes.giraffe.puzzle import NEXT, ORDER, PROPERTY, Picture, PictureElement, Puzzle, each_of, row_of, series

STEPS = (5, 10, 15, 20, 25, 30, 40, 45, 50, 60, 75, 90, 120)  # minutes
DAY = {12: 720, 24: 1440}  # minutes after which a clock with this many hours repeats


def draw(rng: Generator) -> Puzzle:
    hours, images = int(rng.choice((12, 24))), int(rng.integers(3, 6))
    step, back = int(rng.choice(STEPS)), bool(rng.random() < 0.25)
    start, colour = int(rng.integers(DAY[hours])), str(rng.choice(STRONG))
    step = -step if back else step
    times = [_time_text(start + place * step, hours) for place in range(images)]
    following = start + images * step
    wrong = [
        (start + (images - 1) * step, "the last time once more"),
        (following + step, "two steps at once"),
        (start + (images - 2) * step, "a step the other way"),
        (following + 60, "an hour too late"),
        (following - 60, "an hour too early"),
        (following + 10, "10 minutes too late"),
        (following - 5, "5 minutes too early"),
    ]
    twice = [
        (one + other - following, f"{first}; and {second}") for (one, first), (other, second) in combinations(wrong, 2)
    ]

    def picture(minutes: int) -> Picture:
        return (PictureElement("clock", size=88, colour=colour, text=_time_text(minutes, hours)),)

    return Puzzle(
        (PROPERTY,),
        *row_of(picture, [start + place * step for place in range(images + 1)], (*wrong, *twice)),
        pattern=f"{each_of(images)} shows a {hours}-hour digital clock with {colour} figures. {ORDER} it reads"
        f" {series(times)}: from one image to the next it goes {'back' if back else 'on'} by {_lasting(abs(step))}.",
        pred=f"{NEXT} the clock will read {_time_text(following, hours)}.",
    )


def _time_text(minutes: int, hours: int) -> str:
    hour, minute = divmod(minutes % DAY[hours], 60)
    return f"{hour:02}:{minute:02}" if hours == 24 else f"{hour or 12}:{minute:02}"


def _lasting(minutes: int) -> str:
    hours, rest = divmod(minutes, 60)
    parts = [f"{hours} hour{'s' * (hours > 1)}"] * bool(hours) + [f"{rest} minutes"] * bool(rest)
    return " and ".join(parts)
