"""A backup contains everything, is consistent, and can be restored into any empty site with either database."""

import gzip
import io
import json
import os
import pty
import re
import subprocess
import sys
import tarfile
import uuid
from pathlib import Path

import psycopg
import pytest
from django.core.files.storage import default_storage

from benchmarks.storage.store import store
from benchsite.backup.archive import Archive, writing
from benchsite.backup.backup import holding, key_print
from benchsite.backup.files import Folder
from tests.benchsite.sites import Place, on_sqlite
from tests.deployment.bucket import ENVIRONMENT, client, make_bucket
from tests.humantrials.subprocesses import own_postgres
from tests.site import PATIENCE, ROOT, environment, wait_for


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
    bucket = {"MEDIA_S3_ENDPOINT": object_store, "MEDIA_S3_BUCKET": make_bucket(object_store, name.replace("_", "-"))}
    try:
        yield Place(
            folder, own_postgres(name, "CREATE"), "another key, as long as the first one was", ENVIRONMENT | bucket
        )
    finally:
        own_postgres(name, "DROP")


@pytest.fixture(scope="module")
def moved(elsewhere, backup, tmp_path_factory) -> tuple[str, Path]:
    """Restore there a backup from before this app's last migration; returns the output and a backup of that site."""
    folder = tmp_path_factory.mktemp("moved")
    rewrite(backup, folder / "older.tar", lambda facts: facts["migrations"].remove(["benchsite", "0001_maintenance"]))
    done = elsewhere.manage("restore", str(folder / "older.tar"))
    assert done.returncode == 0, done.stderr
    elsewhere.good("backup", str(folder / "again.tar"))
    return done.stdout, folder / "again.tar"


def test_the_file_is_its_owner_s_and_its_sum_lies_beside(backup):
    assert backup.stat().st_mode & 0o777 == 0o600
    done = subprocess.run(["sha256sum", "--check", f"{backup.name}.sha256"], cwd=backup.parent, capture_output=True)
    assert done.returncode == 0


def test_neither_the_secret_key_nor_who_is_signed_in_leaves(full, backup):
    with tarfile.open(backup) as tar:
        parts = {info.name: tar.extractfile(info).read() for info in tar.getmembers()}
    texts = [gzip.decompress(part) if name.endswith(".gz") else part for name, part in parts.items()]
    assert not any(full.key.encode() in text for text in texts)
    assert "database/accounts.User.jsonl.gz" in parts
    assert not [name for name in parts if "Session" in name or "axes" in name]
    assert not [name for name in parts if ".staging" in name or ".backup" in name]


def planned_for(database: str) -> bool:
    """Whether PostgreSQL has statistics of the restored rows."""
    with psycopg.connect(database) as server:
        found = server.execute("SELECT reltuples FROM pg_class WHERE relname = 'accounts_user'").fetchall()
    return found[0][0] > 0


@pytest.mark.postgres
def test_from_sqlite_and_a_folder_to_postgresql_and_a_bucket_and_back_nothing_differs(
    digest, elsewhere, moved, object_store, tables, tmp_path
):
    """Restore there twice, and back; keys continue above the restored ones."""
    _, again = moved
    over, there = elsewhere.act(f"restore {again} --replace", "digest")
    assert planned_for(elsewhere.database)
    assert over["replaced"]["accounts.User"] == 1
    assert over["replaced"]["files in media"] == over["files"] - 1 == 2
    assert there == digest
    stored = client(object_store).list_objects_v2(Bucket=elsewhere.more["MEDIA_S3_BUCKET"])["Contents"]
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
    assert ["benchsite", "0001_maintenance"] in Archive(again).facts["migrations"]


def test_a_site_in_use_is_refused_with_what_would_go(full, backup):
    before = full.content()
    done = full.manage("restore", str(backup))
    assert done.returncode == 2
    assert "1 accounts.User" in done.stderr
    media = list(Folder(full.folder / "media").names())  # another test of this file adds clips
    assert f" {len(media)} files in media" in done.stderr
    assert "Traceback" not in done.stderr
    assert full.content() == before


@pytest.fixture(scope="module")
def bare(tmp_path_factory, tables) -> Place:
    return on_sqlite(tmp_path_factory.mktemp("bare") / "site", tables)


def absent(backup: Path, target: Path) -> None:
    """There is none."""


def text(backup: Path, target: Path) -> None:
    target.write_text("hello " * 1000)


