"""`make audit` reports what it found, and clearly what it couldn't check."""

import shutil
import subprocess

import pytest

from tests.site import ROOT


@pytest.mark.parametrize(
    ("said", "code", "exits", "loudly"),
    [
        ("No known vulnerabilities found", 0, 0, None),
        ("Found 2 known vulnerabilities in 1 package", 1, 1, None),
        ("ConnectionError: no network", 1, 0, "could not ask for known holes (exit code 1)"),
        (
            "No known vulnerabilities found\ndjango Dependency not found on PyPI and could not be audited",
            0,
            0,
            "nothing is known here of 1 packages",
        ),
        (
            "Found 1 known vulnerability in 1 package\ndjango could not be audited",
            1,
            1,
            "nothing is known here of 1 packages",
        ),
    ],
)
def test_exit_and_words_are_as_documented(tmp_path, said, code, exits, loudly):
    (tmp_path / "docker").mkdir()
    script = shutil.copy(ROOT / "docker/audit-packages.sh", tmp_path / "docker")
    stand_in = tmp_path / ".venv/bin/pip-audit"
    stand_in.parent.mkdir(parents=True)
    stand_in.write_text(f"#!/bin/bash\necho '{said}'\nexit {code}\n")
    stand_in.chmod(0o755)
    done = subprocess.run([script], capture_output=True, text=True)
    assert done.returncode == exits
    assert done.stdout.strip() == said
    assert ("SKIPPED LOUDLY" in done.stderr) == bool(loudly)
    assert (loudly or "") in done.stderr
