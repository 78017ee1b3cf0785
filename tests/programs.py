"""Python programs that tests start, each a process of its own."""

import subprocess
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
# Folders of the site's own code, and of its templates.
CODE = sorted({path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests", "tools"})
TEMPLATES = (ROOT / "templates", *sorted(ROOT.glob("extensions/*/templates")))


def start(arguments: list[str], env: Mapping[str, str], **how: Any) -> subprocess.Popen[str]:
    """Start `python ARGUMENTS` (a script, or `-m` and a module) in the site's folder, with exactly this environment."""
    return subprocess.Popen([sys.executable, *arguments], env=env, text=True, **{"cwd": ROOT} | how)


def python(
    arguments: list[str], env: Mapping[str, str], *, cwd: Path = ROOT, stderr: int = subprocess.PIPE, timeout: float
) -> subprocess.CompletedProcess[str]:
    """Run `python ARGUMENTS` to its end; one that takes longer than `timeout` seconds is killed."""
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, env=env, cwd=cwd, stdout=subprocess.PIPE, stderr=stderr, text=True, timeout=timeout, check=False
    )


def loaded_by(statement: str, names: Collection[str], env: Mapping[str, str]) -> set[str]:
    """Those of the named modules that a new process has loaded after this statement."""
    done = python(["-c", f"import sys\n{statement}\nprint(*{{*sys.modules}} & {set(names)})"], env, timeout=120)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())
