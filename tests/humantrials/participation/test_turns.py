"""On SQLite the participants' pages of a process are made one after the other."""

import threading
import time
from itertools import chain
from types import SimpleNamespace

import pytest
from django.http import HttpRequest, HttpResponse

from humantrials.participation import door, urls, views

WAITS = views.in_turn(lambda request: HttpResponse()).__code__  # the code of every view that waits for its turn


@pytest.fixture(autouse=True)
def own_turn(monkeypatch):
    """On SQLite, with a turn of this test alone: one never given back fails its own test alone."""
    monkeypatch.setattr(views, "connection", SimpleNamespace(vendor="sqlite"))
    monkeypatch.setattr(views, "TURN", threading.Lock())


class Together:
    """Its page counts how many threads are inside it at once."""

    def __init__(self, wait: float) -> None:
        self.wait, self.now, self.most = wait, 0, 0
        self.lock = threading.Lock()

    def page(self, request: HttpRequest) -> HttpResponse:
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)
        time.sleep(self.wait)
        with self.lock:
            self.now -= 1
        return HttpResponse()


def most_at_once(view: Together, threads: int = 4) -> int:
    page = views.in_turn(view.page)
    workers = [threading.Thread(target=page, args=(HttpRequest(),)) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return view.most


@pytest.mark.parametrize(("vendor", "most"), [("sqlite", 1), ("postgresql", 4)])
def test_pages_wait_for_each_other_on_sqlite_alone(monkeypatch, vendor, most):
    monkeypatch.setattr(views, "connection", SimpleNamespace(vendor=vendor))
    monkeypatch.setattr(views, "PATIENCE", 30.0)
    assert most_at_once(Together(wait=0.2 if most > 1 else 0.02)) == most


def test_nobody_waits_long_for_a_page_that_is_stuck(monkeypatch):
    monkeypatch.setattr(views, "PATIENCE", 0.01)
    with views.TURN:
        assert views.in_turn(Together(wait=0).page)(HttpRequest()).status_code == 200
    assert not views.TURN.locked()  # who went on without a turn gives none back


def test_a_view_that_fails_gives_its_turn_back():
    def fails(request: HttpRequest) -> HttpResponse:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        views.in_turn(fails)(HttpRequest())
    assert not views.TURN.locked()


def test_files_are_sent_out_of_turn():
    """A slow store of objects must hold up its own request alone."""
    nested = (getattr(pattern, "url_patterns", [pattern]) for pattern in urls.urlpatterns)  # kinds add theirs
    waiting = {pattern.name for pattern in chain.from_iterable(nested) if pattern.callback.__code__ is WAITS}
    assert waiting == {"road", "road-answer", "road-follow-up", "road-beat"}
    assert door.entry.__code__ is WAITS
