"""Sets that are made as a whole: every clip by its key, then the label files, which depend on all clips.

Plain Python, since the processes that make clips start without Django.
"""

import errno
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from scenes.scene import LOOK, Look, Profile

Size = tuple[int, int]


@dataclass(frozen=True)
class SetOrder:
    """The order of a set; `count` is in the maker's unit: videos per scene, pairs of objects, items per scenario."""

    count: int
    seed: int
    size: Size
    fps: int
    profile: Profile = "corrected"
    only: tuple[str, ...] = ()
    shares: str = ""  # "paper" draws questions in the paper's proportions; '' = all questions
    look: Look = LOOK


class SetMaker(Protocol):
    """Makes one benchmark's set; `size` and `fps` are its defaults, `things` the plural noun for its clips.

    `has_scenes`: whether a count makes that many clips of each scene, so that a total can be requested.
    """

    size: Size
    fps: int
    things: str
    has_scenes: bool

    def keys(self, order: SetOrder) -> list[str]:
        """Names of the clips; raises ValueError if the order is invalid."""
        ...

    def make(self, order: SetOrder, key: str, out: Path) -> bool:
        """Make this clip; return whether it existed already."""
        ...

    def write_labels(self, order: SetOrder, out: Path) -> None:
        """Write the label files; all clips must exist."""
        ...


def maker_named(path: str) -> SetMaker:
    """The maker with this dotted path; it imports rendering and physics on first use."""
    module, _, name = path.rpartition(".")
    maker: SetMaker = getattr(import_module(module), name)()
    return maker


class CraftVideos:
    """CRAFT: `count` videos of each scene, and the questions about them."""

    has_scenes = True
    size, fps = (256, 256), 60
    things = "videos"

    def keys(self, order: SetOrder) -> list[str]:
        from scenes.craft import generate

        generate.refuse_format(order.size, order.fps)
        generate.refuse_profile(order.profile)
        return generate.keys_of(order.count, order.only)

    def make(self, order: SetOrder, key: str, out: Path) -> bool:
        from scenes.craft import generate

        return generate.make(key, order.seed, out, profile=order.profile, size=order.size, fps=order.fps)

    def write_labels(self, order: SetOrder, out: Path) -> None:
        from scenes.craft import generate

        generate.write_labels(order.seed, out, profile=order.profile, shares=order.shares)


class TappedPairs:
    """Tapped: the objects of `count` pairs, and the questions about each pair."""

    has_scenes = False
    size, fps = (640, 360), 50  # PACS' boxes refer to 16:9
    things = "clips"

    def keys(self, order: SetOrder) -> list[str]:
        from scenes.rendering.video import states_a_frame  # opens the physics engine
        from scenes.tapped.planning import things_of

        if order.only or order.profile != "corrected" or order.shares:
            raise ValueError("tapped is made whole and in one profile: leave --only, --index, --profile, --shares out")
        if order.count < 1:
            raise ValueError(f"count {order.count}: must be at least 1")
        states_a_frame(order.size, order.fps)
        width, height = order.size
        if width * 9 != height * 16:
            raise ValueError(f"size {width}x{height}: tapped has pictures of 16:9, for instance 640x360")
        return [thing.key for thing in things_of(order.seed, order.count)]

    def make(self, order: SetOrder, key: str, out: Path) -> bool:
        from scenes.tapped import generate

        return generate.make_thing(order.seed, order.count, key, out, size=order.size, fps=order.fps, look=order.look)

    def write_labels(self, order: SetOrder, out: Path) -> None:
        from scenes.tapped import generate

        generate.write_labels(order.seed, order.count, out)


class GiraffePatterns:
    """Giraffe-Bench: `count` abstract patterns of each scenario; `hand` is the manually composed set."""

    has_scenes = False
    size, fps = (256, 256), 1  # one picture per second
    things = "rows of pictures"

    def keys(self, order: SetOrder) -> list[str]:
        from scenes.giraffe import generate

        if order.profile != "corrected" or order.shares:
            raise ValueError("giraffe is made in one profile: leave --profile and --shares out")
        generate.refuse_format(order.size, order.fps)
        return generate.keys_of(order.count, order.only)

    def make(self, order: SetOrder, key: str, out: Path) -> bool:
        from scenes.giraffe import generate

        return generate.make(key, order.seed, out, size=order.size, fps=order.fps)

    def write_labels(self, order: SetOrder, out: Path) -> None:
        from scenes.giraffe import generate

        generate.write_labels(order.seed, out)


def order_of(*, only: Sequence[str], size: Sequence[int], **fields: Any) -> SetOrder:
    """A `SetOrder` from a command's options or from JSON, which has no tuples."""
    return SetOrder(only=tuple(only), size=(int(size[0]), int(size[1])), **fields)


FULL = {errno.ENOSPC: "the disk is full", errno.EDQUOT: "the disk quota is used up"}
STOPPED = 143  # exit code of a process that was terminated


class ClipNotWritten(Exception):
    """A clip could not be written; the message is one sentence, and no partial file has the final name."""


def make_one(scene: str, seed: int, index: int, out: Path, options: Mapping[str, Any]) -> bool:
    """Make a clip, or a clip of a set if the options contain `maker` and `order`; return whether it existed already."""
    try:
        if "maker" in options:
            return maker_named(options["maker"]).make(options["order"], scene, out)
        return _made_of_scene(scene, seed, index, out, options)
    except OSError as error:  # includes the encoder's write errors
        if why := FULL.get(error.errno or 0):
            raise ClipNotWritten(f"{scene} {index:03}: {why}, so it was not written to {out}") from None
        raise


def _made_of_scene(scene: str, seed: int, index: int, out: Path, options: Mapping[str, Any]) -> bool:
    from scenes.clip import make_clip
    from scenes.drawing import ClipFailed

    try:
        return make_clip(scene, seed, index, out, **options).was_kept
    except ClipFailed as error:
        raise ClipNotWritten(str(error)) from error


ClipOrder = tuple[str, int, int, Path, Mapping[str, Any]]  # the arguments of `make_one`


def make_in_worker(clips: Sequence[ClipOrder]) -> list[bool]:
    """Call `make_one` for each order; SIGTERM removes the unfinished file and ends the process."""
    try:
        return [make_one(*clip) for clip in clips]
    except SystemExit:
        os._exit(STOPPED)  # otherwise the pool would catch the exception and begin the next clip


def wait_for_orders() -> None:
    """Set up a worker process: ignore Ctrl-C, which the parent handles, and stop on SIGTERM or with the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _stop)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Stop when the parent dies; otherwise the workers of a killed parent would wait forever."""
    if parent := multiprocessing.parent_process():
        parent.join()
        main = threading.main_thread().ident
        assert main is not None  # the main thread is running
        while True:  # an exception that is raised while an object is deleted is lost
            signal.pthread_kill(main, signal.SIGTERM)
            time.sleep(1)


def _stop(number: int, frame: object) -> None:
    raise SystemExit(STOPPED)
