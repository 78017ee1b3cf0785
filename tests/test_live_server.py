"""The live server of tests answers requests that come at once without mixing their transactions."""

import threading
import time
import urllib.request

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


@pytest.mark.django_db(transaction=True)
def test_requests_that_come_at_once_are_all_answered(live_server, settings):
    settings.ROOT_URLCONF = __name__
    said = []

    def ask(number):
        with urllib.request.urlopen(f"{live_server.url}/slow/?name={number}", timeout=60) as answer:
            said.append(answer.read())

    people = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for one in people:
        one.start()
    for one in people:
        one.join()
    assert said == [b"stored"] * 4
    assert Group.objects.count() == 4


class Late(threading.Thread):
    """A request that nobody waits for."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self.address = address
        self.start()

    def run(self) -> None:
        urllib.request.urlopen(f"{self.address}/slow/?name=late", timeout=60).close()


@pytest.mark.django_db(transaction=True)
def test_a_late_request_is_answered_before_the_tables_are_emptied(live_server, settings):
    """Else they are locked, and pytest reports an error at the end of this test."""
    settings.ROOT_URLCONF = __name__
    Late(live_server.url)
    time.sleep(0.05)
