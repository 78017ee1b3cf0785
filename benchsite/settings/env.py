"""Reads environment variables strictly: a wrong value stops the start with a sentence."""

import ipaddress
import os
import re
from email.utils import parseaddr
from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from benchsite.settings.join_token import CannotJoin, settings_of

HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*|[0-9a-f:.]+")  # as `urlsplit` returns it: lower case, no brackets
HOST_NAME = re.compile(r"(?!-)[a-z0-9-]{1,63}(\.(?!-)[a-z0-9-]{1,63})*")
WEBSOCKET = re.compile(r"wss?://([a-z0-9_.-]+|\[[0-9a-f:.]+\])(:\d{1,5})?(/[\w./~-]*)?", re.IGNORECASE | re.ASCII)
MAIL = re.compile(r"[^@\s,]+@[^@\s,]+")
# A name that Django compares with the `Host` header; `.name` covers the name and all its subdomains.
ALLOWED = re.compile(r"\.?[a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\]")
SHORTEST_SECRET = 16  # characters; `openssl rand -hex 32` prints 64


def join() -> None:
    """Fill in from JOIN what the environment leaves unset, so that this machine works for the site that issued it."""
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


def allowed_hosts(name: str, *, in_development: bool) -> list[str]:
    """Read the host names under which the site answers; `*` (any) is allowed only in development."""
    found = comma_separated(name, "127.0.0.1,[::1],testserver" if in_development else "")
    for word in found:
        if word == "*" and not in_development:
            raise ImproperlyConfigured(f"{name}=*: production answers to names of its own (DEBUG=1 is development)")
        if word != "*" and not ALLOWED.fullmatch(word.lower()):
            raise ImproperlyConfigured(f"{name}: {word!r} is no host name; write site.example, without http:// or port")
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
    if len(value) < SHORTEST_SECRET and not in_development:
        raise ImproperlyConfigured(
            f"{name} is shorter than {SHORTEST_SECRET} characters: `openssl rand -hex 32` writes one"
        )
    return value


def folder(name: str, default: Path) -> Path:
    """Read a folder; relative paths are resolved against the current directory."""
    found = Path(os.environ[name]).resolve() if os.environ.get(name) else default
    if found.exists() and not found.is_dir():
        raise ImproperlyConfigured(f"{name}: {str(found)!r} is no folder")
    return found


def text(name: str, default: str) -> str:
    """Read a text; empty counts as unset."""
    return os.environ.get(name) or default


def origin(name: str, default: str) -> str:
    """Read the `http://` or `https://` address of a site, or the default; no path, no closing slash."""
    parts = _parts(name, value := text(name, default).rstrip("/"))
    bare = (parts.path, parts.query, parts.fragment, parts.username) == ("", "", "", None)
    if parts.scheme not in ("http", "https") or not HOST.fullmatch(parts.hostname or "") or not bare:
        raise ImproperlyConfigured(f"{name}={value!r}: write http://HOST:PORT or https://HOST")
    return value


def _parts(name: str, value: str) -> SplitResult:
    """The parts of an address; its port is a number that exists."""
    try:
        parts = urlsplit(value)
        parts.port  # noqa: B018  (reads it)
    except ValueError:
        why = f"{name}: this is no address; ports are numbers up to 65535, passwords percent-encoded"
        raise ImproperlyConfigured(why) from None
    return parts


def url(name: str, default: str, schemes: tuple[str, ...]) -> str:
    """Read an address with one of these schemes, or the default; no closing slash."""
    value = text(name, default)
    if value and (scheme := _parts(name, value).scheme) not in schemes:
        known = ", ".join(f"{scheme}://…" for scheme in schemes)
        raise ImproperlyConfigured(f"{name}: this is no address that begins with one of {known}")
    if value and scheme in ("redis", "rediss") and not re.fullmatch(r"/?\d*", urlsplit(value).path):
        raise ImproperlyConfigured(f"{name}: Redis numbers its databases; write {scheme}://HOST:PORT/0")
    return value.rstrip("/") if value.startswith("http") else value


