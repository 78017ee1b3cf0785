"""The administration's pages are loaded for who reads or checks them, and not at each start of a command."""

import os

from benchmarks.admin.packs import PackAdmin
from benchsite.web.admin_config import check_pages
from tests.programs import python
from tests.site import PATIENCE

STEPS = """
import sys, django
from django.core.checks import run_checks
def found():
    return [name in sys.modules for name in ("humantrials.admin", "leaderboard.admin", "redis")]
django.setup()
print(found())
run_checks(tags=["admin"])
print(found())
"""


def test_commands_start_without_the_administration_and_its_checks_load_it():
    env = os.environ | {"DJANGO_SETTINGS_MODULE": "benchsite.settings", "DEBUG": "1"}
    env.pop("REDIS_URL", None)
    done = python(["-c", STEPS], env, timeout=PATIENCE)
    assert done.stdout.splitlines() == ["[False, False, False]", "[True, True, False]"], done.stderr


def test_a_fault_of_a_page_is_found(monkeypatch):
    assert check_pages(app_configs=None) == []
    monkeypatch.setattr(PackAdmin, "list_display", ("no_such_field",))
    assert [error.id for error in check_pages(app_configs=None)] == ["admin.E108"]
