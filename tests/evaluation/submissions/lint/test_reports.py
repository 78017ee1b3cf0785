"""Reports on refused uploads are deleted after a week."""

import os
import time

import pytest
from django.core.cache import cache
from django.core.files.storage import default_storage

from evaluation.submissions.files.problems import Problem
from evaluation.submissions.lint.check import LintReport
from evaluation.submissions.lint.reports import FOLDER, find, store_report

pytestmark = pytest.mark.django_db


def stored(user) -> str:
    report = LintReport(problems=[Problem("missing", "no answer with seed 0", item="abc")])
    return store_report(report=report, user=user, name="answers.jsonl")


def age(key, days):
    then = time.time() - days * 86_400
    os.utime(default_storage.path(f"{FOLDER}/{key}.json"), (then, then))


def test_a_report_lasts_a_week_and_they_are_looked_through_once_an_hour(django_user_model):
    user = django_user_model.objects.create_user("ada")
    old, young = stored(user), stored(user)
    age(old, 7.1)
    age(young, 6.9)
    stored(user)
    assert find(key=old, user=user)
    cache.clear()  # an hour later
    stored(user)
    assert find(key=old, user=user) is None
    found = find(key=young, user=user)
    assert found["problems"] == [{"code": "missing", "what": "no answer with seed 0", "line": None, "item": "abc"}]
