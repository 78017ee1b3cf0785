"""Log lines: for people, or JSON objects.

Each line carries its context (`request`, `run`, `shard`, `socket`, `task`). The context is bound in structlog's context
variables when such a thing begins, and is in every line until it ends.
"""

import logging
from collections.abc import MutableMapping
from typing import Any

import orjson
import structlog

from benchsite.logs.redaction import scrub_line

LEVELS = ("INFO", "DEBUG", "WARNING", "ERROR")
SERVERS = ("uvicorn", "uvicorn.error")  # servers with handlers of their own


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


def take_over(names: tuple[str, ...] = SERVERS) -> None:
    """Route the web servers' log lines through our handlers."""
    for name in names:
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
