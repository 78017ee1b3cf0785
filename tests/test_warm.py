"""Programs forked from a process that has loaded the site behave like separately started ones."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.site import ROOT, environment, wait_for
from tests.warm import Program, python

TELLS = """
import json, os, sys
print(json.dumps([sys.argv[1:], dict(os.environ), os.getcwd(), __name__, sys.stdin.read()]))
print("a word", file=sys.stderr)
sys.exit(7)
"""
# Settings, databases, and which of the site's parts were read from settings while they were loaded
TELLS_SETTINGS = """
import json, os
os.environ["DJANGO_SETTINGS_MODULE"] = "benchsite.settings"
import django
django.setup()
from django.conf import settings
from django.db import connections
from benchsite.celery import app
import benchsite.urls
told = {name: repr(getattr(settings, name)) for name in sorted(dir(settings)) if name.isupper()}
told |= {"connection": str(connections["default"].settings_dict["NAME"]), "broker": app.conf.broker_url}
print(json.dumps({name: value for name, value in told.items() if " at 0x" not in value and value[0] != "{"}))
"""
OWN = {
    "DEBUG": "0",
    "SECRET_KEY": "of this test alone " * 3,
    "ALLOWED_HOSTS": "physics.example",
    "SITE_URL": "https://physics.example",
    "CACHE_MB": "7",
    "SUBMISSIONS_A_DAY": "8",
    "CELERY_BROKER_URL": "redis://127.0.0.1:9/9",
}


def test_a_program_has_its_own_arguments_environment_folder_and_exit_code(tmp_path):
    (tmp_path / "tells.py").write_text(TELLS)
    done = python(["tells.py", "a b", "c"], {"ONLY": "this"}, cwd=tmp_path, timeout=60)
    arguments, env, *others = json.loads(done.stdout)
    assert [arguments, *others] == [["a b", "c"], str(tmp_path), "__main__", ""]
    assert (env["ONLY"], "PATH" in env, "DATA_DIR" in env) == ("this", False, False)
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


def test_a_program_that_goes_on_is_signalled_and_its_end_is_known(tmp_path):
    (tmp_path / "waits.py").write_text("import time\ntime.sleep(60)")
    program = Program(["waits.py"], {}, cwd=tmp_path, start_new_session=True)
    assert program.poll() is None
    assert os.getpgid(program.pid) == program.pid
    program.terminate()
    assert program.wait(60) == -signal.SIGTERM
    assert program.poll() == -signal.SIGTERM


def test_it_ends_with_who_started_it_if_it_shall(tmp_path):
    (tmp_path / "waits.py").write_text("import time\ntime.sleep(60)")
    stays, ends = (Program(["waits.py"], {}, cwd=tmp_path, ends_with_us=shall) for shall in (False, True))
    for program in (stays, ends):
        program.link.close()  # as at the end of who started it
    wait_for(lambda: not Path("/proc", str(ends.pid)).exists(), seconds=60)
    assert Path("/proc", str(stays.pid)).exists()
    os.kill(stays.pid, signal.SIGKILL)


def test_it_inherits_files_under_their_numbers(tmp_path):
    (tmp_path / "writes.py").write_text("import os, sys\nfor n in sys.argv[1:]: os.write(int(n), n.encode())")
    pipes = [os.pipe() for _ in range(2)]
    ends = [end for _, end in pipes]
    assert Program(["writes.py", *map(str, ends)], {}, cwd=tmp_path, pass_fds=ends[::-1]).wait(60) == 0
    for read_from, end in pipes:
        os.close(end)
        with open(read_from) as pipe:
            assert pipe.read() == str(end)


@pytest.mark.parametrize("env", [{}, {"PROMETHEUS_MULTIPROC_DIR": "."}])
def test_its_metrics_are_shared_where_its_environment_names_a_folder(tmp_path, env):
    (tmp_path / "tells.py").write_text("from benchsite.observability import metrics\nprint(metrics.is_shared())")
    done = python([str(tmp_path / "tells.py")], environment(tmp_path) | {"PYTHONPATH": str(ROOT)} | env, timeout=60)
    assert done.stdout == f"{bool(env)}\n", done.stderr


def test_what_a_program_still_has_to_do_at_its_end_is_done(tmp_path):
    (tmp_path / "program.py").write_text(
        "import atexit, sys, threading\natexit.register(print, 'last')\n"
        "threading.Timer(0.1, print, ['thread']).start()\nsys.exit('in words')"
    )
    done = python(["program.py"], {}, cwd=tmp_path, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (1, "thread\nlast\n", "in words\n")


def test_settings_are_those_of_its_own_environment(tmp_path):
    (tmp_path / "tells.py").write_text(TELLS_SETTINGS)
    env = environment(tmp_path) | OWN | {"PYTHONPATH": str(ROOT)}
    forked = python([str(tmp_path / "tells.py")], env, timeout=60)
    started = subprocess.run(
        [sys.executable, str(tmp_path / "tells.py")], cwd=ROOT, env=env, capture_output=True, text=True, check=True
    )
    told = json.loads(forked.stdout)
    assert told == json.loads(started.stdout)
    assert (told["DEBUG"], told["broker"]) == ("False", OWN["CELERY_BROKER_URL"])
    assert told["connection"] == str(tmp_path / "var" / "db.sqlite3")
