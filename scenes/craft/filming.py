"""A run -> video file, with the encoder setting of all clips that are made here."""

from pathlib import Path

from scenes.craft.drawing import pictures
from scenes.craft.world.run import RATE, SimulatedRun
from scenes.rendering.mujoco_renderer import RenderedFrame
from scenes.rendering.video import UnusableVideoFormat, encode

EDGE = 256  # pixels
SMALLEST, LARGEST = 16, 1080


def refuse_format(size: tuple[int, int], fps: int) -> None:
    """Raise UnusableVideoFormat for a size or frame rate that can't be made."""
    width, height = size
    if width != height or width % 2 or not SMALLEST <= width <= LARGEST:
        raise UnusableVideoFormat(
            f"size {width}x{height}: pictures of CRAFT are square, even, and {SMALLEST} to {LARGEST}, as 256x256"
        )
    if fps < 1 or RATE % fps:
        raise UnusableVideoFormat(f"fps {fps}: must divide {RATE}, for instance 60, 30 or 20")


def film(run: SimulatedRun, path: Path, *, edge: int = EDGE, fps: int = RATE) -> None:
    """Write the run as an mp4 file; the file gets its name only when it is complete.

    The first frame shows the world after the first step, as in the original; the start itself is never shown.
    """
    if run.poses is None:
        raise ValueError("this run kept no poses")
    found = pictures(run.start, run.poses[:: RATE // fps], edge)
    encode((RenderedFrame(pixels, is_new=is_new) for pixels, is_new in found), path, (edge, edge), fps)
