"""A backup contains everything, is consistent, and can be restored into any empty site with either database."""

import io
import sqlite3
import subprocess
import tarfile
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, default_storage

from benchmarks.storage.store import store
from benchsite.backup.archive import DATABASE, Archive, writing
from benchsite.backup.backup import key_print, taking_deletions
from benchsite.backup.state import names_in
from tests.benchsite.sites import Place, on_sqlite
from tests.deployment.bucket import address_of, client, make_bucket
from tests.humantrials.subprocesses import own_postgres
from tests.programs import start
from tests.site import PATIENCE, environment, wait_for


@pytest.fixture(scope="module")
def full(tmp_path_factory, tables) -> Place:
    place = on_sqlite(tmp_path_factory.mktemp("full") / "site", tables)
    place.act("fill")
    return place


@pytest.fixture(scope="module", autouse=True)  # before any test changes the site, in whatever order they run
def digest(full) -> dict[str, str]:
    return full.act("digest")[0]


@pytest.fixture(scope="module", autouse=True)
def backup(full, tmp_path_factory) -> Path:
    target = tmp_path_factory.mktemp("backup") / "whole.tar"
    facts = full.good("backup", str(target))
    assert facts["rows"] > 100
    assert facts["files"] == 3
    assert facts["gone_meanwhile"] == 0
    return target


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory, object_store):
    """A site on an empty PostgreSQL, with its media in a bucket, and another SECRET_KEY."""
    name, folder = f"l2_backup_{uuid.uuid4().hex[:8]}", tmp_path_factory.mktemp("elsewhere")
    (folder / "var").mkdir()
    bucket = address_of(object_store, make_bucket(object_store, name.replace("_", "-")))
    try:
        key = "another key, as long as the first one was"
        yield Place(folder, own_postgres(name, "CREATE"), key, {"MEDIA_STORE": bucket})
    finally:
        own_postgres(name, "DROP")


@pytest.fixture(scope="module")
def moved(elsewhere, backup, tmp_path_factory) -> tuple[str, Path]:
    """Restore there a backup from before this app's migration; returns the output and a backup of that site."""
    folder = tmp_path_factory.mktemp("moved")
    forget = "DELETE FROM django_migrations WHERE app = 'benchsite'"
    rewrite(backup, folder / "older.tar", forget, "DROP TABLE benchsite_heartbeat")
    done = elsewhere.manage("restore", str(folder / "older.tar"))
    assert done.returncode == 0, done.stderr
    elsewhere.good("backup", str(folder / "again.tar"))
    return done.stdout, folder / "again.tar"


def test_the_file_is_its_owner_s_its_sum_lies_beside_and_it_is_never_written_over(full, backup):
    assert backup.stat().st_mode & 0o777 == 0o600
    done = subprocess.run(["sha256sum", "--check", f"{backup.name}.sha256"], cwd=backup.parent, capture_output=True)
    assert done.returncode == 0
    before = backup.read_bytes()
    again = full.manage("backup", str(backup))
    assert (again.returncode, "exists already" in again.stderr) == (2, True)
    assert backup.read_bytes() == before


def test_neither_the_secret_key_nor_who_is_signed_in_leaves(full, backup, tmp_path):
    assert full.key.encode() not in backup.read_bytes()
    assert b"who-is-signed-in" not in backup.read_bytes()
    with tarfile.open(backup) as tar:
        assert not [name for name in tar.getnames() if ".staging" in name or ".backup" in name]
    with database_of(backup, tmp_path) as copy:
        assert copy.execute("SELECT count(*) FROM accounts_user").fetchone() == (1,)
        assert copy.execute("SELECT count(*) FROM django_session").fetchone() == (0,)


@pytest.mark.postgres
def test_from_sqlite_and_a_folder_to_postgresql_and_a_bucket_and_back_nothing_differs(
    digest, elsewhere, moved, object_store, tables, tmp_path
):
    """Restore there twice, and back; keys continue above the restored ones."""
    _, again = moved
    over, there = elsewhere.act(f"restore {again} --replace", "digest")
    with psycopg.connect(elsewhere.database) as server:
        (planned,) = server.execute("SELECT reltuples FROM pg_class WHERE relname = 'accounts_user'").fetchone()
    assert planned > 0, "PostgreSQL has no statistics of the restored rows"
    assert over["replaced"]["accounts.User"] == 1
    assert over["replaced"]["files in media"] == over["files"] - 1 == 2
    assert there == digest
    stored = client(object_store).list_objects_v2(Bucket=elsewhere.more["MEDIA_STORE"].rpartition("/")[2])["Contents"]
    assert {"clips/abc.mp4", "uploads/waiting/one.jsonl"} <= {found["Key"] for found in stored}
    assert over["same_secret_key"] is True
    back, here, key = on_sqlite(tmp_path / "home", tables).act(f"restore {again}", "digest", "use")
    assert here == digest
    assert back["same_secret_key"] is False
    assert key > 0


