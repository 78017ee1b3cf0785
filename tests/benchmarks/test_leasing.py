"""Leases: one holder at a time in every queue, by the database's clock, decided in one module."""

import random
import socket
from datetime import timedelta

import pytest
from celery import Celery
from django.apps import apps
from django.db import DatabaseError, connection, transaction
from django.utils import timezone
from kombu import Queue

from accounts.models import User
from benchmarks import leasing
from benchmarks.leasing import Leased, LeaseLost
from benchmarks.models import FolderUpload
from evaluation.models import Shard, Upload
from extensions.annotation.models import Material, MaterialFile
from extensions.generated.models import ClipSet, PromptPack
from humantrials.models import Sheet
from tests.factories import make_pack, make_run, make_trial
from tests.failures import ANOTHER_DATABASE
from tests.services import RABBITMQ_URL

QUEUES = {
    Shard: lambda: Shard.objects.create(run=make_run(), number=0),
    Sheet: lambda: Sheet.objects.create(trial=make_trial(make_pack()), order=0),
    Upload: lambda: Upload.objects.create(key="key", owner=User.objects.create(username="ann")),
    FolderUpload: lambda: FolderUpload.objects.create(key="key", owner=User.objects.create(username="ann")),
    ClipSet: lambda: ClipSet.objects.create(
        pack=PromptPack.objects.create(slug="p"), slug="s", key="k", state="waiting"
    ),
    MaterialFile: lambda: MaterialFile.objects.create(material=Material.objects.create(slug="taps"), place="place"),
}
HOUR = 3600.0


def writes(lease: Leased) -> bool:
    """Whether the holder may still write."""
    try:
        with transaction.atomic():
            leasing.hold(lease)
    except LeaseLost:
        return False
    return True


@pytest.mark.django_db
def test_what_is_compared_outside_of_a_query_goes_by_the_databases_clock(monkeypatch):
    if connection.vendor != "postgresql":
        pytest.skip(f"{ANOTHER_DATABASE}: SQLite's clock is this host's")
    before = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: before + timedelta(hours=9))
    assert timedelta(0) <= leasing.database_now() - before < timedelta(minutes=9)


def test_every_queue_is_tried_here():
    assert {kind for kind in apps.get_models() if issubclass(kind, Leased)} == QUEUES.keys()


@pytest.mark.django_db
@pytest.mark.parametrize("kind", QUEUES, ids=lambda kind: kind.__name__)
def test_only_the_last_taker_writes_whatever_happens_on_whatever_clock(kind, monkeypatch):
    """A walk of 200 steps beside a table of what must hold."""
    rows, rng = kind.objects.filter(pk=QUEUES[kind]().pk), random.Random(kind.__name__)
    takers: list[Leased] = []
    is_held = is_over = False
    for _ in range(200):
        skew = timedelta(hours=rng.choice((-9, 0, 9)))
        monkeypatch.setattr(timezone, "now", lambda now=timezone.now, skew=skew: now() + skew)
        step = rng.choice(("take", "renew", "lapse", "end", "give back", "revoke", "stale"))
        lease = takers[-1] if takers else None
        if step == "take":
            new = leasing.take(rows, seconds=HOUR)
            assert bool(new) == (not is_held or is_over)
            takers, is_held, is_over = ([*takers, new], True, False) if new else (takers, is_held, is_over)
        elif step == "renew" and lease:
            assert leasing.renew(lease, seconds=HOUR) == is_held
            is_over = is_over and not is_held
        elif step == "lapse":
            assert leasing.lapse(rows) == is_held
            is_over = is_held
        elif step == "end" and lease:
            assert leasing.end(lease, "done") == is_held
            leasing.revoke(rows.filter(state="done"), kind.WAITS)
            is_held = is_over = False
        elif step == "give back" and lease:
            assert leasing.give_back(lease) == is_held
            is_held = is_over = False
        elif step == "stale" and takers[:-1]:
            stale = takers[-2]
            assert not leasing.renew(stale, seconds=HOUR)
            assert not leasing.end(stale, "done")
            assert not leasing.give_back(stale)
        elif step == "revoke":
            leasing.revoke(rows, kind.WAITS)
            is_held = is_over = False
        assert [writes(taker) for taker in takers[-3:]] == [False] * len(takers[-3:-1]) + [is_held] * bool(takers)
        assert rows.filter(leasing.running(kind)).exists() == (is_held and not is_over)
        assert rows.filter(leasing.expired(kind)).exists() == (is_held and is_over)
        monkeypatch.undo()
    assert len(takers) > 10


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", QUEUES, ids=lambda kind: kind.__name__)
def test_of_two_who_take_a_row_one_gets_it_without_waiting(kind, second_connection):
    row = QUEUES[kind]()
    with transaction.atomic():
        assert leasing.take(kind.objects.filter(pk=row.pk), seconds=HOUR)
        second = second_connection.begin(lambda: leasing.take(kind.objects.filter(pk=row.pk), seconds=HOUR))
        assert second.result() is None


@pytest.mark.django_db
def test_a_lease_that_can_not_be_renewed_is_surely_ours_only_until_another_may_take_it(monkeypatch):
    now, is_away = [0.0], [False]
    monkeypatch.setattr(leasing.time, "monotonic", lambda: now[0])
    lease = leasing.take(Shard.objects.filter(pk=QUEUES[Shard]().pk), seconds=60)
    signs = leasing.LeaseHeartbeat(lease, seconds=60)  # not started: this test beats

    def renew(*args, **facts):
        if is_away[0]:
            raise DatabaseError
        return now[0] < 1000

    monkeypatch.setattr(leasing, "renew", renew)
    found = []
    for now[0], is_away[0] in ((45, False), (90, True), (101, True), (500, False), (1000, False)):
        signs._renew()
        found.append(signs.is_sure)
    assert found == [True, True, False, True, False]
    with pytest.raises(LeaseLost):
        signs.check()
    with signs:
        pass
    assert signs.is_sure  # nothing is asked under a lease that has ended


@pytest.mark.rabbitmq
def test_a_message_is_sent_though_the_connection_at_hand_died_with_its_broker(monkeypatch):
    with Celery(broker=RABBITMQ_URL, set_as_current=False) as app:
        monkeypatch.setattr(leasing, "current_app", app)
        own = {"queue": Queue("test_leasing", expires=60)}
        assert leasing.queue_task("nothing", 1, **own)
        with app.producer_pool.acquire() as producer:
            producer.channel.connection.transport.sock.shutdown(socket.SHUT_RDWR)
        assert leasing.queue_task("nothing", 2, **own)
