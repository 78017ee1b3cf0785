"""Controls Firefox over WebDriver BiDi: what tests of drawing and of studies need, with Playwright's names.

Playwright's own Firefox is a patched build that has to be downloaded; Debian's supports BiDi.
"""

import json
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

PATH = shutil.which("firefox-esr") or shutil.which("firefox")
STARTS_WITHIN, PATIENCE = 60, 60  # seconds
KEYS = {
    "Tab": "\ue004",
    "Enter": "\ue007",
    "Shift": "\ue008",
    "Control": "\ue009",
    "ArrowLeft": "\ue012",
    "ArrowUp": "\ue013",
    "ArrowRight": "\ue014",
    "ArrowDown": "\ue015",
}


class Firefox:
    """One page in a running Firefox: `evaluate`, `mouse`, `locator` and `touch`."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket, self.count, self.at = socket, 0, (0, 0)
        self.call("session.new", capabilities={})
        # In a tab of our own: in the first one the address bar has the focus, so that keys press no button of the page.
        self.context = self.call("browsingContext.create", type="tab")["context"]
        self.mouse = self

    def call(self, method: str, **parameters: Any) -> Any:
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": parameters}))
        while (answer := json.loads(self.socket.recv(timeout=PATIENCE))).get("id") != self.count:
            pass
        if answer["type"] == "error":
            raise AssertionError(f"{method}: {answer['message']}")
        return answer["result"]

    def set_viewport_size(self, size: dict[str, int]) -> None:
        self.call("browsingContext.setViewport", context=self.context, viewport=size)

    def goto(self, address: str) -> None:
        self.call("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def evaluate(self, script: str, *arguments: object) -> Any:
        """The value of a script, which is an expression or a function of the arguments; promises are awaited."""
        code = (
            f"(async () => {{ const one = ({script}); return JSON.stringify("
            f"typeof one === 'function' ? await one(...{json.dumps(arguments)}) : await one); }})()"
        )
        found = self.call("script.evaluate", expression=code, target={"context": self.context}, awaitPromise=True)
        if found["type"] == "exception":
            raise AssertionError(found["exceptionDetails"]["text"])
        value = found["result"].get("value")
        return None if value is None else json.loads(value)

    @property
    def url(self) -> str:
        return self.evaluate("location.href")

    def wait_for_function(self, script: str) -> None:
        """Wait until the script's value is true; a page that is being left gives none."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with suppress(AssertionError):
                if self.evaluate(script):
                    return
            time.sleep(0.05)
        raise AssertionError(f"waited {PATIENCE} s in vain for {script}")

    @contextmanager
    def expect_navigation(self) -> Iterator[None]:
        """Wait at the end until another page is loaded."""
        self.evaluate("() => { window.isLeft = true; }")
        yield
        self.wait_for_function("!window.isLeft && document.readyState === 'complete'")

    def locator(self, selector: str) -> "Element":
        return Element(self, selector)

    def move(self, x: float, y: float, *, steps: int = 1) -> None:
        (left, top), self.at = self.at, (round(x), round(y))
        between = [(left + (x - left) * step / steps, top + (y - top) * step / steps) for step in range(1, steps + 1)]
        self._pointer("mouse", [_to(*point) for point in between])

    def down(self) -> None:
        self._pointer("mouse", [{"type": "pointerDown", "button": 0}])

    def up(self) -> None:
        self._pointer("mouse", [{"type": "pointerUp", "button": 0}])

    def click(self, x: float, y: float) -> None:
        self.move(x, y)
        self.down()
        self.up()

    def touch(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        down, up = {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}
        self._pointer("touch", [_to(*start), down, _to(*end), up])

    def _pointer(self, kind: str, actions: Sequence[dict[str, Any]]) -> None:
        source = {"type": "pointer", "id": kind, "parameters": {"pointerType": kind}, "actions": list(actions)}
        self.call("input.performActions", context=self.context, actions=[source])

    def type(self, *held: str) -> None:
        """Press these keys one after the other and release them in reverse order, such as Shift and ArrowDown."""
        keys = [KEYS.get(name, name) for name in held]
        actions = [{"type": "keyDown", "value": key} for key in keys]
        actions += [{"type": "keyUp", "value": key} for key in reversed(keys)]
        source = {"type": "key", "id": "keys", "actions": actions}
        self.call("input.performActions", context=self.context, actions=[source])


def _to(x: float, y: float) -> dict[str, Any]:
    return {"type": "pointerMove", "x": round(x), "y": round(y)}


@dataclass(frozen=True)
class Element:
    """The first element that matches a selector."""

    page: Firefox
    selector: str

    def evaluate(self, function: str) -> Any:
        return self.page.evaluate(f"() => ({function})(document.querySelector({json.dumps(self.selector)}))")

    def bounding_box(self) -> dict[str, float]:
        return self.evaluate(
            "(one) => (({x, y, width, height}) => ({x, y, width, height}))(one.getBoundingClientRect())"
        )

    def is_enabled(self) -> bool:
        return self.evaluate("(one) => !one.disabled")

    def click(self) -> None:
        self.evaluate("(one) => one.scrollIntoView({block: 'nearest'})")
        box = self.bounding_box()
        self.page.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def press(self, keys: str) -> None:
        self.evaluate("(one) => one.focus({preventScroll: true})")
        self.page.type(*keys.split("+"))

    def fill(self, text: str) -> None:
        self.evaluate("(one) => { one.focus({preventScroll: true}); one.select(); }")
        for letter in text:
            self.page.type(letter)


@contextmanager
def open_firefox(**preferences: bool) -> Iterator[Firefox]:
    """A headless Firefox with its own profile; it ends with the block."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items())
        Path(profile, "user.js").write_text("".join(lines))
        command = [str(PATH), "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        try:
            with connect(_address(process) + "/session", open_timeout=STARTS_WITHIN, max_size=None) as socket:
                yield Firefox(socket)
        finally:
            process.terminate()
            process.wait(timeout=PATIENCE)


def _address(process: subprocess.Popen[str]) -> str:
    for line in process.stderr or ():
        if found := re.search(r"WebDriver BiDi listening on (ws://\S+)", line):
            return found[1]
    raise AssertionError("Firefox ended before it said where it listens")
