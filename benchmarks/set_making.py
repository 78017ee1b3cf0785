"""Sets that are made whole: every clip by its key, then the label files, which hang on all of them.

Plain Python, since the processes that make clips start without the site.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from scenes.scene import Profile

Size = tuple[int, int]


@dataclass(frozen=True)
class SetOrder:
    """What was asked for; `count` is what its maker counts: videos a scene, pairs of objects, items a scenario."""

    count: int
    seed: int
    size: Size
    fps: int
    profile: Profile = "corrected"
    only: tuple[str, ...] = ()


class SetMaker(Protocol):
    """How one benchmark is made; `size` and `fps` are its own unless others are asked for, `things` what it counts."""

    size: Size
    fps: int
    things: str

    def keys(self, order: SetOrder) -> list[str]:
        """Names of its clips; raises ValueError for what can't be made, before anything is."""
        ...

    def make(self, order: SetOrder, key: str, out: Path) -> bool:
        """Make this clip; says whether it stood already."""
        ...

    def write_labels(self, order: SetOrder, out: Path) -> None:
        """Write the label files of the clips, all of which stand."""
        ...


def maker_named(path: str) -> SetMaker:
    """By dotted path of its class; what it draws and simulates with is imported when it is first needed."""
    module, _, name = path.rpartition(".")
    maker: SetMaker = getattr(import_module(module), name)()
    return maker


class CraftVideos:
    """CRAFT: so many videos of each scene, and the questions about them."""

    size, fps = (256, 256), 60
    things = "videos"

    def keys(self, order: SetOrder) -> list[str]:
        from scenes.craft import making

        making.refuse_format(order.size, order.fps)
        return making.keys_of(order.count, order.only)

    def make(self, order: SetOrder, key: str, out: Path) -> bool:
        from scenes.craft import making

        return making.make(key, order.seed, out, profile=order.profile, size=order.size, fps=order.fps)

    def write_labels(self, order: SetOrder, out: Path) -> None:
        from scenes.craft import making

        making.write_labels(order.seed, out, profile=order.profile)


class TappedPairs:
    """Tapped: the objects of so many pairs, and what is asked of each pair."""

    size, fps = (640, 360), 50  # PACS gives its boxes in 16:9
    things = "clips"

    def keys(self, order: SetOrder) -> list[str]:
        from scenes.rendering.video import states_a_frame  # opens the physics engine
        from scenes.tapped import making

        if order.only or order.profile != "corrected":
            raise ValueError("tapped is made whole and in one profile: leave --only, --index, --profile out")
        if order.count < 1:
            raise ValueError(f"count {order.count}: must be at least 1")
        states_a_frame(order.size, order.fps)
        width, height = order.size
        if width * 9 != height * 16:
            raise ValueError(f"size {width}x{height}: tapped has pictures of 16:9, for instance 640x360")
        return [thing.key for thing in making.things_needed(order.seed, order.count)]

    def make(self, order: SetOrder, key: str, out: Path) -> bool:
        from scenes.tapped import making

        return making.make_thing(order.seed, order.count, key, out, size=order.size, fps=order.fps)

    def write_labels(self, order: SetOrder, out: Path) -> None:
        from scenes.tapped import making

        making.write_labels(order.seed, order.count, out)


class GiraffePatterns:
    """Giraffe-Bench: so many abstract patterns of each scenario; `hand` is the set that was composed by hand."""

    size, fps = (256, 256), 1  # a picture a second
    things = "rows of pictures"

    def keys(self, order: SetOrder) -> list[str]:
        from scenes.giraffe import making

        if order.profile != "corrected":
            raise ValueError("giraffe is made in one profile: leave --profile out")
        making.refuse_format(order.size, order.fps)
        return making.keys_of(order.count, order.only)

    def make(self, order: SetOrder, key: str, out: Path) -> bool:
        from scenes.giraffe import making

        return making.make(key, order.seed, out, size=order.size, fps=order.fps)

    def write_labels(self, order: SetOrder, out: Path) -> None:
        from scenes.giraffe import making

        making.write_labels(order.seed, out)


def order_of(*, only: Sequence[str], size: Sequence[int], **told: Any) -> SetOrder:
    """From the options of a command, or from JSON, which knows no tuples."""
    return SetOrder(only=tuple(only), size=(int(size[0]), int(size[1])), **told)
