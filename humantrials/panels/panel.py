"""The vocabulary of panels: how they read the entry URL, what authors configure, and the way back."""

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from humantrials.panels.arrival import Arrival, NotLetIn

# How a visit ended; each panel may use its own code for it.
FINISHED, DECLINED, FULL, STOPPED = "finished", "declined", "full", "stopped"
PARTIAL, SCREENED = "partial", "screened"  # answers did not arrive; the quiz or the qualification was failed


@dataclass(frozen=True)
class WayBack:
    """How to return to the panel: a link, or with `fields` a form that is posted there."""

    address: str
    fields: Mapping[str, str] | None = None


Setup = Mapping[str, Any]
LONGEST = 200
UNSEEN = ("Cc", "Cf")  # control characters, of which PostgreSQL can't store NUL, and those without a width
# What panels and mailings replace: {{%PID%}}, ${e://Field/PID}, %PID%, [ID], <id>, $PID, *|ID|*; U+FFFD is what remains
# of %ADDRESS% where it reads as a byte.
PLACEHOLDER = re.compile(r"[{}<>\ufffd]|\[[^\W\d]|%[^%]+%|^\$|^\*\|")
BARE = re.compile(r"(your|the|participants?|prolific|workers?|users?|study|session|response|assignment|hit)?p?id")
CODE = re.compile(r"[A-Za-z0-9_-]{1,60}")


@dataclass(frozen=True)
class PanelSetting:
    """One setting for authors; `read` parses its text or raises ValueError."""

    name: str
    title: str
    about: str
    read: Callable[[str], Any]
    is_long: bool = False


def own_code(setup: Setup, outcome: str, code: str) -> str:
    return code


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
    code: Callable[[Setup, str, str], str] = own_code  # set-up, outcome, the person's own code -> the code to show
    frame_hosts: Callable[[Setup], list[str]] = lambda setup: []
    form_hosts: Callable[[Setup], list[str]] = lambda setup: []


def plain(text: str) -> str:
    """The text composed (NFC), with digits from 0 to 9 and without characters that nobody sees."""
    seen = "".join(letter for letter in text if unicodedata.category(letter) not in UNSEEN)
    return "".join(str(unicodedata.decimal(one, one)) for one in unicodedata.normalize("NFC", seen)).strip()


def cleaned(parameters: Mapping[str, str], names: Collection[str]) -> dict[str, str]:
    """The values of the parameters that have these lower-case names; NotLetIn names one that was not filled in."""
    read = {name: plain(value) for name, value in parameters.items() if name.lower() in names}
    for name, value in read.items():
        if PLACEHOLDER.search(value) or BARE.fullmatch(re.sub(r"[\W_]", "", value.lower())):
            raise NotLetIn("placeholder", name)
        if len(value) > LONGEST:
            raise NotLetIn("long", name)
    return {name.lower(): value for name, value in read.items()}


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
