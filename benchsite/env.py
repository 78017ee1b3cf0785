"""Reads environment variables strictly: a wrong value stops the start with a sentence."""

import os
from pathlib import Path
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from benchsite.joining import CannotJoin, settings_of


def join() -> None:
    """Take from JOIN what the environment does not say itself: this machine then works for the site that wrote it."""
    if not (word := os.environ.get("JOIN", "")):
        return
    try:
        found = settings_of(word)
    except CannotJoin as error:
        raise ImproperlyConfigured(str(error)) from None
    for name, value in ({"DEBUG": "0"} | found).items():
        os.environ.setdefault(name, value)


def flag(name: str, default: str = "0") -> bool:
    """Read an on/off setting; anything but 1 or 0 stops the start."""
    value = os.environ.get(name, default)
    if value not in ("0", "1"):
        raise ImproperlyConfigured(f"{name}={value!r}: write 1 or 0")
    return value == "1"


def words(name: str, default: str = "") -> list[str]:
    """Read a comma-separated list."""
    return [word.strip() for word in os.environ.get(name, default).split(",") if word.strip()]


def one_of(name: str, choices: tuple[str, ...]) -> str:
    """Read a setting that names one of `choices`; the first is the default."""
    value = os.environ.get(name, choices[0])
    if value not in choices:
        raise ImproperlyConfigured(f"{name}={value!r}: write one of {', '.join(choices)}")
    return value


def secret(name: str, *, development: str | None) -> str:
    """Read a secret; only development may fall back on `development`."""
    value = os.environ.get(name) or development
    if not value:
        raise ImproperlyConfigured(f"{name} is not set: production needs a secret of its own")
    return value


def folder(name: str, default: Path) -> Path:
    """Read a folder; relative paths count from the current directory."""
    return Path(os.environ[name]).resolve() if os.environ.get(name) else default


def text(name: str, default: str) -> str:
    """Read a plain word; empty counts as not set."""
    return os.environ.get(name) or default


def needed(name: str, by: str) -> str:
    """Read a word that another setting can't do without."""
    if not (value := os.environ.get(name, "")):
        raise ImproperlyConfigured(f"{name} is not set: {by} needs it")
    return value


def address(name: str, by: str) -> str:
    """Read the `http://` or `https://` address that another setting can't do without; no path, no closing slash."""
    parts = urlsplit(value := needed(name, by).rstrip("/"))
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path or parts.query:
        raise ImproperlyConfigured(f"{name}={value!r}: write http://HOST:PORT or https://HOST")
    return value


def count(name: str, default: int, *, least: int = 1) -> int:
    """Read a whole number from `least`."""
    value = os.environ.get(name) or str(default)
    if not value.isascii() or not value.isdigit() or int(value) < least:
        raise ImproperlyConfigured(f"{name}={value!r}: write a whole number from {least}")
    return int(value)


def mail_server(address: str) -> tuple[str, int, str, str, bool, bool]:
    """Take `smtp[+tls|+ssl]://USER:PASSWORD@HOST:PORT` apart: host, port, user, password, STARTTLS?, TLS?"""
    parts = urlsplit(address)
    ports = {"smtp": 25, "smtp+tls": 587, "smtp+ssl": 465}
    if parts.scheme not in ports or not parts.hostname:
        raise ImproperlyConfigured("EMAIL_URL: write smtp://, smtp+tls:// or smtp+ssl://USER:PASSWORD@HOST:PORT")
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    port = parts.port or ports[parts.scheme]
    return parts.hostname, port, user, password, parts.scheme == "smtp+tls", parts.scheme == "smtp+ssl"
