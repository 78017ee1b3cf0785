"""Programs forked from a process with loaded libraries behave like separately started ones."""

import json
import subprocess
import sys

import pytest

from tests.site import ROOT, environment
from tests.warm import python

TELLS = """
import json, os, sys
print(json.dumps([sys.argv[1:], dict(os.environ), os.getcwd(), __name__, sys.stdin.read()]))
print("a word", file=sys.stderr)
sys.exit(7)
"""


def test_a_program_has_its_own_arguments_environment_folder_and_exit_code(tmp_path):
    (tmp_path / "tells.py").write_text(TELLS)
    done = python(["tells.py", "a b", "c"], {"ONLY": "this"}, cwd=tmp_path, timeout=60)
    assert json.loads(done.stdout) == [["a b", "c"], {"ONLY": "this"}, str(tmp_path), "__main__", ""]
    assert (done.returncode, done.stderr) == (7, "a word\n")


def test_an_error_is_told_and_a_program_that_hangs_is_killed(tmp_path):
    (tmp_path / "program.py").write_text(
        "import os, sys, time\nprint(os.getpid(), flush=True)\ntime.sleep(float(sys.argv[1]))"
    )
    failed = python(["program.py"], {}, cwd=tmp_path, timeout=60)
    assert failed.returncode == 1
    assert "IndexError" in failed.stderr
    with pytest.raises(subprocess.TimeoutExpired):
        python(["program.py", "60"], {}, cwd=tmp_path, timeout=0.5)


def test_settings_are_not_loaded_beforehand(tmp_path):
    command = [
        "-c",
        "import sys, tests.warm as warm; [__import__(name) for name in warm.LIBRARIES.split()];"
        "print([name for name in sys.modules if name.split('.')[0] in ('benchsite', 'benchmarks', 'scipy')])",
    ]
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]", done.stderr
