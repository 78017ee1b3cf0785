"""Studies of slots without extensions: one is created, people take part in it over HTTP, and it is exported."""

from django.conf import settings

from benchsite import extensions
from tests.programs import python
from tests.site import environment, other_settings
from tests.tables import lay_into

STUDY = """
import sys
import django
django.setup()
from django.core.management import call_command
from django.test.utils import setup_test_environment
setup_test_environment()
call_command("check", fail_level="WARNING")

from django.test import Client
from humantrials.running.verification import verify
from tests.humantrials.fixtures import physics_pack, running_trial
from tests.humantrials.inside_crowd import simulate

trial = running_trial(physics_pack(tests=2), replicates=2)
happened = simulate(trial, people=9, accuracy=1.0)
print("finished", happened["finished"], "full", happened["full"], "broken", verify(trial).broken)
for address in ("/trials/", f"/trials/{trial.slug}/"):
    print(address, Client().get(address).status_code)
for kind in ("csv", "psych-ds"):
    call_command("export_trial", trial.slug, "--format", kind, "--out", f"{sys.argv[1]}/{kind}")
"""


def test_a_study_of_slots_needs_no_extension(tmp_path):
    lay_into(tmp_path)  # tests/extensions/test_without.py makes the tables without extensions
    core = [app for app in settings.INSTALLED_APPS if app not in extensions.names()]
    out = tmp_path / "out"
    env = environment(tmp_path) | other_settings(INSTALLED_APPS=core)
    done = python(["-c", STUDY, str(out)], env, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "finished 4 full True broken []" in done.stdout
    assert done.stdout.count(" 200") == 2
    assert (out / "csv").read_text().count("\n") > 4
    assert (out / "psych-ds").is_dir()
