"""The files for a host with nginx and systemd, filled in from the settings (docker/host/ and docker/nginx.conf)."""

import os
import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings

PLACE = re.compile(r"\$\{([A-Z0-9_]+)\}")
TEMPLATES = Path("docker/host")
ENV_FILE, SECRET = "benchsite.env", 0o600  # the environment has keys: its name and mode
# The environment variables of a service; unset ones are listed as comments.
PASSED_ON = (
    "SECRET_KEY",
    "DATABASE_URL",
    "DATABASE_PASSWORD",
    "CELERY_BROKER_URL",
    "REDIS_URL",
    "RELEASES_DIR",
    "MEDIA_STORE",
    "MEDIA_S3_ENDPOINT",
    "MEDIA_S3_BUCKET",
    "MEDIA_S3_KEY",
    "MEDIA_S3_SECRET",
    "MEDIA_S3_REGION",
    "EMAIL_URL",
    "EMAIL_FROM",
    "ALERT_EMAIL",
    "METRICS_TOKEN",
    "MODEL_HOSTS",
    "PROLIFIC_TOKEN",
    "HSTS_SUBDOMAINS",
    "HSTS_PRELOAD",
    "BACKUP_COPY",
    "BACKUP_DAYS",
)
# Limits and sizes, which have defaults for every machine: passed on if set, otherwise not listed.
PASSED_ON_IF_SET = (
    "MEDIA_URL",
    "MEDIA_STORE_SECONDS",
    "MEDIA_COPIES_MB",
    "MIN_FREE_MB",
    "START_SECONDS",
    "WEB_PROCESSES",
    "WEB_THREADS",
    "CPU_WORKERS",
    "HEAD_SECONDS",
    "STALL_SECONDS",
    "CONNECTIONS_AN_ADDRESS",
    "CONNECTIONS",
    "FRAME_CACHE_MB",
    "DECODE_THREADS",
    "EVALUATION_LEASE_SECONDS",
    "EVALUATION_TURN_SECONDS",
    "EVALUATION_BUSY_SECONDS",
    "EVALUATION_WORKERS",
    "COMMIT",
    "SIGN_UP_ROLE",
    "STAFF_SECOND_FACTOR",
    "SIGN_IN_TRIES",
    "SUBMISSIONS_A_DAY",
    "SUBMISSIONS_IN_ALL",
    "SUBMISSIONS_AT_ONCE",
    "HIDDEN_LISTINGS_A_MONTH",
    "UPLOADS_A_MINUTE",
    "UPLOAD_MEMORY_MB",
    "UPLOAD_SECONDS",
    "API_CALLS_A_MINUTE",
    "API_CALLS_A_MINUTE_SIGNED_IN",
    "LOG_FORMAT",
    "LOG_LEVEL",
    "PROLIFIC_API",
    "PROMETHEUS_MULTIPROC_DIR",
)


class CannotRender(Exception):
    """The files can't be rendered; the message says why in one sentence."""


@dataclass(frozen=True)
class Host:
    """One machine: the user that runs the site, the folders, and nginx's addresses."""

    out: Path
    user: str = "benchsite"
    port: int = 8000  # for pages; websockets use the next one
    backups: Path = Path("/var/backups/benchsite")
    keep: int = 14  # days
    certificate: str = ""  # path without "fullchain.pem" and "privkey.pem"; "" = as certbot names it
    http_port: int = 80
    https_port: int = 443

    @property
    def name(self) -> str:
        """The site's host name. Raises CannotRender if the public address has no TLS."""
        address = urlsplit(settings.SITE_URL)
        if address.scheme != "https" or not address.hostname:
            raise CannotRender(f"SITE_URL={settings.SITE_URL!r}: write the public address, https://HOST")
        return address.hostname


