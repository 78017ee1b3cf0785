"""Log lines: one JSON object each under production settings, readable lines in development.

Every line of web, worker and websocket process says what it belongs to: `request`, `run`, `shard`, `socket`, `task` are
bound where such a thing begins (structlog's context variables) and stand in every line written until it ends.
"""

import logging
from collections.abc import MutableMapping
from typing import Any

import orjson
import structlog

from benchsite.observing.scrubbing import scrub_line

LEVELS = ("INFO", "DEBUG", "WARNING", "ERROR")
FORMATS = ("json", "lines")
SERVERS = ("gunicorn.error", "uvicorn", "uvicorn.error")  # they bring handlers of their own


def settings_for(style: str, level: str) -> dict[str, Any]:
    """Django's LOGGING."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": "benchsite.observing.lines.formatter", "style": style}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            "OpenGL": {"level": "WARNING"},  # it announces optional parts that are not installed
            "celery": {"level": "WARNING"},  # two lines for every look at the rows
            "axes": {"level": "ERROR"},  # it would tell who signs in, and from where
            "django.request": {"level": "ERROR"},  # what is asked wrongly is counted, and no line each
            "httpx": {"level": "WARNING"},  # a line for each request
        },
    }


def formatter(style: str) -> logging.Formatter:
    """For lines of any logger, ours or a library's."""
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
    """Django gives its request itself, under the name that is the request's id here."""
    if not isinstance(line.get("request", ""), str):
        del line["request"]
    return line


def take_over(names: tuple[str, ...] = SERVERS) -> None:
    """Lines of the web servers go the same way as ours."""
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
