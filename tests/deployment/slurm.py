"""`make soak PART=slurm`: docker/cluster/slurm.sh on a Slurm of one node (Debian's slurm-wlm, as root)."""

import json
import os
import shutil
import socket
import subprocess
import time

import pytest

from benchsite.serving.processes import die_with_parent
from benchsite.serving.serve import free_port
from tests.deployment.cluster import _database, _process, _redis
from tests.site import ROOT, environment, other_settings

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.redis,
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root, which may switch users"),
    pytest.mark.skipif(not shutil.which("slurmctld"), reason="needs slurm-wlm (apt-get install slurm-wlm)"),
]
CONF = """
ClusterName=one
SlurmctldHost={host}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
"""
WITHIN = 580  # seconds: Slurm lets a requeued job rest for two minutes


@pytest.fixture
def slurm(tmp_path):
    """Settings under which Slurm's commands reach a cluster of this machine alone."""
    folder, host = tmp_path / "slurm", socket.gethostname().split(".")[0]
    for part in ("", "state", "spool"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    (folder / "munge.key").write_bytes(os.urandom(1024))
    (folder / "munge.key").chmod(0o400)
    conf = folder / "slurm.conf"
    conf.write_text(CONF.format(folder=folder, host=host, ports=[free_port("127.0.0.1"), free_port("127.0.0.1")]))
    munged = ["munged", "--foreground", "--force", f"--socket={folder}/munge.socket", f"--key-file={folder}/munge.key"]
    munged += [f"--{name}={folder}/munged.{name[:3]}" for name in ("log-file", "pid-file", "seed-file")]
    with (
        _process(munged, log=folder / "munged"),
        _process(["slurmctld", "-D", "-f", str(conf)], log=folder / "slurmctld"),
        _process(["slurmd", "-D", "-f", str(conf)], log=folder / "slurmd"),
    ):
        yield {"SLURM_CONF": str(conf)}


def test_a_job_joins_is_ended_at_its_limit_is_requeued_and_the_numbers_are_equal(slurm, tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    (bin_ := tmp_path / "bin").mkdir()
    (bin_ / "benchsite").write_text(f'#!/bin/bash\ncd {ROOT} && exec {ROOT}/.venv/bin/python manage.py "$@"\n')
    (bin_ / "benchsite").chmod(0o755)
    with _database() as database, _redis(tmp_path) as port:
        own = {"DATABASE_URL": database, "CELERY_BROKER_URL": f"redis://127.0.0.1:{port}/0", "SECRET_KEY": "x" * 60}
        own |= {"DEBUG": "1", "DATA_DIR": str(site), **other_settings(EVALUATION_LEASE_SECONDS=10)}
        env = environment(site) | own | slurm | {"PATH": f"{bin_}:{os.environ['PATH']}"}

        def call(*line: str) -> str:
            done = subprocess.run(line, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300)
            assert done.returncode == 0, done.stdout + done.stderr
            return done.stdout

        def crash(*arguments: str):
            return json.loads(call(str(ROOT / ".venv/bin/python"), "-m", "tests.evaluation.crash", *arguments))

        call("benchsite", "migrate", "--verbosity", "0")
        quiet = {"env": env, "preexec_fn": die_with_parent, "stdout": subprocess.DEVNULL}
        clock = subprocess.Popen([f"{bin_}/benchsite", "serve", "--only", "clock"], **quiet)
        run = str(crash("seed", '{"seconds": 1.0, "default": "random"}', "0.7")["run"])  # 120 s of asking
        token = call("benchsite", "join", "--host", "127.0.0.1", "--folder-is-shared").strip()
        own_line = ["--array=0-0", "--gres=none", "--time=2", "--signal=B:USR1@25", f"--output={tmp_path}/job"]
        limits = f"JOIN={token},IDLE=20,LOOK=2,OMP_NUM_THREADS=1,PATH={env['PATH']},TMPDIR={tmp_path}"
        script = str(ROOT / "docker/cluster/slurm.sh")
        job = call("sbatch", "--parsable", *own_line, f"--export={limits}", script).strip()

        def field(name: str) -> str:
            return call("scontrol", "show", "job", f"{job}_0").partition(f"{name}=")[2].split()[0]

        until = time.monotonic() + WITHIN
        while crash("facts", run)["state"] not in ("finished", "failed") and time.monotonic() < until:
            time.sleep(5)
        assert int(field("Restarts")) >= 1
        [[disturbed, undisturbed]] = crash("beside_undisturbed", run)
        assert (disturbed["state"], disturbed["open"]) == ("finished", 0)
        for what in ("answers", "scores", "prompts"):
            assert disturbed[what] == undisturbed[what]
        while field("JobState") not in ("COMPLETED", "FAILED") and time.monotonic() < until:
            time.sleep(5)
        assert field("JobState") == "COMPLETED"  # nothing is in progress: the card is free
        clock.terminate()
        clock.wait(60)
