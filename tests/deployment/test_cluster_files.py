"""docker/cluster: Slurm's script by what it does, Kubernetes' file by what it names."""

import os
import signal
import subprocess
import time

import pytest
import yaml
from django.core.management import get_commands
from django.db import connection

from evaluation.models import Run, RunState, Shard, ShardState
from tests.factories import make_item, make_model, make_pack
from tests.site import ROOT, wait_for

FOLDER = ROOT / "docker/cluster"
# `serve` notes its end; `shell` asks whether a run is in progress, which is so while the file is there.
BENCHSITE = """#!/bin/bash
if [ "$1" = shell ]; then test -e {folder}/in-progress; exit; fi
echo "$* $JOIN" > {folder}/worker
trap "echo drained >> {folder}/worker; exit 0" TERM
while :; do sleep 0.05; done
"""


@pytest.fixture
def job(tmp_path):
    """Starts the script with stand-ins for the site's command and Slurm's."""
    for name, text in (("benchsite", BENCHSITE), ("scontrol", '#!/bin/bash\necho "$*" > {folder}/requeued\n')):
        (tmp_path / name).write_text(text.format(folder=tmp_path))
        (tmp_path / name).chmod(0o755)
    (tmp_path / ".benchsite-join").write_text("benchsite1.token\n")
    (tmp_path / "in-progress").touch()
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path), "TMPDIR": str(tmp_path), "LOOK": "0.2"}
    env |= {"SLURM_JOB_ID": "7", "SLURM_ARRAY_JOB_ID": "6", "SLURM_ARRAY_TASK_ID": "3", "IDLE": "1"}
    process = subprocess.Popen(["bash", str(FOLDER / "slurm.sh")], env=env)
    wait_for(lambda: (tmp_path / "worker").read_text())
    yield process
    process.kill()


def drained(folder) -> list[str]:
    return (folder / "worker").read_text().splitlines()


def test_a_job_gives_its_questions_back_before_its_limit_and_queues_again(job, tmp_path):
    time.sleep(1.5)  # longer than IDLE: work is in progress
    job.send_signal(signal.SIGUSR1)
    assert job.wait(20) == 0
    assert drained(tmp_path) == ["serve --only gpu benchsite1.token", "drained"]
    assert (tmp_path / "requeued").read_text() == "requeue 6_3\n"


@pytest.mark.parametrize("ends", ["cancelled", "idle"])
def test_a_job_that_is_cancelled_or_has_nothing_to_do_ends_for_good(job, tmp_path, ends):
    if ends == "cancelled":
        job.terminate()
    else:
        (tmp_path / "in-progress").unlink()
    job.wait(20)
    assert drained(tmp_path)[1:] == ["drained"]
    assert not (tmp_path / "requeued").exists()


def documents() -> list[dict]:
    return list(yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text()))


@pytest.mark.django_db
def test_the_scaler_counts_the_shards_that_wait_or_are_asked():
    pack = make_pack()
    make_item(pack)
    going, over, uploaded = (
        Run.objects.create(pack=pack, model=make_model(), kind=kind, state=state)
        for kind, state in (("run", RunState.RUNNING), ("run", RunState.CANCELLED), ("uploaded", RunState.QUEUED))
    )
    for run in (going, over, uploaded):
        for number, state in enumerate(ShardState.values):
            Shard.objects.create(run=run, number=number, state=state)
    [scaled] = [one for one in documents() if one["kind"] == "ScaledObject"]
    with connection.cursor() as cursor:
        cursor.execute(scaled["spec"]["triggers"][0]["metadata"]["query"])
        assert cursor.fetchone() == (2,)  # open and leased of the first


def test_what_kubernetes_starts_exists():
    started = [one for one in documents() if one["kind"] in ("Job", "Deployment")]
    containers = [(one, container) for one in started for container in one["spec"]["template"]["spec"]["containers"]]
    assert len(containers) == 4
    for one, container in containers:
        assert container["command"][0] == "benchsite"
        assert container["command"][1] in get_commands()
        assert container["envFrom"] == [{"secretRef": {"name": "benchsite"}}]
        assert container["image"].partition(":")[2] == "1.0.0"
        if one["kind"] == "Deployment":
            labels = one["spec"]["template"]["metadata"]["labels"]
            assert one["spec"]["selector"]["matchLabels"] == labels
