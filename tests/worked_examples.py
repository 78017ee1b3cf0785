"""The worked examples of docs/architecture.md: each is under fifteen lines, and tests run it as it stands there."""

import re
import sys
from pathlib import Path
from types import ModuleType

ARCHITECTURE = Path("docs/architecture.md")


def code_under(heading: str) -> str:
    """The code below this heading; there must be fewer than fifteen lines, empty ones not counted."""
    _before, section = ARCHITECTURE.read_text().split(f"## {heading}\n")
    (code,) = re.findall(r"```python\n(.*?)```", section.split("\n## ")[0], re.S)
    assert len([line for line in code.splitlines() if line]) < 15, heading
    return code


def module_under(heading: str, monkeypatch, name: str) -> ModuleType:
    """The code below this heading as the module of this name, for the time of a test."""
    module = ModuleType(name)
    monkeypatch.setitem(sys.modules, name, module)
    exec(compile(code_under(heading), str(ARCHITECTURE), "exec"), module.__dict__)
    return module
