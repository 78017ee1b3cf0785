"""Frames of six shapes for drawing boxes in a browser, and ten gestures: by mouse, touch, keys and numbers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PIL import Image
from playwright.sync_api import Page

from benchmarks.models import RenditionKind
from benchmarks.storage.access import path_of
from humantrials.models import Trial
from humantrials.running.lifecycle import create_trial, open_trial
from tests.factories import make_clip, make_pack
from tests.firefox import Firefox

SHAPES = ((640, 360), (360, 640), (1920, 1080), (1080, 1920), (480, 480), (320, 240))
EDGES = ("left", "top", "width", "height")
# Without its stroke, which Firefox includes.
MEASURE = """(one) => {
  if (one.hasAttribute('hidden')) return null;
  one.style.strokeWidth = 0;
  const { left, top, right, bottom } = one.getBoundingClientRect();
  one.style.strokeWidth = '';
  return [left, top, right, bottom];
}"""
Box = tuple[float, float, float, float]  # left, top, right, bottom; in shares of the frame, or in its pixels


def shaped_trial(shapes=SHAPES, slug: str = "shaped") -> Trial:
    """A trial with one clip of each shape, whose middle frame is a real file."""
    pack = make_pack(benchmark="tapped")
    for number, (width, height) in enumerate(shapes):
        clip = make_clip(pack, key=f"object{number:04}", width=width, height=height)
        poster = clip.renditions.create(
            kind=RenditionKind.POSTER, name=f"{slug}{clip.pk}.jpg", sha256=f"{clip.pk:064x}", size=1
        )
        path_of(poster).parent.mkdir(parents=True, exist_ok=True)
        Image.linear_gradient("L").resize((width, height)).convert("RGB").save(path_of(poster), "JPEG")
    trial = create_trial(slug=slug, protocol="pacs-annotation", pack=pack, seed=1, settings={"qualification": False})
    open_trial(trial=trial)
    return trial


@dataclass(frozen=True)
class Canvas:
    """The picture on the page: its pixels' places on the screen, by the rules of SVG instead of the page's script."""

    page: Page | Firefox
    width: int
    height: int

    def frame(self) -> tuple[float, float, float]:
        """Left and top of the picture on the screen, and screen pixels per clip pixel."""
        found = self.page.locator("[data-canvas] svg").bounding_box()
        assert found is not None
        scale = min(found["width"] / self.width, found["height"] / self.height)
        left = found["x"] + (found["width"] - scale * self.width) / 2
        return left, found["y"] + (found["height"] - scale * self.height) / 2, scale

    def at(self, across: float, down: float) -> tuple[float, float]:
        """The screen point at these shares of the frame; outside of 0 to 1 it lies outside the frame."""
        left, top, scale = self.frame()
        return left + across * self.width * scale, top + down * self.height * scale

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        self.page.mouse.move(*self.at(*start))
        self.page.mouse.down()
        self.page.mouse.move(*self.at(*end), steps=3)
        self.page.mouse.up()

    def click(self, across: float, down: float) -> None:
        self.page.mouse.click(*self.at(across, down))

    def touch(
        self, start: tuple[float, float], end: tuple[float, float], *, last: str = "touchEnd", moves: int = 1
    ) -> None:
        """A touch as from a real screen; several moves give it a speed."""
        if isinstance(self.page, Firefox):
            self.page.touch(self.at(*start), self.at(*end))
            return
        (x, y), (right, bottom) = self.at(*start), self.at(*end)
        shares = [step / moves for step in range(moves + 1)]
        places = [{"x": x + (right - x) * share, "y": y + (bottom - y) * share} for share in shares]
        session = self.page.context.new_cdp_session(self.page)
        for number, place in enumerate(places):  # all measured before: a finger doesn't pause
            kind = "touchMove" if number else "touchStart"
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [place]})
        session.send("Input.dispatchTouchEvent", {"type": last, "touchPoints": []})
        session.detach()

    def type(self, box: Box) -> None:
        left, top, right, bottom = (round(edge) for edge in self.pixels(box))
        for name, value in zip(EDGES, (left, top, right - left, bottom - top), strict=True):
            self.page.locator(f"[name={name}]").fill(str(value))

    def press(self, *names: str) -> None:
        for name in names:
            self.page.locator("[data-keys]").press(name)

    def pixels(self, box: Box) -> list[float]:
        """Shares of the frame as pixels of the clip, within it."""
        sides = (self.width, self.height, self.width, self.height)
        return [min(max(share, 0), 1) * side for share, side in zip(box, sides, strict=True)]

    def seen(self) -> list[float] | None:
        """The visible rectangle, measured on the screen, in pixels of the clip; None if none is visible."""
        found = self.page.locator("[data-rectangle]").evaluate(MEASURE)
        left, top, scale = self.frame()
        return found and [(edge - (left, top)[at % 2]) / scale for at, edge in enumerate(found)]


def _by_keys(canvas: Canvas) -> Box:
    canvas.press("Enter", "ArrowRight", "Shift+ArrowDown", "Control+ArrowUp")
    across, down = 8 / canvas.width, 1 / canvas.height
    return 0.25 + across, 0.25 - down, 0.75 + across, 0.75 + 7 * down


def _undone(canvas: Canvas) -> Box:
    canvas.drag((0.2, 0.3), (0.6, 0.7))
    canvas.drag((0.4, 0.5), (0.5, 0.5))
    canvas.page.locator("[data-remove]").click()
    canvas.page.locator("[data-undo]").click()
    canvas.page.locator("[data-keys]").press("Control+z")
    return 0.2, 0.3, 0.6, 0.7


def _done(box: Box, *gestures: tuple[str, *tuple[Any, ...]]) -> Callable[[Canvas], Box]:
    """These gestures, each a method of the canvas with its arguments, and the box that they make."""

    def act(canvas: Canvas) -> Box:
        for name, *arguments in gestures:
            getattr(canvas, name)(*arguments)
        return box

    return act


DRAG, TOUCH, CLICK, TYPE = "drag", "touch", "click", "type"
BEGUN = (DRAG, (0.2, 0.2), (0.6, 0.6))
BY_CORNER = (DRAG, (0.6, 0.6), (0.8, 0.7))
BY_EDGES = ((DRAG, (0.5, 0.2), (0.5, 0.3)), (DRAG, (0.2, 0.5), (0.9, 0.5)))  # the second one beyond the opposite edge
TOUCHES = ((TOUCH, (0.2, 0.2), (0.6, 0.6)), (TOUCH, (0.4, 0.4), (0.5, 0.5)), (TOUCH, (0.7, 0.7), (0.8, 0.9)))
LOWER = (DRAG, (0.2, 0.3), (0.6, 0.7))
# Each draws on an empty picture and returns the expected box, in shares of the frame.
WAYS: dict[str, Callable[[Canvas], Box]] = {
    "backwards": _done((0.3, 0.2, 0.7, 0.8), (DRAG, (0.7, 0.8), (0.3, 0.2))),
    "second drag": _done((0.1, 0.15, 0.45, 0.5), (DRAG, (0.6, 0.6), (0.9, 0.9)), (DRAG, (0.1, 0.15), (0.45, 0.5))),
    "move": _done((0.3, 0.1, 0.7, 0.5), BEGUN, (DRAG, (0.4, 0.4), (0.5, 0.3))),
    "resize": _done((0.8, 0.3, 0.9, 0.7), BEGUN, BY_CORNER, *BY_EDGES),
    "touch": _done((0.3, 0.3, 0.8, 0.9), *TOUCHES),  # draws, moves, and resizes by a corner
    "keys": _by_keys,
    "beyond the edge": _done((0.5, 0.4, 1, 1), (DRAG, (0.5, 0.4), (1.08, 1.08))),
    "click first": _done((0.2, 0.3, 0.6, 0.7), (CLICK, 0.8, 0.8), LOWER, (CLICK, 0.9, 0.1)),
    "undo": _undone,
    "numbers": _done((0.1, 0.2, 0.5, 0.9), LOWER, (TYPE, (0.1, 0.2, 0.5, 0.9))),
}
