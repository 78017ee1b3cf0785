"""A worker process and three servers: one answers, one is overloaded, one is no model server."""

import json

import pytest

from tests.evaluation.fault_server import Handler, completion, hangs, raw, serving
from tests.evaluation.test_crash import embedded
from tests.site import environment, other_settings, wait_for

pytestmark = pytest.mark.worker
KEY = "sk-very-secret-0123"


@pytest.fixture
def place(tmp_path):
    yield from embedded(
        environment(tmp_path) | {"DEBUG": "1", "TINY_API_KEY": KEY} | other_settings(EVALUATION_TURN_SECONDS=1),
        tmp_path,
    )


def overloaded(handler: Handler):
    """Alternately hangs and is overloaded."""
    hangs(handler) if handler.number % 2 else handler.send({"error": {"message": "too much"}}, 503)


def polite(handler: Handler):
    """Overloaded at first, then answers."""
    handler.send(completion("Yes") if handler.number > 3 else {"error": "wait"}, 200 if handler.number > 3 else 429)


def test_runs_over_bad_servers_say_why_and_the_others_go_on(place, tmp_path):
    with serving(polite) as good, serving(overloaded) as busy, serving(raw(b"<html>hello")) as wrong:
        common = {"model": "tiny", "key_variable": "TINY_API_KEY", "timeout": 2.0}
        options = {
            slug: common | {"base_url": server.base_url, "attempts": attempts}
            for slug, server, attempts in (("busy", busy, 2), ("wrong", wrong, 2), ("good", good, 5))
        }
        runs = place.call("-m", "tests.evaluation.server_runs", json.dumps(options))
        place.start_worker()
        ended = {"wrong": "failed", "good": "finished", "local": "finished"}
        wait_for(lambda: all(place.state(runs[slug]) == state for slug, state in ended.items()))
        reasons = dict(place.ask("SELECT id, reason FROM evaluation_run"))
        card = json.loads(place.ask(f"SELECT card FROM evaluation_run WHERE id = {runs['good']}")[0][0])
    assert place.state(runs["busy"]) == "running"
    assert reasons[runs["busy"]].startswith("the model asks to wait: the server ")
    assert "a web page (HTML), not with JSON: is base_url right?" in reasons[runs["wrong"]]
    assert sum(map(place.answered, runs.values())) == 12  # six questions, two runs that continued
    assert card["usage"]["tokens_in"] == 600
    assert card["usage"]["again"] >= 3
    assert {seen.headers["Authorization"] for seen in good.seen} == {f"Bearer {KEY}"}
    assert KEY.encode() not in (tmp_path / "var" / "db.sqlite3").read_bytes()
