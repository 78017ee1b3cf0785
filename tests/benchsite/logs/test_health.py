"""`health` ends with 1 and a sentence for what is wrong, so that a timer can write to staff."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError
from django.utils import timezone

from benchsite.models import Heartbeat
from tests.commands import say

pytestmark = pytest.mark.django_db


def test_a_site_without_problems_says_so():
    assert say("health").startswith("every check is passed: database, media, disk, ")


def test_everything_that_is_wrong_is_in_one_sentence(settings):
    settings.MIN_FREE_MB = 10**12
    now = timezone.now()
    who = {"name": "gpu1", "kind": "worker", "host": "box", "pid": 17, "version": "1"}
    Heartbeat.objects.create(**who, started_at=now, seen_at=now - timedelta(seconds=50))
    words = r"disk: almost full: .*; processes: gpu1 was not heard for \d\d s"
    with pytest.raises(CommandError, match=words) as raised:
        say("health", "--json", stdout=(out := StringIO()))
    assert raised.value.returncode == 1
    found = json.loads(out.getvalue())
    assert (found["ok"], found["checks"]["database"]) == (False, "ok")
