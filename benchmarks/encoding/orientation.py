"""How a picture is turned and mirrored before it is shown, as cameras note it beside the stream. Pure."""

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SIZE = struct.calcsize("9i")


@dataclass(frozen=True)
class Orientation:
    """First the axes are exchanged (`swaps`), then the picture is flipped `across` (left to right) and `down`."""

    swaps: bool = False
    across: bool = False
    down: bool = False

    @classmethod
    def of(cls, matrix: bytes) -> "Orientation":
        """The nearest turn by right angles to a display matrix: nine 32-bit integers, see FFmpeg's display.h."""
        if len(matrix) < SIZE:
            return UPRIGHT
        right, below, _u, left, up, *_rest = struct.unpack("9i", matrix[:SIZE])
        if abs(below) > abs(right):
            return cls(swaps=True, across=left < 0, down=below < 0)
        return cls(across=right < 0, down=up < 0)

    @property
    def words(self) -> str:
        """What is done to the stored picture, "" for nothing: "mirrored", "turned by 90°" (clockwise), or both."""
        is_mirrored = self.swaps ^ self.across ^ self.down
        across = self.across ^ is_mirrored if not self.swaps else self.across
        down = self.down ^ is_mirrored if self.swaps else self.down
        angle = (90 if across else 270) if self.swaps else (180 if down and across else 0)
        parts = (["mirrored"] if is_mirrored else []) + ([f"turned by {angle}°"] if angle else [])
        return " and ".join(parts)

    def applied(self, picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The picture [height, width, 3] as it is shown."""
        upright = picture.swapaxes(0, 1) if self.swaps else picture
        return np.ascontiguousarray(upright[:: -1 if self.down else 1, :: -1 if self.across else 1])


UPRIGHT = Orientation()