def database(name: str, default: str) -> str:
    """Read the address of a database, which must contain the database's name."""
    value = url(name, default, ("sqlite", "postgres", "postgresql"))
    if not urlsplit(value).path.strip("/"):
        raise ImproperlyConfigured(f"{name} names no database: write sqlite:///PATH or postgres://USER@HOST:PORT/NAME")
    return value


def media_address(name: str, default: str) -> str:
    """Read the address of served clips: a path of this site or an address elsewhere, with its closing slash."""
    value = text(name, default)
    parts = _parts(name, value)
    is_ours = value.startswith("/") and not parts.netloc
    if not (is_ours or (parts.scheme in ("http", "https") and parts.hostname)) or not value.endswith("/"):
        raise ImproperlyConfigured(f"{name}={value!r}: write /PATH/ or https://HOST/PATH/, with a slash at the end")
    return value


def websocket_address(name: str) -> str:
    """Read a `ws://` or `wss://` address of one host, `:PORT` or ''; it becomes part of the content policy."""
    value = text(name, "").rstrip("/")
    is_port = value.startswith(":") and value[1:].isdigit()
    if value and not ((is_port or WEBSOCKET.fullmatch(value)) and _parts(name, f"//host{value}" if is_port else value)):
        raise ImproperlyConfigured(f"{name}={value!r}: write ws://HOST:PORT or wss://HOST, or :PORT of the same host")
    return value


def object_store(name: str, otherwise: str) -> dict[str, str]:
    """Read the address of a bucket as the options of its storage; {} for the word `otherwise`, the default."""
    if (value := text(name, otherwise)) == otherwise:
        return {}
    parts = _parts(name, value)
    bucket, region = parts.path.strip("/"), dict(parse_qsl(parts.query)).get("region", "us-east-1")
    scheme = {"s3": "https", "s3+http": "http"}.get(parts.scheme)
    if not (scheme and parts.hostname and parts.username and parts.password and re.fullmatch(r"[\w.-]+", bucket)):
        raise ImproperlyConfigured(
            f"{name}: write {otherwise}, or s3://KEY:SECRET@HOST/BUCKET?region=REGION (s3+http:// without TLS),"
            " key and secret percent-encoded"
        )
    return {
        "bucket_name": bucket,
        "endpoint_url": f"{scheme}://{parts.netloc.rpartition('@')[2]}",
        "access_key": unquote(parts.username),
        "secret_key": unquote(parts.password),
        "region_name": region,
    }


def count(name: str, default: int, *, least: int = 1) -> int:
    """Read a whole number that is at least `least`."""
    value = os.environ.get(name) or str(default)
    if not value.isascii() or not value.isdigit() or int(value) < least:
        raise ImproperlyConfigured(f"{name}={value!r}: write a whole number from {least}")
    return int(value)


def mail_sender(name: str, default: str) -> str:
    """Read the sender's address for letters, with an optional name before it."""
    value = text(name, default)
    if not MAIL.fullmatch(parseaddr(value)[1]) or not value.isprintable():
        raise ImproperlyConfigured(f"{name}={value!r}: write NAME@HOST, or Our site <NAME@HOST>")
    return value


def mail_server(address: str) -> tuple[str, int, str, str, bool, bool]:
    """Split `smtp[+tls|+ssl]://USER:PASSWORD@HOST:PORT` into host, port, user, password, STARTTLS?, TLS?"""
    parts = _parts("EMAIL_URL", address)
    ports = {"smtp": 25, "smtp+tls": 587, "smtp+ssl": 465}
    if parts.scheme not in ports or not parts.hostname:
        raise ImproperlyConfigured("EMAIL_URL: write smtp://, smtp+tls:// or smtp+ssl://USER:PASSWORD@HOST:PORT")
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    port = parts.port or ports[parts.scheme]
    return parts.hostname, port, user, password, parts.scheme == "smtp+tls", parts.scheme == "smtp+ssl"
