"""Options of a model behind an OpenAI-compatible server; each is checked, and an error is one line."""

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any
from urllib.parse import urlsplit

import httpx

from evaluation.adapters.base import MOST_THINKING
from evaluation.adapters.hosts import check_host
from evaluation.adapters.openai.dialects import CHOICE_AS, THINKING_AS
from evaluation.errors import ModelMisused

IMAGES, VIDEO, ADDRESS = "images", "video", "address"
VERSION_ALONE = re.compile(r"api-version=[A-Za-z0-9.-]{1,40}")  # Azure's
KEY_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*_API_KEY")
OURS = ("model", "messages", "stream", "n")  # request fields that `extra` may not change
# Left out of the card's list: shown there under other names, without effect on replies, or private. The card's hash of
# options covers them.
TOLD_ELSEWHERE = ("model", "frames_as", "image_format", "times", "thinking_tokens", "price_in", "price_out")
UNTOLD = ("base_url", "key_variable", "concurrency", "attempts", "timeout", "deadline")


@dataclass(frozen=True)
class ServerOptions:
    """The options of a model of kind `openai`; prices are per million tokens, times in seconds."""

    base_url: str  # up to /v1 inclusive; /chat/completions is added, before Azure's ?api-version=
    model: str
    key_variable: str = ""  # name of the environment variable that holds the key; the key itself is never stored
    system: str = ""
    frames_as: str = IMAGES
    image_format: str = "jpeg"
    times: bool = True  # sends each frame's time before the frame; a single picture has none
    audio: bool = False  # whether the model accepts sound (input_audio)
    concurrency: int = 8
    attempts: int = 5
    timeout: float = 120.0  # of one attempt, from connecting to the last byte
    deadline: float = 300.0  # of attempts and the waits between, after which no further attempt begins
    thinking_tokens: int = 0  # for thoughts, in addition to those for the answer
    choice_as: str = ""  # how the server receives the options that a reply must be one of; '' = unsupported
    thinking_as: str = ""  # how thinking is switched on or off
    length_field: str = "max_tokens"  # newer servers want max_completion_tokens
    price_in: float | None = None
    price_out: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)  # merged into the request; null leaves a field out

    def __post_init__(self) -> None:
        self._check_address()
        if not isinstance(self.model, str) or not self.model.strip():
            raise ModelMisused("option model: the name by which the server knows the model")
        if self.key_variable and not KEY_VARIABLE.fullmatch(str(self.key_variable)):
            raise ModelMisused(
                "option key_variable: the name (never the key) of an environment variable that ends in _API_KEY"
            )
        self._check_one_of("frames_as", (IMAGES, VIDEO, ADDRESS))
        self._check_one_of("image_format", ("jpeg", "png"))
        self._check_one_of("length_field", ("max_tokens", "max_completion_tokens"))
        self._check_one_of("choice_as", ("", *CHOICE_AS))
        self._check_one_of("thinking_as", ("", *THINKING_AS))
        self._check_one_of("times", (True, False))
        self._check_one_of("audio", (True, False))
        if self.frames_as == VIDEO and self.image_format != "jpeg":
            raise ModelMisused("option image_format: frames in a video part are sent as jpeg")
        self._check_number("concurrency", 1, 256, whole=True)
        self._check_number("attempts", 1, 20, whole=True)
        self._check_number("thinking_tokens", 0, MOST_THINKING, whole=True)
        self._check_number("timeout", 0.01, 3600)
        self._check_number("deadline", 0.01, 6 * 3600)
        for name in ("price_in", "price_out"):
            if getattr(self, name) is not None:
                self._check_number(name, 0, 1e6)
        if not isinstance(self.extra, Mapping) or set(self.extra) & set(OURS):
            raise ModelMisused(f"option extra: an object of request fields, none of {', '.join(OURS)}")

    def _check_address(self) -> None:
        try:
            address = urlsplit(self.base_url)
            is_http = address.scheme in ("http", "https") and bool(address.hostname) and (address.port or 1) > 0
            httpx.URL(self.base_url)
        except (ValueError, TypeError, AttributeError, httpx.InvalidURL):
            is_http = False
        if not is_http:
            raise ModelMisused(f"option base_url: an address such as http://127.0.0.1:8000/v1, not {self.base_url!r}")
        is_open = not address.query or VERSION_ALONE.fullmatch(address.query)
        if address.username or address.password or address.fragment or not is_open:
            raise ModelMisused(
                "option base_url: no user, password, query or fragment (but Azure's ?api-version=…):"
                " the address is shown; use key_variable"
            )
        try:
            check_host(str(address.hostname))
        except ModelMisused as error:
            raise ModelMisused(f"option base_url: {error}") from None

    def facts(self) -> dict[str, Any]:
        """The options that differ from their defaults, for the card; of `extra` only the names of its fields."""
        named = [each for each in fields(self) if each.name not in (*TOLD_ELSEWHERE, *UNTOLD, "extra")]
        changed = {each.name: getattr(self, each.name) for each in named if getattr(self, each.name) != each.default}
        changed |= {"extra": sorted(self.extra)} if self.extra else {}
        return {"asked with": changed} if changed else {}

    @property
    def host(self) -> str:
        return str(urlsplit(self.base_url).hostname)

    def _check_one_of(self, name: str, values: tuple[Any, ...]) -> None:
        if getattr(self, name) not in values:
            there = ", ".join(str(value) for value in values if value != "")
            raise ModelMisused(f"option {name} {getattr(self, name)!r}: one of {there}")

    def _check_number(self, name: str, least: float, most: float, *, whole: bool = False) -> None:
        value = getattr(self, name)
        is_number = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value) or not least <= value <= most:
            kind = "a whole number" if whole else "a number"
            raise ModelMisused(f"option {name} {value!r}: {kind} from {least:g} to {most:g}")

    @property
    def address(self) -> str:
        base, mark, query = self.base_url.partition("?")
        return f"{base.rstrip('/')}/chat/completions{mark}{query}"

    def authorization(self, key: str) -> dict[str, str]:
        """The header with the key; Azure, told by its query, takes keys in a header of its own."""
        if not key:
            return {}
        return {"api-key": key} if urlsplit(self.base_url).query else {"Authorization": f"Bearer {key}"}

    def key(self) -> str:
        """The key from this process's environment; '' if the server needs none."""
        if not self.key_variable:
            return ""
        key = os.environ.get(self.key_variable, "").strip()
        if not key or not key.isascii() or not key.isprintable():
            raise ModelMisused(f"the environment variable {self.key_variable} holds no key where the worker runs")
        return key