def written(host: Host) -> list[Path]:
    """Write the files into `host.out`; raises CannotRender and writes none if one of them exists there."""
    found = dict(files_of(host))
    host.out.mkdir(parents=True, exist_ok=True)
    if there := sorted(name for name in found if (host.out / name).exists()):
        raise CannotRender(f"{host.out} has {there[0]} already: choose another folder, or take it away")
    for name, text in found.items():
        path = host.out / name
        path.touch(SECRET if name == ENV_FILE else 0o644)
        path.write_text(text)
    return [host.out / name for name in found]


def files_of(host: Host) -> Iterator[tuple[str, str]]:
    """Name and text of each file."""
    values = values_of(host)
    for path in sorted((settings.BASE_DIR / TEMPLATES).iterdir()):
        if path.name != "hardening":  # a part of the units
            yield path.name, filled(path.read_text(), values)
    yield "nginx-site.conf", filled((settings.BASE_DIR / "docker/nginx.conf").read_text(), values)
    yield ENV_FILE, "".join(f"{line}\n" for line in environment_of(host))


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with its placeholders filled in; KeyError for one without a value."""
    return PLACE.sub(lambda found: values[found[1]], text)


def values_of(host: Host) -> dict[str, str]:
    """The values of the templates' placeholders."""
    out, checkout = host.out.resolve(), Path(settings.BASE_DIR)
    keys = host.certificate or f"/etc/letsencrypt/live/{host.name}"
    served = (
        f"{host.https_port} ssl",
        f"server_name {host.name}",
        f"ssl_certificate {keys}/fullchain.pem",
        f"ssl_certificate_key {keys}/privkey.pem",
    )
    values = {
        "USER": host.user,
        "HOME_DIR": str(checkout.parent),
        "CHECKOUT": str(checkout),
        "PYTHON": sys.executable,
        "FILES": str(out),
        "ENV_FILE": str(out / ENV_FILE),
        "DATA": str(settings.DATA_DIR),
        "BACKUPS": str(host.backups),
        "KEEP": str(host.keep),
        "PORT": str(host.port),
        "SITE_URL": settings.SITE_URL,
        "SITE_HOST": host.name,
        "HTTP_PORT": str(host.http_port),
        "HTTPS_PORT": str(host.https_port),
        "ACME_FOLDER": "/var/www/acme",
        "LISTEN": ";\n    ".join(served),
        "WEB_SERVERS": f"server 127.0.0.1:{host.port};",
        "SOCKET_SERVERS": f"server 127.0.0.1:{host.port + 1};",
        "FORWARDED_PROTO": "$scheme",
        "MEDIA_FOLDER": str(settings.MEDIA_ROOT),
        "MEDIA_S3_ENDPOINT": os.environ.get("MEDIA_S3_ENDPOINT") or "http://127.0.0.1:9",
        "MEDIA_STORE_SECONDS": os.environ.get("MEDIA_STORE_SECONDS") or "10",
        "ACCESS_LOG": "/var/log/nginx/benchsite.log",
        "ADDRESS_CONNECTIONS": str(settings.CONNECTIONS_AN_ADDRESS),
    }
    hardening = (settings.BASE_DIR / TEMPLATES / "hardening").read_text().rstrip()
    return values | {"HARDENING": filled(hardening, values)}


def environment_of(host: Host) -> Iterator[str]:
    """The lines of the services' environment, with unset settings as comments."""
    yield f"# The environment of benchsite's services on {host.name}. It has keys: only {host.user} may read it."
    known = {
        "SITE_URL": settings.SITE_URL,
        "ALLOWED_HOSTS": host.name,
        "DATA_DIR": str(settings.DATA_DIR),
        "SOCKET_PORT": str(host.port + 1),
        "SOCKET_URL": f"wss://{host.name}",
        "MEDIA_BY_NGINX": "1",
        "PROXIES": "1",
    }
    for name, value in known.items():
        yield f"{name}={shlex.quote(value)}"
    for name in PASSED_ON:
        value = os.environ.get(name, "")
        yield f"{name}={shlex.quote(value)}" if value else f"# {name}="
    yield from (f"{name}={shlex.quote(os.environ[name])}" for name in PASSED_ON_IF_SET if os.environ.get(name))
