"""Boxes that mark an object on a frame: scaling to a clip's size, and the square crop around a box. Pure."""

Box = tuple[int, int, int, int]  # left, top, right, bottom in pixels; right and bottom are just outside
Size = tuple[int, int]  # width, height in pixels

BLOW_UP = 1.25  # size of the crop relative to the box


def scaled(box: Box, *, reference: Size, to: Size) -> Box:
    """The box on a frame of another size, never empty and always inside the frame."""
    (wide, high), (width, height) = reference, to
    left, top = (min(round(box[0] * width / wide), width - 1), min(round(box[1] * height / high), height - 1))
    right, bottom = round(box[2] * width / wide), round(box[3] * height / high)
    return left, top, min(max(right, left + 1), width), min(max(bottom, top + 1), height)


def square_around(box: Box, frame: Size) -> Box:
    """The crop of PACS' preparation: the box grown to a square, enlarged by a quarter, then moved inside the frame.

    Parts that still don't fit are cut off, so a huge box gives no square. Rounding is as in the release.
    """
    horizontal, vertical = _squared((box[0], box[2]), (box[1], box[3]))
    (left, right), (top, bottom) = (
        _inside(_grown(edges), length) for edges, length in ((horizontal, frame[0]), (vertical, frame[1]))
    )
    return int(left), int(top), int(right), int(bottom)


def _squared(horizontal: tuple[int, int], vertical: tuple[int, int]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Both pairs of edges, the shorter side extended on both ends to the length of the longer."""
    width, height = horizontal[1] - horizontal[0], vertical[1] - vertical[0]
    if width > height:
        return horizontal, _of_length(vertical, width)
    return (_of_length(horizontal, height), vertical) if height > width else (horizontal, vertical)


def _of_length(edges: tuple[int, int], length: int) -> tuple[int, int]:
    middle = sum(edges) / 2
    return int(middle - length / 2 - 0.5), int(middle + length / 2 + 0.5)


def _grown(edges: tuple[int, int]) -> tuple[float, float]:
    more = (BLOW_UP - 1) / 2 * (edges[1] - edges[0])
    return edges[0] - more, edges[1] + more


def _inside(edges: tuple[float, float], length: int) -> tuple[float, float]:
    """The edges moved inside the far end, then inside the near end, then clipped to the frame."""
    low, high = edges
    if high >= length:
        low, high = low - (high - length), float(length)
    if low < 0:
        low, high = 0.0, high - low
    return max(0.0, low), min(high, float(length))
