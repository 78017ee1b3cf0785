"""English for patterns: numbers in words, lists, things with their colours."""

from collections.abc import Sequence

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
PLURALS = {"cherry": "cherries", "leaf": "leaves", "fish": "fish"}


def word(number: int) -> str:
    """The number in words up to twelve, else in digits."""
    return NUMBERS[number] if 0 < number < len(NUMBERS) else str(number)


def series(parts: Sequence[object]) -> str:
    """ "1, 2 and 3"."""
    words = [str(part) for part in parts]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def plural(name: str) -> str:
    return PLURALS.get(name) or f"{name}{'es' if name.endswith(('s', 'sh', 'x')) else 's'}"


def counted(number: int, name: str, colour: str = "") -> str:
    """ "1 red apple", "3 red apples"."""
    return f"{number} {colour} {name if number == 1 else plural(name)}".replace("  ", " ")


def a(name: str) -> str:
    """ "a key", "an apple"."""
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def units(number: int, name: str) -> str:
    """ "one square", "two squares"."""
    return f"{word(number)} {name if number == 1 else plural(name)}"


def each_of(images: int) -> str:
    return f"Each of these {word(images)} images"


ORDER = "In the order of the images,"
NEXT = "In the next image,"
