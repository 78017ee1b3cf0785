"""A wheel holds what the site reads while it runs, and `benchsite` finds it there."""

import shutil
import subprocess
import sys
from zipfile import ZipFile

import pytest

from tests.programs import CODE, ROOT

AT_THE_TOP = ("templates", "static", "docs", "locale")
BUILD = "import sys; from setuptools.build_meta import build_wheel; build_wheel(sys.argv[1])"
NOT_READ = {".po", ".pyc"}


def files_of(*folders):
    found = (path for folder in folders for path in (ROOT / folder).rglob("*"))
    return {path.relative_to(ROOT).as_posix() for path in found if path.is_file() and path.suffix not in NOT_READ}


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The files of a wheel that is built from a copy, since building writes beside the code."""
    copy, out = tmp_path_factory.mktemp("copy"), tmp_path_factory.mktemp("wheel")
    for folder in (*CODE, *AT_THE_TOP):
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for path in ROOT.glob("*.*"):
        if path.is_file():
            shutil.copy(path, copy)
    shutil.copy(ROOT / "LICENSE", copy)
    subprocess.run([sys.executable, "-c", BUILD, str(out)], cwd=copy, check=True, capture_output=True)
    with ZipFile(next(out.glob("*.whl"))) as wheel:
        wheel.extractall(out / "site")
    return out / "site"


def test_every_file_that_the_site_reads_is_in_the_wheel(installed):
    held = {path.relative_to(installed).as_posix() for path in installed.rglob("*") if path.is_file()}
    top = {path.name for path in ROOT.glob("*.md")} | {"LICENSE", "CITATION.cff"}
    wanted = files_of(*CODE) | {f"benchsite/files/{name}" for name in files_of(*AT_THE_TOP) | top}
    assert sorted(wanted - held) == []
    assert {name.split("/")[0] for name in held if "dist-info" not in name} == set(CODE)


def test_an_installed_site_finds_its_files_there(installed, tmp_path):
    lines = (
        "from benchsite.cli import main",
        "import sys; sys.argv = ['benchsite', 'findstatic', 'css/site.css']",
        "main()",
        "from django.template.loader import get_template; print(get_template('base.html').origin)",
        "from benchsite.web.documents import documents; print(documents()['glossary'])",
    )
    command = [sys.executable, "-c", "\n".join(lines)]
    env = {"PYTHONPATH": str(installed), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(f"{installed}/benchsite/files/") == 3
    assert (tmp_path / "var").is_dir()
