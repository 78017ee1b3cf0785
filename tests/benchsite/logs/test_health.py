"""`health` ends with 1 and a sentence for what is wrong, so that a timer can write to staff."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from benchsite.models import Heartbeat

pytestmark = pytest.mark.django_db


def test_a_site_without_problems_says_so():
    out = StringIO()
    call_command("health", stdout=out)
    assert out.getvalue().startswith("every check is passed: database, media, disk, ")


def test_everything_that_is_wrong_is_in_one_sentence(settings):
    settings.MIN_FREE_MB = 10**12
    now = timezone.now()
    Heartbeat.objects.create(
        name="gpu1", kind="worker", host="box", pid=17, version="1", started_at=now, seen_at=now - timedelta(seconds=50)
    )
    words = r"disk: almost full: .*; processes: gpu1 was not heard for \d\d s"
    with pytest.raises(CommandError, match=words) as raised:
        call_command("health")
    assert raised.value.returncode == 1
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("health", as_json=True, stdout=out)
    found = json.loads(out.getvalue())
    assert (found["ok"], found["checks"]["database"]) == (False, "ok")
