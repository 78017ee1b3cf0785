"""The studies, their stored results, and the digest of the code that made them."""

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
LISTS = {"registry", "auditing"}  # a new test adds a line, which changes no other test's clips
OTHER_LOOKS = {"soft_light", "shadow_footprint", "cinema"}  # clips here are drawn in look `plain`
FRAMES = {"first", "last"}
SEED = 20231115  # of the clips; no pack uses it


@dataclass(frozen=True)
class Test:
    """A Level-2 test with its two folders, the plausible one first."""

    name: str
    number: int
    folders: tuple[str, str]
    module: str


@dataclass(frozen=True)
class Study:
    """One test in one profile with so many clips a class; classifiers of single frames use `frames` of them."""

    test: str
    profile: Profile
    clips: int
    frames: int

    def path(self, out: Path, ending: str) -> Path:
        return out / f"{self.profile}-{self.test}{ending}"

    def results(self, out: Path) -> dict[str, Any]:
        """The stored results, of the current code or an older version; empty if there are none."""
        path = self.path(out, ".json")
        return json.loads(path.read_text()) if path.is_file() else {}

    def keep(self, out: Path, **more: Any) -> None:
        """Store these results and drop those of older code."""
        stored = self.results(out)
        digest = code_digest(self.test)
        if stored.get("digest") != digest:
            stored = {"test": self.test, "profile": self.profile}
        path = self.path(out, ".json")
        temporary = path.with_suffix(f".{os.getpid()}.tmp")
        temporary.write_text(json.dumps(stored | {"digest": digest} | more, indent=1))
        os.replace(temporary, path)

    def has(self, out: Path, what: str) -> bool:
        """Whether this was measured with the current code on at least as many clips."""
        results = self.results(out)
        wanted = self.frames if what in FRAMES else self.clips
        return results.get(what, {}).get("clips", 0) >= wanted and results["digest"] == code_digest(self.test)


@cache
def level2_tests() -> dict[str, Test]:
    """Name -> Level-2 test, for all that can be generated, in the paper's order."""
    found: dict[str, Test] = {}
    for kind in sorted(SCENES.values(), key=lambda kind: (kind.number, kind.label == "implausible")):
        if kind.level == 2 and kind.label == "plausible":
            folders = (f"P_{kind.test}", f"IP_{kind.test}")
            found[kind.test] = Test(kind.test, kind.number, folders, kind.draw.__module__.rpartition(".")[2])
    return found


@cache
def code_digest(test: str) -> str:
    """Digest of all code that makes this test's clips: generator, audit, `scenes.clip` and their imports.

    Comments, docstrings, line breaks and the lists of all tests don't count.
    """
    module = level2_tests()[test].module
    digest = hashlib.sha256()
    for path, tree in sorted(
        _imported({"scenes.clip", f"scenes.generators.{module}", f"scenes.audit.{module}"}).items()
    ):
        digest.update(f"{path} {ast.dump(tree)}".encode())
    return digest.hexdigest()[:12]


def _imported(modules: set[str]) -> dict[str, ast.Module]:
    """Name -> syntax tree of these modules and all modules of `scenes` that they import."""
    found: dict[str, ast.Module] = {}
    todo = sorted(modules)
    while todo:
        module = todo.pop()
        path = (ROOT / module.replace(".", "/")).with_suffix(".py")
        if module in found or path.stem in LISTS | OTHER_LOOKS or not path.is_file():
            continue
        found[module] = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(found[module]):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
                node.body = node.body[1:]
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("scenes"):
                todo += [str(node.module), *(f"{node.module}.{name.name}" for name in node.names)]
    return found
