"""One site on several machines: it works as on one machine, and any machine may fail while others remain."""

import json
import re
import signal
import urllib.error

import psycopg
import pytest
import redis

from tests.deployment.cluster import Cluster
from tests.site import other_settings, wait_for
from tests.test_whole_path import (  # noqa: F401  (the end-to-end tests of one machine, on this site)
    page,
    test_a_person_takes_the_trial_by_keyboard_and_is_a_row_of_the_board,
    test_a_run_is_watched_while_a_worker_answers_and_then_stands_on_the_board,
    test_simulated_people_are_a_kind_of_their_own,
)

pytestmark = [pytest.mark.worker, pytest.mark.browser, pytest.mark.postgres, pytest.mark.redis, pytest.mark.nginx]
SLOW_MODEL = """
from evaluation.models import Model
for slug, seconds in (("drawing-slowly", 0.2), ("drawing", 0.0)):
    Model.objects.create(slug=slug, name=slug, kind="scripted", options={"default": "random", "seconds": seconds})
"""
SEEDS = 12


def a_clip(cluster: Cluster) -> str:
    rows = map(json.loads, cluster.page("/benchmarks/grasp/items.jsonl?pack=small").splitlines())
    shown = next(row["clip"] for row in rows if row["clip"])  # a text-only question has none
    return "/media/" + shown.rsplit("/media/", 1)[1]


def test_clips_come_from_the_store_through_nginx_in_parts_and_tell_nothing(cluster):
    address = a_clip(cluster)
    whole = cluster.get(address)
    content = whole.read()
    assert whole.status == 200
    assert whole.headers["Content-Type"] == "video/mp4"
    assert whole.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert whole.headers["Server"] == "nginx"
    part = cluster.get(address, Range="bytes=100-199")
    assert (part.status, part.headers["Content-Range"]) == (206, f"bytes 100-199/{len(content)}")
    assert part.read() == content[100:200]
    for answer in (whole, part):
        told = " ".join(f"{name}: {value}" for name, value in answer.headers.items()).lower()
        assert not re.search("last-modified|amz|amazon|x-accel|x-clip|moto", told), told
    with pytest.raises(urllib.error.HTTPError) as same:
        cluster.get(address, **{"If-None-Match": whole.headers["ETag"]})
    assert same.value.code == 304


@pytest.mark.parametrize("path", ["/kept/clips/x.mp4", "/stored/clips/clips/x.mp4", "/metrics"])
def test_nobody_reaches_what_is_nginx_own_by_name(cluster, path):
    with pytest.raises(urllib.error.HTTPError) as missing:
        cluster.get(path)
    assert missing.value.code == 404


def test_a_store_that_does_not_answer_is_a_503_and_pages_go_on(cluster):
    address = a_clip(cluster)
    cluster.store.send_signal(signal.SIGSTOP)
    try:
        with pytest.raises(urllib.error.HTTPError) as away:
            cluster.get(address)
        assert (away.value.code, away.value.headers["Retry-After"]) == (503, "5")
        assert away.value.headers.get_all("Cache-Control") == ["no-store"]
        assert "GRASP" in cluster.page()
    finally:
        cluster.store.send_signal(signal.SIGCONT)
    assert cluster.get(address).status == 200


def test_queue_cache_and_counts_of_calls_are_in_redis(cluster):
    for _ in range(3):
        cluster.page("/api/v1/benchmarks/")
    queue = cluster.env["CELERY_BROKER_URL"]
    with redis.Redis.from_url(queue) as broker, redis.Redis.from_url(cluster.env["REDIS_URL"]) as kept:
        assert {b"_kombu.binding.gpu", b"_kombu.binding.cpu"} <= set(broker.scan_iter())
        cluster.page("/leaderboard/grasp/?pack=small")
        names = [name.decode() for name in kept.scan_iter()]
        assert [name for name in names if name.startswith("limits:")]
        assert [name for name in names if not name.startswith("limits:")]


def facts(cluster: Cluster, run: int) -> dict:
    done = cluster.call("-m", "tests.evaluation.crash", "facts", str(run))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def start(cluster: Cluster, model: str, *options: str) -> dict:
    words = f"--model {model} --benchmark grasp --pack small --strategy binary --temperature 0.7".split()
    seeds = ",".join(map(str, range(SEEDS)))
    done = cluster.manage("start_run", *words, "--seeds", seeds, "--json", *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_run_of_one_machine_is_finished_by_one_that_joined_with_a_single_word(cluster):
    """The first machine is killed and its folder is lost; the numbers are equal."""
    assert cluster.manage("shell", "-c", SLOW_MODEL).returncode == 0
    run = start(cluster, "drawing-slowly")["run"]
    with psycopg.connect(cluster.env["DATABASE_URL"], autocommit=True) as database:

        def ask(question: str) -> list[tuple]:
            return database.execute(question.format(run=run)).fetchall()

        def state() -> str:
            return ask("SELECT state FROM evaluation_run WHERE id = {run}")[0][0]

        def answered() -> int:
            of_run = "JOIN evaluation_cell c ON c.id = r.cell_id WHERE c.run_id = {run}"
            return ask(f"SELECT count(*) FROM evaluation_modelresponse r {of_run}")[0][0]

        wait_for(lambda: answered() >= 5)
        cluster.machines["gpu1"].kill()
        before = answered()
        assert 5 <= before < 8 * SEEDS
        assert state() == "running"
        assert "is on 127.0.0.1, which is another place for other machines" in cluster.manage("join").stderr
        joined = json.loads(cluster.manage("join", "--host", "127.0.0.1", "--json").stdout)["join"]
        quick = other_settings(EVALUATION_LEASE_SECONDS=4)
        cluster.start("gpu2", "--only", "gpu", JOIN=joined, OMP_NUM_THREADS="1", **quick)
        wait_for(lambda: state() != "running")
    disturbed = facts(cluster, run)
    quick = start(cluster, "drawing", "--wait")
    undisturbed = facts(cluster, quick["run"])
    assert (disturbed["state"], disturbed["open"], disturbed["reason"]) == ("finished", 0, "")
    assert max(disturbed["attempts"]) == 2
    assert len(disturbed["answers"]) == 8 * SEEDS
    for what in ("answers", "scores", "prompts"):
        assert disturbed[what] == undisturbed[what]


def test_a_web_machine_may_go_and_pages_go_on(cluster):
    cluster.machines["web2"].kill()
    for _ in range(6):
        assert "GRASP" in cluster.page()