@pytest.mark.postgres
def test_an_older_backup_is_brought_up_to_date_and_another_key_is_told(moved):
    said, again = moved
    assert "SECRET_KEY differs from" in said
    with database_of(again, again.parent) as copy:
        assert copy.execute("SELECT count(*) FROM django_migrations WHERE app = 'benchsite'").fetchone() == (1,)


def test_a_site_in_use_is_refused_with_what_would_go(full, backup):
    before = full.content()
    done = full.manage("restore", str(backup))
    assert done.returncode == 2
    assert "1 accounts.User" in done.stderr
    media = list(names_in(FileSystemStorage(full.folder / "media")))  # another test of this file adds clips
    assert f" {len(media)} files in media" in done.stderr
    assert "Traceback" not in done.stderr
    assert full.content() == before


@pytest.fixture(scope="module")
def bare(tmp_path_factory, tables) -> Place:
    return on_sqlite(tmp_path_factory.mktemp("bare") / "site", tables)


OF_TOMORROW = "UPDATE django_migrations SET name = '9999_of_tomorrow' WHERE app = 'evaluation'"
UNFIT = {
    "no such file": lambda backup, target: None,
    "not a backup": lambda backup, target: target.write_text("hello " * 1000),
    "evaluation.9999_of_tomorrow": lambda backup, target: rewrite(backup, target, OF_TOMORROW),
    "accounts": lambda backup, target: rewrite(backup, target, "DELETE FROM accounts_user"),  # others' rows name them
}


@pytest.mark.parametrize("words", UNFIT)
def test_what_can_not_be_restored_is_told_in_one_line_and_leaves_the_site_as_it_was(backup, bare, tmp_path, words):
    UNFIT[words](backup, tmp_path / "file.tar")
    before = bare.content()
    done = bare.manage("restore", str(tmp_path / "file.tar"))
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert bare.content() == before


def test_a_backup_is_of_one_moment_while_the_site_writes(full, tmp_path):
    """Pairs of rows, each with a file, are written and deleted meanwhile: the backup has only complete pairs."""
    over, target = tmp_path / "over", tmp_path / "moving.tar"
    command = ["-m", "tests.benchsite.backup.full_site", f"write {over}"]
    writer = start(command, environment(full.folder) | full.extra, stdout=subprocess.PIPE)
    try:
        wait_for(lambda: reached(full) > 20)
        assert full.manage("backup", str(target)).returncode == 0
        at_the_end = reached(full)
        over.touch()
        assert int(writer.communicate(timeout=PATIENCE)[0]) >= at_the_end > 20
    finally:
        writer.kill()
    with database_of(target, tmp_path) as copy:
        names = {name for (name,) in copy.execute("SELECT name FROM benchmarks_key")}
    left = {name.removeprefix("left-") for name in names if name.startswith("left-")}
    right = {name.removeprefix("right-") for name in names if name.startswith("right-")}
    assert left == right != set()
    assert {f"media/clips/pair-{number}" for number in left} <= {part.name for part in Archive(target).parts}


@pytest.mark.parametrize("delete", [default_storage.delete, lambda name: store().remove([name])])
def test_a_file_that_is_deleted_meanwhile_is_taken_over(settings, tmp_path, delete):
    settings.MEDIA_ROOT = tmp_path
    with taking_deletions() as deleted:
        default_storage.save("uploads/one", ContentFile(b"a row names it"))
        delete("uploads/one")
        assert list(names_in(default_storage)) == []
        assert list(names_in(deleted)) == ["uploads/one"]
    assert list(tmp_path.glob(".*")) == []


def reached(place: Place) -> int:
    return max((int(path.name[5:]) for path in (place.folder / "media" / "clips").glob("pair-*")), default=0)


@contextmanager
def database_of(backup: Path, folder: Path) -> Iterator[sqlite3.Connection]:
    Archive(backup).copy_database(folder / "copy.sqlite3")
    with closing(sqlite3.connect(folder / "copy.sqlite3")) as copy:
        yield copy


def rewrite(source: Path, target: Path, *statements: str) -> None:
    """Write the backup again, with these changes of its database."""
    archive = Archive(source)
    with database_of(source, target.parent) as copy:
        for statement in statements:
            copy.execute(statement)
        copy.commit()
    with writing(target) as writer, (target.parent / "copy.sqlite3").open("rb") as database:
        writer.add(DATABASE, database, (target.parent / "copy.sqlite3").stat().st_size)
        for folder in ("media", "models"):
            for name, content in archive.each(folder):
                data = content.read()
                writer.add(f"{folder}/{name}", io.BytesIO(data), len(data))
        writer.finish({key: value for key, value in archive.facts.items() if key not in ("format", "sum")})


def test_a_site_that_made_its_own_key_is_known_by_that(settings, tmp_path, monkeypatch):
    """Its own key counts, not the development key of single commands, which is the same everywhere."""
    monkeypatch.delenv("SECRET_KEY", raising=False)
    first = key_print()
    assert key_print() == first
    settings.VAR_DIR = tmp_path / "another"
    assert key_print() != first
    settings.VAR_DIR = tmp_path / "var"
    monkeypatch.setenv("SECRET_KEY", "one in the environment goes first")
    assert key_print() != first
