"""Limits hold for simultaneous calls: over threads in memory, and over processes in Redis."""

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from accounts.callers import enter
from tests.programs import python
from tests.services import REDIS_URL
from tests.site import environment

LIMIT, CALLS, PROCESSES = 20, 50, 4
CROWD = f"""
import django; django.setup()
import os, sys
from concurrent.futures import ThreadPoolExecutor
from accounts.callers import enter
begun, begin = os.pipe()
for _ in range({PROCESSES}):
    if os.fork():
        continue
    os.close(begin)
    os.read(begun, 1)  # until all processes are there
    with ThreadPoolExecutor(8) as crowd:
        found = list(crowd.map(lambda _: enter(sys.argv[1], limit={LIMIT}, seconds=600).is_let_in, range({CALLS})))
    os.write(1, f"{{sum(found)}}\\n".encode())
    os._exit(0)
os.close(begin)
sys.exit(any(os.wait()[1] for _ in range({PROCESSES})))
"""


def test_of_fifty_calls_at_once_twenty_are_let_in():
    who = uuid.uuid4().hex
    with ThreadPoolExecutor(CALLS) as crowd:
        found = list(crowd.map(lambda _: enter(who, limit=LIMIT, seconds=600).is_let_in, range(CALLS)))
    assert sum(found) == LIMIT


@pytest.mark.redis
def test_of_four_processes_with_fifty_calls_each_twenty_are_let_in(tmp_path):
    production = {"DJANGO_SETTINGS_MODULE": "benchsite.settings", "DEBUG": "0", "SECRET_KEY": "x" * 60}
    production |= {"ALLOWED_HOSTS": "localhost", "SITE_URL": "https://localhost", "REDIS_URL": REDIS_URL}
    done = python(["-W", "ignore", "-c", CROWD, uuid.uuid4().hex], environment(tmp_path) | production, timeout=120)
    found = [int(line) for line in done.stdout.split()]
    assert (done.returncode, len(found), sum(found)) == (0, PROCESSES, LIMIT), done.stderr


def test_a_place_is_free_again_in_the_next_window_and_not_before():
    found = [enter("somebody", limit=2, seconds=60, now=at) for at in (1200.0, 1259.9, 1201.0, 1260.0)]
    assert [entry.is_let_in for entry in found] == [True, True, False, True]
    assert found[2].wait == 59.0


def test_calls_that_a_clock_counted_before_it_was_set_back_are_forgotten():
    year = 365 * 86400.0
    assert enter("traveller", limit=1, seconds=60, now=2 * year).is_let_in
    assert enter("traveller", limit=1, seconds=60, now=year).is_let_in
    assert not enter("traveller", limit=1, seconds=60, now=year + 1).is_let_in
