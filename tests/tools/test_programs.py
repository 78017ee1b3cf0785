"""The programs that `make bench` and `make shots` run can be loaded as they are started: without Django's settings."""

import os
import subprocess
import sys

from tools.bench.__main__ import BENCHMARKS, ROOT


def test_every_program_can_be_loaded():
    env = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    imports = "\n".join(f"import {name}" for name in (*BENCHMARKS.values(), "tools.bench.pages.screenshots"))
    subprocess.run([sys.executable, "-c", imports], cwd=ROOT, env=env, check=True)
