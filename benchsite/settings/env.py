"""Reads environment variables strictly: a wrong value stops the start with a sentence."""

import ipaddress
import os
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from benchsite.settings.join_token import CannotJoin, settings_of

HOST_NAME = re.compile(r"(?!-)[a-z0-9-]{1,63}(\.(?!-)[a-z0-9-]{1,63})*")
WEBSOCKET = re.compile(r"wss?://([a-z0-9_.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?(/[\w./~-]*)?", re.IGNORECASE | re.ASCII)
MAIL = re.compile(r"[^@\s,]+@[^@\s,]+")


def join() -> None:
    """Fill in from JOIN what the environment leaves unset, so that this machine works for the site that wrote it."""
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


def comma_separated(name: str, default: str = "") -> list[str]:
    """Read a comma-separated list."""
    return [word.strip() for word in os.environ.get(name, default).split(",") if word.strip()]


def hosts(name: str, default: str) -> list[str]:
    """Read a comma-separated list of host names, addresses and networks."""
    found = [word.lower() for word in comma_separated(name, default)]
    for word in found:
        is_name = HOST_NAME.fullmatch(word) and not word.replace(".", "").isdigit()
        if not is_name and not _is_network(word):
            raise ImproperlyConfigured(f"{name}: {word!r} is no host name, address or network such as 10.0.3.0/24")
    return found


def _is_network(word: str) -> bool:
    try:
        ipaddress.ip_network(word)
    except ValueError:
        return False
    return True


def one_of(name: str, choices: tuple[str, ...]) -> str:
    """Read a setting that names one of `choices`; the first is the default."""
    value = os.environ.get(name, choices[0])
    if value not in choices:
        raise ImproperlyConfigured(f"{name}={value!r}: write one of {', '.join(choices)}")
    return value


def secret(name: str, *, development: str, in_development: bool) -> str:
    """Read a secret; `development` is the fallback in development, and refused in production."""
    value = os.environ.get(name) or (development if in_development else "")
    if not value:
        raise ImproperlyConfigured(f"{name} is not set: production needs a secret of its own (DEBUG=1 is development)")
    if value == development and not in_development:
        raise ImproperlyConfigured(f"{name} is the one printed in the source: production needs a secret of its own")
    return value


def folder(name: str, default: Path) -> Path:
    """Read a folder; relative paths are resolved against the current directory."""
    return Path(os.environ[name]).resolve() if os.environ.get(name) else default


def text(name: str, default: str) -> str:
    """Read a text; empty counts as unset."""
    return os.environ.get(name) or default


def needed(name: str, by: str) -> str:
    """Read a text that the setting `by` requires."""
    if not (value := os.environ.get(name, "")):
        raise ImproperlyConfigured(f"{name} is not set: {by} needs it")
    return value


def address(name: str, by: str) -> str:
    """Read the `http://` or `https://` address that the setting `by` requires; no path, no closing slash."""
    parts = urlsplit(value := needed(name, by).rstrip("/"))
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path or parts.query:
        raise ImproperlyConfigured(f"{name}={value!r}: write http://HOST:PORT or https://HOST")
    return value


def url(name: str, default: str, schemes: tuple[str, ...]) -> str:
    """Read an address with one of these schemes, or the default; no closing slash."""
    value = text(name, default)
    if value and urlsplit(value).scheme not in schemes:
        known = ", ".join(f"{scheme}://…" for scheme in schemes)
        raise ImproperlyConfigured(f"{name}: this is no address that begins with one of {known}")
    return value.rstrip("/") if value.startswith("http") else value


def media_address(name: str, default: str) -> str:
    """Read where clips are served from: a path of this site or an address elsewhere, with its closing slash."""
    value = text(name, default)
    if not value.startswith(("/", "http://", "https://")) or not value.endswith("/"):
        raise ImproperlyConfigured(f"{name}={value!r}: write /PATH/ or https://HOST/PATH/, with a slash at the end")
    return value


def port(name: str) -> str:
    """Read a port, or ''."""
    value = text(name, "")
    if value and not (value.isascii() and value.isdigit() and 0 < int(value) < 65536):
        raise ImproperlyConfigured(f"{name}={value!r}: write a port from 1 to 65535")
    return value


def websocket_address(name: str) -> str:
    """Read a `ws://` or `wss://` address of one host, or ''; it becomes part of the content policy."""
    value = text(name, "").rstrip("/")
    if value and not WEBSOCKET.fullmatch(value):
        raise ImproperlyConfigured(f"{name}={value!r}: write ws://HOST:PORT or wss://HOST")
    return value


def count(name: str, default: int, *, least: int = 1) -> int:
    """Read a whole number that is at least `least`."""
    value = os.environ.get(name) or str(default)
    if not value.isascii() or not value.isdigit() or int(value) < least:
        raise ImproperlyConfigured(f"{name}={value!r}: write a whole number from {least}")
    return int(value)


def mail_addresses(name: str, *, server: str) -> list[str]:
    """Read addresses with commas between them, for which a mail server is needed."""
    found = [one.strip() for one in text(name, "").split(",") if one.strip()]
    for one in found:
        if not MAIL.fullmatch(one):
            raise ImproperlyConfigured(f"{name}: {one!r} is no address; write NAME@HOST, with commas between several")
    if found and not server:
        raise ImproperlyConfigured(f"{name} is set, but EMAIL_URL is not: letters need a mail server")
    return found


def mail_server(address: str) -> tuple[str, int, str, str, bool, bool]:
    """Split `smtp[+tls|+ssl]://USER:PASSWORD@HOST:PORT` into host, port, user, password, STARTTLS?, TLS?"""
    parts = urlsplit(address)
    ports = {"smtp": 25, "smtp+tls": 587, "smtp+ssl": 465}
    if parts.scheme not in ports or not parts.hostname:
        raise ImproperlyConfigured("EMAIL_URL: write smtp://, smtp+tls:// or smtp+ssl://USER:PASSWORD@HOST:PORT")
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    port = parts.port or ports[parts.scheme]
    return parts.hostname, port, user, password, parts.scheme == "smtp+tls", parts.scheme == "smtp+ssl"
