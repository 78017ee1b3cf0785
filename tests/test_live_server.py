"""The live server of tests answers requests that come at once without mixing their transactions."""

import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import Group
from django.db import transaction
from django.http import HttpResponse
from django.urls import path


def slow(request):
    """Two requests that overlap would end each other's transactions, since they share the connection."""
    with transaction.atomic():
        Group.objects.create(name=request.GET["name"])
        time.sleep(0.1)
    return HttpResponse("stored")


urlpatterns = [path("slow/", slow)]


def ask(server, name):
    with urllib.request.urlopen(f"{server.url}/slow/?name={name}", timeout=60) as answer:
        return answer.read()


@pytest.mark.django_db(transaction=True)
def test_requests_that_come_at_once_are_all_answered(live_server, settings):
    settings.ROOT_URLCONF = __name__
    with ThreadPoolExecutor(4) as people:
        assert list(people.map(lambda number: ask(live_server, number), range(4))) == [b"stored"] * 4
    assert Group.objects.count() == 4


@pytest.mark.django_db(transaction=True)
def test_a_late_request_is_answered_before_the_tables_are_emptied(live_server, settings):
    """Else they are locked, and pytest reports an error at the end of this test."""
    settings.ROOT_URLCONF = __name__
    threading.Thread(target=lambda: ask(live_server, "late")).start()
    time.sleep(0.05)
