"""Selects the frames of a clip and their size, identically for models and people."""

LONGEST_SIDE = 448  # pixels; larger clips are scaled down to this


def evenly_spaced(count: int, total: int) -> tuple[int, ...]:
    """The numbers of `count` frames out of `total`, including the first and the last; one alone is the middle frame."""
    if count == 1 or total == 1:  # a still image is shown once
        return (total // 2,)
    return tuple(round(place * (total - 1) / (count - 1)) for place in range(count))


def scaled_size(width: int, height: int) -> tuple[int, int]:
    """Width and height at which a frame is shown."""
    scale = min(1.0, LONGEST_SIDE / max(width, height))
    return max(1, round(width * scale)), max(1, round(height * scale))
