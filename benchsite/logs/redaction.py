"""Redaction: no log line contains people's ids or secrets; every line passes through here.

Hidden are values under sensitive names, and within any text: participants' tokens in paths, query strings, e-mail and
IP addresses, API keys, passwords in URLs, and values that PostgreSQL prints with a constraint violation.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

HIDDEN = "…"
TELLING = re.compile(
    r"token|password|secret|cookie|authorization|api_?key|session|e?mail|external|worker_?id|prolific|participant|receipt"
    r"|username|ip_address|remote_addr",
    re.IGNORECASE,
)
WITHIN: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(/p/)[\w-]+"), rf"\1{HIDDEN}"),  # a participant's page: the token in its path gives access
    (re.compile(r"(/people/|/pay/)[\w-]+"), rf"\1{HIDDEN}"),
    (re.compile(r"\?[^\s\"'#?]+=[^\s\"']*"), f"?{HIDDEN}"),  # panels send their ids in the query string
    (re.compile(r"(://)[^/\s:@]*:[^/\s@]*@"), rf"\1{HIDDEN}@"),
    (re.compile(r"\b(Token|Bearer|Basic)\s+[\w.~+/=-]{6,}", re.IGNORECASE), rf"\1 {HIDDEN}"),
    (re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"), HIDDEN),
    (re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b"), HIDDEN),
    (re.compile(r"(Key \([^)]*\)=)\(.*?\)(?= |$)"), rf"\1({HIDDEN})"),
    (re.compile(r"(Failing row contains )\(.*?\)\.?$", re.MULTILINE), rf"\1({HIDDEN})"),
)
# A word, a number, a time or a dotted name can't contain any of these: each of them has a blank, one of / ? @ ( or
# three dots. Most values are such, and nine searches in each took 70 of a line's 97 µs.
PLAIN = re.compile(r"[\w:+-]*(?:\.[\w:+-]*){0,2}")


def scrub(value: Any) -> Any:
    """A copy of the value without identities and secrets."""
    if isinstance(value, str):
        return value if PLAIN.fullmatch(value) else _scrubbed(value)
    if isinstance(value, Mapping):
        return {key: HIDDEN if _is_telling(str(key)) else scrub(found) for key, found in value.items()}
    if isinstance(value, list | tuple | set):
        return [scrub(found) for found in value]
    return value if value is None or isinstance(value, int | float | bool) else scrub(str(value))


def _scrubbed(text: str) -> str:
    for pattern, instead in WITHIN:
        text = pattern.sub(instead, text)
    return text


@lru_cache(maxsize=256)
def _is_telling(key: str) -> bool:
    return TELLING.search(key) is not None


def scrub_line(logger: object, name: str, line: Mapping[str, Any]) -> dict[str, Any]:
    """The redaction step of the logging pipeline."""
    return dict(scrub(line))
