"""The vocabulary of panels: how they read the entry URL, what authors configure, and the way back."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from humantrials.panels.arrival import Arrival, WayBack

Setup = Mapping[str, Any]
LONGEST = 200
NOT_TEXT = re.compile(r"[\x00-\x1f\x7f]")  # ids have no control characters, and PostgreSQL can't store NUL
CODE = re.compile(r"[A-Za-z0-9_-]{1,60}")


@dataclass(frozen=True)
class PanelSetting:
    """One setting for authors; `read` parses its text or raises ValueError."""

    name: str
    title: str
    about: str
    read: Callable[[str], Any]
    is_long: bool = False


@dataclass(frozen=True)
class Panel:
    """A source of participants."""

    name: str
    title: str
    about: str
    entry: str  # appended to the trial's entry URL in the link for the panel
    settings: tuple[PanelSetting, ...]
    read: Callable[[Mapping[str, str], Setup, str], Arrival]  # parameters, set-up, our host name
    way_back: Callable[[Setup, str, str, Mapping[str, str]], WayBack | None]  # set-up, outcome, code, visit
    code: Callable[[Setup, str, str], str]  # set-up, outcome, the person's own code -> the code to show
    frame_hosts: Callable[[Setup], list[str]] = lambda setup: []
    form_hosts: Callable[[Setup], list[str]] = lambda setup: []


def cleaned(parameters: Mapping[str, str]) -> dict[str, str]:
    """The parameters with lower-case names, without control characters."""
    return {name.lower(): NOT_TEXT.sub("", str(value)).strip()[:LONGEST] for name, value in parameters.items()}


def own_code(setup: Setup, outcome: str, code: str) -> str:
    return code


def read_code(text: str) -> str:
    if not CODE.fullmatch(text.strip()):
        raise ValueError("a code of letters and digits")
    return text.strip()


def read_flag(text: str) -> bool:
    words = {"yes": True, "true": True, "no": False, "false": False}
    if text.strip().lower() not in words:
        raise ValueError("yes or no")
    return words[text.strip().lower()]


def read_hosts(text: str) -> list[str]:
    """Parse origins such as https://www.example.org; nothing else may enter a security policy."""
    return [_origin(word) for word in text.split()]


def _origin(word: str) -> str:
    parts = urlsplit(word.rstrip("/"))
    has_rest = parts.path or parts.query or parts.fragment or parts.username
    if parts.scheme not in ("http", "https") or has_rest or not re.fullmatch(r"[a-z0-9.-]+(:\d+)?", parts.netloc):
        raise ValueError("addresses such as https://www.example.org, separated by spaces")
    return f"{parts.scheme}://{parts.netloc}"
