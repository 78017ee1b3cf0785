"""docs/api.md is correct: its examples run, and it lists every call."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.urls import get_resolver

from tests.programs import ROOT
from tests.site import PATIENCE

pytestmark = pytest.mark.django_db
TEXT = (Path(__file__).parents[3] / "docs/api.md").read_text(encoding="utf-8")
SHELL = re.findall(r'^curl "https://SITE(/\S+)"$', TEXT, re.MULTILINE)
PYTHON = re.findall(r"^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("address", SHELL)
def test_a_shell_example_answers(client, board, address):
    answer = client.get(address)
    assert answer.status_code == 200
    assert len(answer.content) > 40


@pytest.mark.parametrize("program", PYTHON, ids=["pages"])
def test_a_python_example_runs(live_server, board, program):
    ours = program.replace("https://SITE", live_server.url)
    env = os.environ | {"PYTHONPATH": str(ROOT / "client")}
    command = [sys.executable, "-c", ours]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False, env=env)
    assert (done.returncode, done.stdout) == (0, "16 items\n"), done.stderr


def test_every_call_is_named():
    told = set(re.findall(r"`([a-z]+)/", TEXT))
    there = {pattern.split("/")[2] for pattern in _routes(get_resolver()) if pattern.startswith("api/v1/")}
    assert there - {"schema", "docs"} <= told


def _routes(resolver, before=""):
    for each in resolver.url_patterns:
        address = before + str(each.pattern)
        yield from _routes(each, address) if hasattr(each, "url_patterns") else [address]
