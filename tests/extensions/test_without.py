"""The site without extensions: it starts, shows its pages and asks models."""

import pytest
from django.conf import settings

from benchsite import extensions
from tests.programs import python
from tests.site import environment, other_settings
from tests.tables import lay_into

INSTALLED = extensions.names()
# Each extension taken out alone, and all of them together.
TAKEN_OUT = sorted({*((name,) for name in INSTALLED), tuple(INSTALLED)})
USED = """
import django
django.setup()
from django.core.management import call_command
call_command("check", fail_level="WARNING")
call_command("migrate", verbosity=0)

from django.test import Client
from evaluation.runs.add_model import ensure_heuristics
from benchsite.celery import app
from evaluation.runs.add_model import ensure_heuristics
from evaluation.runs.lifecycle import start_run
from tests.factories import make_clip, make_item, make_pack

pack, models = make_pack(), ensure_heuristics()
make_item(pack, clip=make_clip(pack))
print(start_run(model=models[0], pack=pack, strategy="binary").cells.count(), "question")
print(app.conf.beat_schedule, app.conf.task_routes)
for address in ("/", "/models/", f"/models/{models[0].slug}/", "/leaderboard/", "/leaderboard/grasp/"):
    print(address, Client().get(address).status_code)
"""


@pytest.mark.parametrize("taken_out", TAKEN_OUT, ids="+".join)
def test_the_site_starts_and_asks_a_model_without_them(taken_out, tmp_path):
    """Tables are made where all are left out; the others start with those of all, as a site that had them."""
    if len(taken_out) < len(INSTALLED):
        lay_into(tmp_path)
    left = [app for app in settings.INSTALLED_APPS if app not in taken_out]
    done = python(["-c", USED], environment(tmp_path) | other_settings(INSTALLED_APPS=left), timeout=300)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "1 question" in lines
    assert [name for name in taken_out if name in done.stdout] == []
    assert [line for line in lines if line.startswith("/") and not line.endswith(" 200")] == []
    assert sum(line.endswith(" 200") for line in lines) == 5
