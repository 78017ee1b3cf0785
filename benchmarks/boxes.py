"""Boxes that mark an object on a frame: brought to a clip's own size, and the square cut around one. Pure."""

Box = tuple[int, int, int, int]  # left, top, right, bottom in pixels; right and bottom are just outside
Size = tuple[int, int]  # width, height in pixels

BLOW_UP = 1.25  # how much larger than the box the cut is


def scaled(box: Box, *, given_in: Size, to: Size) -> Box:
    """The same box on a frame of another size, never empty and never outside."""
    (wide, high), (width, height) = given_in, to
    left, top = (min(round(box[0] * width / wide), width - 1), min(round(box[1] * height / high), height - 1))
    right, bottom = round(box[2] * width / wide), round(box[3] * height / high)
    return left, top, min(max(right, left + 1), width), min(max(bottom, top + 1), height)


def square_around(box: Box, frame: Size, *, blow_up: float = BLOW_UP) -> Box:
    """The cut that PACS' own preparation makes: the box grown to a square, then by a quarter, then moved inside.

    What does not fit even so is cut off, so that a huge box gives no square. Rounded as in the release.
    """
    horizontal, vertical = _squared((box[0], box[2]), (box[1], box[3]))
    (left, right), (top, bottom) = (
        _inside(_grown(edges, blow_up), length) for edges, length in ((horizontal, frame[0]), (vertical, frame[1]))
    )
    return int(left), int(top), int(right), int(bottom)


def _squared(horizontal: tuple[int, int], vertical: tuple[int, int]) -> tuple[tuple[int, int], tuple[int, int]]:
    """The shorter side grown on both ends to the longer one's length."""
    width, height = horizontal[1] - horizontal[0], vertical[1] - vertical[0]
    if width > height:
        return horizontal, _of_length(vertical, width)
    return (_of_length(horizontal, height), vertical) if height > width else (horizontal, vertical)


def _of_length(edges: tuple[int, int], length: int) -> tuple[int, int]:
    middle = sum(edges) / 2
    return int(middle - length / 2 - 0.5), int(middle + length / 2 + 0.5)


def _grown(edges: tuple[int, int], blow_up: float) -> tuple[float, float]:
    more = (blow_up - 1) / 2 * (edges[1] - edges[0])
    return edges[0] - more, edges[1] + more


def _inside(edges: tuple[float, float], length: int) -> tuple[float, float]:
    """Moved back at the far end, then at the near end, then cut to the frame."""
    low, high = edges
    if high >= length:
        low, high = low - (high - length), float(length)
    if low < 0:
        low, high = 0.0, high - low
    return max(0.0, low), min(high, float(length))
