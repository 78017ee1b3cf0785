"""The token by which another machine joins the site: addresses and keys of database, queue and media store.

The token gives access to the site's database and secret. `benchsite join` prints it, and `JOIN` contains it.
"""

import base64
import binascii
import json
import zlib
from collections.abc import Mapping
from urllib.parse import urlsplit

MARK = "benchsite1."
CARRIED = ("SECRET_KEY", "SITE_URL", "DATABASE_URL", "CELERY_BROKER_URL", "REDIS_URL", "MEDIA_STORE", "MODEL_HOSTS")
ADDRESSES = ("DATABASE_URL", "CELERY_BROKER_URL", "REDIS_URL", "MEDIA_STORE")
FOLDER = "folder"
NEEDED = ("SECRET_KEY", "DATABASE_URL", "CELERY_BROKER_URL")
HERE = ("localhost", "127.0.0.1", "::1")


class CannotJoin(ValueError):
    """The settings don't work on another machine, or the token is broken; the message says why."""


def word_of(settings: Mapping[str, str], *, host: str = "", folder_is_shared: bool = False) -> str:
    """The token for these settings; `host` is the name by which other machines reach services on this one."""
    carried = {name: settings[name] for name in CARRIED if settings.get(name)}
    for name in NEEDED:
        if name not in carried:
            raise CannotJoin(f"{name} is not set: other machines need a server, not a file of this one")
    for name in ADDRESSES:
        if name in carried and carried[name] != FOLDER:
            carried[name] = _from_afar(name, carried[name], host)
    if carried.get("MEDIA_STORE", FOLDER) == FOLDER and not folder_is_shared:
        raise CannotJoin(
            "MEDIA_STORE is a folder, which other machines do not see: name an object store, or give "
            "--folder-is-shared where they have the same folder mounted as their media folder"
        )
    return MARK + base64.urlsafe_b64encode(zlib.compress(json.dumps(carried).encode(), 9)).decode().rstrip("=")


def settings_of(word: str) -> dict[str, str]:
    """The settings in the token; CannotJoin if it is invalid or incomplete."""
    packed = word.strip().removeprefix(MARK)
    try:
        if packed == word.strip():
            raise ValueError
        found = json.loads(zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))))
    except (ValueError, binascii.Error, zlib.error):
        raise CannotJoin("JOIN is not a complete token of `benchsite join`: copy it again") from None
    return {name: str(found[name]) for name in CARRIED if name in found}


def _from_afar(name: str, address: str, host: str) -> str:
    """The address as another machine must use it."""
    parts = urlsplit(address)
    if parts.scheme in ("sqlite", "filesystem"):
        raise CannotJoin(f"{name} is {parts.scheme}: other machines need a server, not a file of this one")
    if parts.hostname not in HERE:
        return address
    if not host:
        raise CannotJoin(f"{name} is on {parts.hostname}, which is another place for other machines: give --host NAME")
    user = f"{parts.netloc.rpartition('@')[0]}@" if "@" in parts.netloc else ""
    port = f":{parts.port}" if parts.port else ""
    return parts._replace(netloc=f"{user}{host}{port}").geturl()