def newer(backup: Path, target: Path) -> None:
    rewrite(backup, target, lambda facts: facts["migrations"].append(["evaluation", "9999_of_tomorrow"]))


def without_users(backup: Path, target: Path) -> None:
    """A backup whose rows refer to missing ones."""
    rewrite(backup, target, drop="accounts.User")


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (absent, "no such file"),
        (text, "not a backup"),
        (newer, "evaluation.9999_of_tomorrow"),
        (without_users, "accounts"),
    ],
)
def test_what_can_not_be_restored_is_told_in_one_line_and_leaves_the_site_as_it_was(
    backup, bare, tmp_path, made, words
):
    made(backup, tmp_path / "file.tar")
    before = bare.content()
    done = bare.manage("restore", str(tmp_path / "file.tar"))
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert bare.content() == before


def test_a_backup_is_of_one_moment_while_the_site_writes(full, tmp_path):
    """Pairs of rows, each with a file, are written and deleted meanwhile: the backup has only complete pairs."""
    over, target = tmp_path / "over", tmp_path / "moving.tar"
    command = [sys.executable, "-m", "tests.benchsite.backup.full_site", f"write {over}"]
    env = environment(full.folder) | full.extra
    writer = subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True)
    try:
        wait_for(lambda: reached(full) > 20)
        assert full.manage("backup", str(target)).returncode == 0
        at_the_end = reached(full)
        over.touch()
        assert int(writer.communicate(timeout=PATIENCE)[0]) >= at_the_end > 20
    finally:
        writer.kill()
    archive = Archive(target)
    with archive.open("database/benchmarks.Key.jsonl.gz") as part, gzip.open(part) as lines:
        names = {json.loads(line)[1] for line in lines}
    left = {name.removeprefix("left-") for name in names if name.startswith("left-")}
    right = {name.removeprefix("right-") for name in names if name.startswith("right-")}
    assert left == right != set()
    assert {f"media/clips/pair-{number}" for number in left} <= set(archive.parts)


@pytest.mark.parametrize("delete", [default_storage.delete, lambda name: store().remove([name])])
def test_a_file_that_came_and_went_between_the_two_listings_is_held(settings, tmp_path, delete):
    settings.MEDIA_ROOT = tmp_path
    files = Folder(tmp_path)
    with holding(files) as held:
        files.put("uploads/one", io.BytesIO(b"two rows name it"))
        delete("uploads/one")
        held.look_again()
        assert list(files.names()) == []
        assert held.names == ["uploads/one"]
        with held.open("uploads/one") as file:
            assert file.read() == b"two rows name it"
        files.put("uploads/two", io.BytesIO(b"linked"))
        held.look_again()
        delete("uploads/two")
        assert list(files.names()) == []
        assert held.open("uploads/two").read() == b"linked"
    assert list(tmp_path.glob(".*")) == []


def reached(place: Place) -> int:
    return max((int(path.name[5:]) for path in (place.folder / "media" / "clips").glob("pair-*")), default=0)


def rewrite(source: Path, target: Path, change=lambda facts: None, drop: str = "") -> None:
    """Write the backup again with other facts, or without one table's rows."""
    archive = Archive(source)
    change(archive.facts)
    if drop:
        archive.facts["tables"][drop]["rows"] = 0
    with writing(target) as writer:
        for name in archive.parts:
            with archive.open(name) as part:
                content = gzip.compress(b"") if drop and name == f"database/{drop}.jsonl.gz" else part.read()
            writer.add(name, io.BytesIO(content), len(content))
        writer.finish({key: value for key, value in archive.facts.items() if key not in ("format", "parts")})


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


def test_on_a_terminal_the_command_draws_over_its_line(backup, bare):
    master, slave = pty.openpty()
    done = bare.manage("restore", "--check", str(backup), stderr=slave)
    os.close(slave)
    drawn = os.read(master, 100_000).decode()
    os.close(master)
    assert done.returncode == 0
    assert drawn.count("\n") == 1
    assert "\x1b" not in drawn
    assert re.search(r"\rMB checked \[#{30}\] 1/1 00:00 left *\r?\n$", drawn)


def test_a_backup_never_writes_over_a_file(full, backup):
    before = backup.read_bytes()
    done = full.manage("backup", str(backup))
    assert done.returncode == 2
    assert "exists already" in done.stderr
    assert backup.read_bytes() == before
