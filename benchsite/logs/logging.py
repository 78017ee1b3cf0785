"""Log lines, for people or as JSON objects, without people's ids or secrets.

Each line carries its context (`request`, `run`, `shard`, `socket`, `task`). The context is bound in structlog's context
variables when such a thing begins, and is in every line until it ends.

Hidden are values under sensitive names, and within any text: participants' tokens in paths, query strings, e-mail and
IP addresses, API keys, passwords in URLs, and values that PostgreSQL prints with a constraint violation.
"""

import logging
import re
from collections.abc import Mapping, MutableMapping
from functools import lru_cache
from typing import Any

import orjson
import structlog

LEVELS = ("INFO", "DEBUG", "WARNING", "ERROR")
SERVERS = ("uvicorn", "uvicorn.error")  # servers with handlers of their own
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


def settings_for(style: str, level: str) -> dict[str, Any]:
    """Django's LOGGING setting."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": "benchsite.logs.logging.formatter", "style": style}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            "OpenGL": {"level": "WARNING"},  # reports optional parts that are not installed
            "celery": {"level": "WARNING"},  # two lines for every poll
            "axes": {"level": "ERROR"},  # would log the users who sign in, with their addresses
            "django.request": {"level": "ERROR"},  # client errors are counted and need no line each
            "httpx": {"level": "WARNING"},  # a line for each request
            "waitress": {"level": "WARNING"},  # a line for each client that disconnects early
            "waitress.queue": {"level": "ERROR"},  # a line for each request that waits for a thread
        },
    }


def formatter(style: str) -> logging.Formatter:
    """The formatter of lines from any logger, ours or a library's."""
    steps: list[Any] = [
        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
        structlog.processors.format_exc_info,
    ]
    show: Any = structlog.processors.JSONRenderer(serializer=_json) if style == "json" else _plain
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            structlog.stdlib.ExtraAdder(),
            _without_objects,
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
        ],
        processors=[*steps, scrub_line, show],
    )


def _without_objects(logger: object, name: str, line: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Drop Django's request object; its name is used for the request's id."""
    if not isinstance(line.get("request", ""), str):
        del line["request"]
    return line


def take_over() -> None:
    """Route the web servers' log lines through our handlers."""
    for name in SERVERS:
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True


def _json(line: dict[str, Any], **options: Any) -> str:
    return orjson.dumps(line, default=str, option=orjson.OPT_NON_STR_KEYS).decode()


def _plain(logger: object, name: str, line: dict[str, Any]) -> str:
    known = {key: line.pop(key, "") for key in ("timestamp", "level", "logger", "event", "exception")}
    rest = "".join(f" {key}={value}" for key, value in line.items())
    trace = f"\n{known['exception']}" if known["exception"] else ""
    return f"{known['timestamp'][:19]} {known['level'].upper()} {known['logger']}: {known['event']}{rest}{trace}"
