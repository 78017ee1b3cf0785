"""Runs a module in a separate process on a new database: SQLite in a folder, or one on the test server."""

import argparse
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.programs import python
from tests.services import POSTGRES_URL, answers
from tests.tables import lay_into, on_postgres

ROOT = Path(__file__).resolve().parent.parent.parent
LONGEST = 3600.0  # seconds; the modules have their own limits


def on_each_database(
    module: str, about: str | None, load: Mapping[str, Any], argv: list[str], here: Callable[[dict[str, Any]], int]
) -> int:
    """The command line of such a module: `load` names its options with their defaults, `here` does its work.

    Without --database it runs on SQLite and, if a server answers, on PostgreSQL, each in a separate process.
    """
    asked = _parse(about, load, argv)
    values = {name: getattr(asked, name) for name in load}
    if asked.here:
        return here(values)
    rest = [f"--{name.replace('_', '-')}={value}" for name, value in values.items()]
    codes = [_run(module, rest)] if asked.database != "postgres" else []
    if asked.database == "postgres" or (asked.database is None and postgres_answers()):
        codes.append(_on_postgres(module, rest))
    return max(codes)


def start_django() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    import django

    django.setup()


def postgres_answers() -> bool:
    return answers(POSTGRES_URL)


def own_postgres(name: str, command: str) -> str:
    """Create or drop a database beside the one of TEST_POSTGRES_URL; returns its URL."""
    import psycopg

    with psycopg.connect(POSTGRES_URL, autocommit=True) as connection:
        connection.execute(f'{command} DATABASE "{name}"' + (" WITH (FORCE)" if command == "DROP" else ""))
    return urlsplit(POSTGRES_URL)._replace(path=f"/{name}").geturl()


def _parse(about: str | None, load: Mapping[str, Any], argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--database", choices=["sqlite", "postgres"])
    parser.add_argument("--here", action="store_true", help="on the database that the settings name")
    for name, value in load.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    return parser.parse_args(argv)


def _run(module: str, arguments: list[str], database: str | None = None) -> int:
    with tempfile.TemporaryDirectory() as folder:
        away = {"DATABASE_URL", "SECRET_KEY", "DEBUG", "CELERY_BROKER_URL", "REDIS_URL"}
        env = {name: value for name, value in os.environ.items() if name not in away}
        env |= {"DATA_DIR": folder, "LOG_LEVEL": "WARNING"} | ({"DATABASE_URL": database} if database else {})
        lay_into(Path(folder))
        done = python(["-m", module, "--here", *arguments], env, stderr=2, timeout=LONGEST)
    print(done.stdout, end="", flush=True)
    return done.returncode


def _on_postgres(module: str, arguments: list[str]) -> int:
    name = f"{module.replace('.', '_')}_{os.getpid()}"
    with on_postgres(POSTGRES_URL, name) as address:
        return _run(module, arguments, address)
