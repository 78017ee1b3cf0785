"""Installed packages match the locks, and their licences are known."""

import re
from importlib import metadata

import av
import pytest
from packaging.requirements import Requirement

from tests.deployment.licences import ASK_NOTHING, DOCUMENT, TABLE, licences, table
from tests.site import ROOT

LOCKS = ("requirements.lock", "requirements-dev.lock")
LINE = re.compile(r"^([A-Za-z0-9._-]+==[^\\\n]+?)( \\\n(?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+|\n)", re.MULTILINE)
SOURCES = ("requirements.txt", "requirements-dev.txt", "requirements-weights.txt")
# Torch's build is the machine's choice; its own version is pinned in the Makefile and the images.
CHOSEN = {"torch"}


def pins(name: str) -> list[Requirement]:
    lines = (line.partition("#")[0].strip() for line in (ROOT / name).read_text().splitlines())
    return [Requirement(line) for line in lines if line and not line.startswith("-")]


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_of_a_lock_has_digests(name):
    found = LINE.findall((ROOT / name).read_text())
    assert len(found) > 100
    assert [package for package, digests in found if "--hash" not in digests] == []


def test_the_locks_hold_every_pin():
    """`make lock` was run after the last change of requirements*.txt."""
    lines = map(Requirement, lock_lines("requirements-dev.lock"))
    locked = {line.name.lower().replace("_", "-"): line for line in lines}
    missing = []
    for pin in (pin for name in SOURCES for pin in pins(name)):
        line = locked.get(pin.name.lower().replace("_", "-"))
        if pin.name not in CHOSEN and (line is None or line.specifier != pin.specifier):
            missing.append(f"{pin}: {line or 'not locked'}")
    assert missing == [], "run `make lock`"


@pytest.mark.parametrize("name", LOCKS)
def test_what_is_installed_is_what_is_locked(name):
    wanted = [line for line in map(Requirement, lock_lines(name)) if not line.marker or line.marker.evaluate()]
    differing = [str(line) for line in wanted if metadata.version(line.name) not in line.specifier]
    assert differing == [], "`make setup-dev` installs what the lock lists"


def test_makefile_and_images_install_the_torch_that_is_pinned():
    pinned = next(str(pin) for pin in pins("requirements.txt") if pin.name == "torch")
    for name in ("Makefile", "docker/Dockerfile", "docker/Dockerfile.gpu"):
        assert re.search(rf"^(ARG )?TORCH ?\??= ?{re.escape(pinned)}$", (ROOT / name).read_text(), re.MULTILINE), name


def test_no_package_of_the_site_asks_for_its_source_and_every_licence_is_known():
    found = licences("requirements.lock")
    allowed = ASK_NOTHING | {"LGPL", "MPL 2.0"}
    assert {package: family for package, family in found.items() if family not in allowed} == {}


def test_the_document_names_every_licence_that_asks_for_something():
    text = DOCUMENT.read_text()
    assert TABLE.search(text)[0] == table(), "python -m tests.deployment.licences"
    developers = licences("requirements-dev.lock").items() - licences("requirements.lock").items()
    named = {package for package, family in developers if family not in ASK_NOTHING | {"LGPL", "MPL 2.0"}}
    assert all(f"`{package}`" in text for package in named), named


def test_the_document_tells_of_the_codecs_that_the_decoder_brings():
    built = av._core.library_meta["libavcodec"]["configuration"]
    for name in ("libx264", "libx265", "libxvid", "libvidstab"):
        assert (name in DOCUMENT.read_text()) == (f"--enable-{name}" in built.split()), name


def lock_lines(name: str) -> list[str]:
    """The requirements of a lock without their digests."""
    return [package for package, _digests in LINE.findall((ROOT / name).read_text())]
