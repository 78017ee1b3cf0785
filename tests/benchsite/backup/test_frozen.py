"""What 1.0.0 stored opens in every later version, with the figures that it had.

`site-1.0.0.tar.xz` has a backup and the figures, written by 1.0.0 in an empty folder (DATA_DIR) after `migrate`:
`python -m tests.benchsite.backup.full_site fill + attack + backup backup.tar + figures`. It is never written again.
"""

import json
import sqlite3
import tarfile
import uuid
from contextlib import closing
from math import isclose
from pathlib import Path
from typing import Any

import pytest

from tests.benchsite.sites import Place, on_sqlite
from tests.humantrials.subprocesses import own_postgres

FROZEN = Path(__file__).with_name("site-1.0.0.tar.xz")
DATABASES = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]


@pytest.fixture(scope="module")
def frozen(tmp_path_factory) -> Path:
    """The folder with what 1.0.0 wrote."""
    folder = tmp_path_factory.mktemp("frozen")
    with tarfile.open(FROZEN) as both:
        both.extractall(folder)
    with tarfile.open(folder / "backup.tar") as backup:
        backup.extract("database.sqlite3", folder)
    return folder


@pytest.fixture(params=DATABASES)
def empty(request, tmp_path, tables):
    """An empty site of this version."""
    site = on_sqlite(tmp_path / "site", tables)
    if request.param == "sqlite":
        yield site
        return
    name = f"l2_frozen_{uuid.uuid4().hex[:8]}"
    try:
        yield Place(site.folder, own_postgres(name, "CREATE"))
    finally:
        own_postgres(name, "DROP")


def test_a_backup_of_1_0_0_is_restored_with_every_row_and_the_same_figures(frozen, empty):
    restored, figures = empty.act(f"restore {frozen / 'backup.tar'}", "figures")
    with closing(sqlite3.connect(frozen / "database.sqlite3")) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        own = [name for name in tables if not name.startswith(("sqlite_", "django_", "auth_permission"))]
        rows = sum(database.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in own)
    assert restored["rows"] >= rows > 5_000
    assert differences(json.loads((frozen / "figures.json").read_text()), figures) == []


def test_a_site_of_1_0_0_gets_the_tables_of_this_version_in_its_place(frozen, tables, tmp_path):
    site = on_sqlite(tmp_path / "site", frozen / "database.sqlite3")
    assert site.manage("migrate").returncode == 0
    assert schema(site.folder / "var" / "db.sqlite3") == schema(tables)
    [figures] = site.act("figures")
    assert differences(json.loads((frozen / "figures.json").read_text()), figures) == []


def differences(old: Any, new: Any, place: str = "") -> list[str]:
    """Where the new value lacks or changes something of the old one; it may have more."""
    if isinstance(old, dict) and isinstance(new, dict):
        return [line for name, one in old.items() for line in differences(one, new.get(name), f"{place}/{name}")]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        old, new = dict(enumerate(old)), dict(enumerate(new))
        return differences(old, new, place)
    is_same = isclose(old, new, rel_tol=1e-9) if isinstance(old, float) and isinstance(new, float) else old == new
    return [] if is_same else [f"{place}: {old!r} is {new!r}"]


def schema(path: Path) -> dict[str, set[tuple[Any, ...]]]:
    """The columns of each table, whatever their order."""
    with closing(sqlite3.connect(path)) as database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: {row[1:] for row in database.execute(f'PRAGMA table_info("{name}")')}
            for name in tables
            if not name.startswith("sqlite_")
        }
