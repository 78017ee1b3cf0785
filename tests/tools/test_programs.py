"""The programs that `make bench` and `make shots` run can be loaded as they are started: without Django's settings."""

import os

from tests.programs import python
from tools.bench.__main__ import BENCHMARKS


def test_every_program_can_be_loaded():
    env = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    imports = "\n".join(f"import {name}" for name in (*BENCHMARKS.values(), "tools.bench.pages.screenshots"))
    done = python(["-c", imports], env, timeout=300)
    assert done.returncode == 0, done.stderr
