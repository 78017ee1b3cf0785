"""Which studies there are, where their results stand, and of which code they are."""

import ast
import hashlib
import json
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from scenes.registry import SCENES
from scenes.scene import Profile

ROOT = Path(__file__).resolve().parents[2]
LISTS = {"registry", "auditing"}  # grow by a line a test, which changes no other test's clips
FRAMES = {"first", "last"}
SEED = 20231115  # of the clips; no pack is made from it


@dataclass(frozen=True)
class Test:
    """A Level-2 test with its two folders, the plausible one first."""

    name: str
    number: int
    folders: tuple[str, str]
    module: str


@dataclass(frozen=True)
class Study:
    """One test in one profile, with so many clips a class; `frames` of them for the classifiers that see pictures."""

    test: str
    profile: Profile
    clips: int
    frames: int

    def path(self, out: Path, ending: str) -> Path:
        return out / f"{self.profile}-{self.test}{ending}"

    def results(self, out: Path) -> dict[str, Any]:
        """What was measured so far, in the present code or an older one; empty when nothing was."""
        path = self.path(out, ".json")
        return json.loads(path.read_text()) if path.is_file() else {}

    def keep(self, out: Path, **more: Any) -> None:
        """Add results; those of older code go."""
        kept = self.results(out)
        digest = code_digest(self.test)
        if kept.get("digest") != digest:
            kept = {"test": self.test, "profile": self.profile}
        path = self.path(out, ".json")
        temporary = path.with_suffix(f".{os.getpid()}.tmp")
        temporary.write_text(json.dumps(kept | {"digest": digest} | more, indent=1))
        os.replace(temporary, path)

    def has(self, out: Path, what: str) -> bool:
        """Whether this was measured with the present code, on no fewer clips."""
        results = self.results(out)
        wanted = self.frames if what in FRAMES else self.clips
        return results.get(what, {}).get("clips", 0) >= wanted and results["digest"] == code_digest(self.test)


@cache
def level2_tests() -> dict[str, Test]:
    """Every Level-2 test that can be made, by name, in the paper's order."""
    found: dict[str, Test] = {}
    for kind in sorted(SCENES.values(), key=lambda kind: (kind.number, kind.label == "implausible")):
        if kind.level == 2 and kind.label == "plausible":
            folders = (f"P_{kind.test}", f"IP_{kind.test}")
            found[kind.test] = Test(kind.test, kind.number, folders, kind.draw.__module__.rpartition(".")[2])
    return found


@cache
def code_digest(test: str) -> str:
    """Of all code that makes this test's clips: its generator, its audit, and what these and a clip's making import.

    Comments, docstrings and line breaks do not count, nor do the lists of all tests.
    """
    module = level2_tests()[test].module
    digest = hashlib.sha256()
    for path, tree in sorted(
        _imported({"scenes.clip", f"scenes.generators.{module}", f"scenes.audit.{module}"}).items()
    ):
        digest.update(f"{path} {ast.dump(tree)}".encode())
    return digest.hexdigest()[:12]


def _imported(modules: set[str]) -> dict[str, ast.Module]:
    """These modules of `scenes` and all that they import of it, each with its code."""
    found: dict[str, ast.Module] = {}
    todo = sorted(modules)
    while todo:
        module = todo.pop()
        path = (ROOT / module.replace(".", "/")).with_suffix(".py")
        if module in found or path.stem in LISTS or not path.is_file():
            continue
        found[module] = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(found[module]):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
                node.body = node.body[1:]
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("scenes"):
                todo += [str(node.module), *(f"{node.module}.{name.name}" for name in node.names)]
    return found
