"""The image's build context by .dockerignore's rules contains no secret."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.site import ROOT

SECRETS = (
    *(".env", "docker/.env", "docker/.env.production", "docker/site.env", "docker/tls/privkey.pem"),
    *("docker/tls/site.key", "data/var/secret-key", "var/secret-key", "data/var/db.sqlite3", "data/var/db.sqlite3-wal"),
    *("data/media/clips/one.mp4", "db.sqlite3", "2026-11-24.tar", "2026-11-24.tar.sha256"),
)
IS_SECRET = re.compile(r"(^|/)(\.env[^/]*|[^/]+\.(env|pem|key|tar|sqlite3)|secret-key)$")
PRIVATE_KEY = re.compile(rb"^-----BEGIN [A-Z ]*PRIVATE KEY-----", re.MULTILINE)


def pattern(line: str) -> re.Pattern[str]:
    """A line of .dockerignore: `**` is any number of folders, `*` any part of a name; everything below matches, too."""
    words = re.split(r"(\*\*/|\*\*|\*|\?)", line.strip().strip("/"))
    meant = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(meant.get(word) or re.escape(word) for word in words))


def context(folder: Path) -> Iterator[str]:
    """The paths below this folder that a build would copy."""
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert not [line for line in lines if line.startswith("!")], "exceptions are not read here"
    rules = [pattern(line) for line in lines if line and not line.startswith("#")]

    def stays(path: Path) -> bool:
        return not any(rule.fullmatch(path.relative_to(folder).as_posix()) for rule in rules)

    for here, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if stays(Path(here, name))]
        yield from (Path(here, name).relative_to(folder).as_posix() for name in files if stays(Path(here, name)))


def test_no_secret_is_in_the_context_of_an_image(tmp_path):
    for name in (*SECRETS, "benchsite/settings/env.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("SECRET_KEY=of-this-site\n")
    assert list(context(tmp_path)) == ["benchsite/settings/env.py"]


def test_the_checkout_itself_gives_an_image_what_it_needs_and_no_secret():
    held = set(context(ROOT))
    assert {"manage.py", "requirements.txt", "benchsite/settings/env.py", "docker/nginx.conf"} <= held
    assert [path for path in held if IS_SECRET.search(path)] == []
    assert [path for path in held if PRIVATE_KEY.search((ROOT / path).read_bytes())] == []


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_git_ignores_the_same_secrets(tmp_path):
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    shutil.copy(ROOT / ".gitignore", tmp_path)
    names = (*SECRETS, "benchsite/settings/env.py")
    done = subprocess.run(["git", "check-ignore", *names], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.split() == list(SECRETS)
