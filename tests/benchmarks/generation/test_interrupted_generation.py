"""Generating many clips: in one process, over workers, and with interruptions."""

import errno
import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import psutil
import pytest
from django.utils import timezone

from benchmarks import tasks
from benchmarks.generation import distributed
from benchmarks.generation.progress import SILENT_AFTER
from benchmarks.generation.set_makers import ClipNotWritten, make_one
from benchmarks.management.commands import generate_benchmark
from benchmarks.models import Pack, Production, ProductionBatch, ProductionState
from scenes.trajectory import Trajectory
from tests.commands import say
from tests.programs import start
from tests.site import PATIENCE, wait_for
from tests.tables import lay_into

render = pytest.mark.render
GRASP = ("generate_benchmark", "grasp", "--size", "64x48", "--fps", "5", "--out")


def made(out: Path) -> list[str]:
    return sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())


@render
@pytest.mark.django_db
def test_one_clip_is_made_alone_and_is_the_same_as_among_others(tmp_path):
    for out, options in ((tmp_path / "all", ("--count", "2")), (tmp_path / "one", ("--index", "1"))):
        say(*GRASP, out, "--only", "IP_Gravity", "--seed", "4", "--jobs", "1", *options)
    name = "trajectories/level2/IP_Gravity/001.npz"
    assert [file for file in made(tmp_path / "one") if file.endswith(".npz")] == [name]
    alone, among = (Trajectory.load(tmp_path / out / name) for out in ("one", "all"))
    assert alone.digest() == among.digest()
    np.testing.assert_array_equal(alone.seen, among.seen)


@render
@pytest.mark.parametrize(
    "where",
    ["scenes.whole_files.os.replace", "scenes.rendering.video_file.av.open", "scenes.trajectory.np.savez_compressed"],
)
def test_full_disk_is_one_sentence_and_leaves_no_half_file(where, tmp_path, monkeypatch):
    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(where, full)
    with pytest.raises(ClipNotWritten, match="P_Gravity 000: the disk is full"):
        make_one("P_Gravity", 0, 0, tmp_path / "out", {"size": (64, 48), "fps": 5})
    left = made(tmp_path / "out")
    assert not [name for name in left if name.endswith((".mp4", ".json", ".tmp")) or "/." in name]


def long_making(out, *, jobs, **options):
    """The command with more clips than it could finish."""
    order = ("--count", "500", "--only", "DirectionLeft", "--size", "320x240", "--fps", "25")
    lay_into(data := out.with_name("data"))
    command = ["manage.py", "generate_benchmark", "grasp", "--out", str(out), "--jobs", str(jobs), *order]
    return start(command, os.environ | {"DATA_DIR": str(data)}, **options)


@render
def test_ctrl_c_in_mid_clip_leaves_whole_clips_only_and_says_how_to_go_on(tmp_path):
    out = tmp_path / "out"
    with long_making(out, jobs=1, stderr=subprocess.PIPE, start_new_session=True) as process:
        wait_for(lambda: any(out.rglob("*.json")))
        time.sleep(0.3)
        os.killpg(process.pid, signal.SIGINT)  # like Ctrl-C in a terminal
        said = process.communicate(timeout=PATIENCE)[1]
    assert process.returncode == 130
    assert said.strip().splitlines()[-1].startswith(("CommandError: stopped", "stopped"))
    assert "Traceback" not in said
    time.sleep(0.5)
    finished = {path.stem for path in out.rglob("*.json")}
    assert finished
    assert {path.stem for path in out.rglob("*.mp4")} <= finished | {f"{len(finished):03}"}
    assert not [path for path in out.rglob(".*") if path.is_file()]


@render
def test_a_killed_command_leaves_no_process_and_no_half_file(tmp_path):
    out = tmp_path / "out"
    with long_making(out, jobs=2, stderr=subprocess.DEVNULL) as process:
        wait_for(lambda: any(out.rglob("*.json")))
        makers = psutil.Process(process.pid).children(recursive=True)
        process.kill()
    assert len(makers) >= 2
    wait_for(lambda: not any(maker.is_running() and maker.status() != psutil.STATUS_ZOMBIE for maker in makers))
    assert not [path for path in out.rglob(".*") if path.is_file()]


@pytest.fixture
def queued(db, tmp_path, monkeypatch):
    """A production of three small batches, whose messages are recorded instead of sent."""
    sent: list[int] = []
    monkeypatch.setattr(distributed, "BATCH", 2)
    monkeypatch.setattr(generate_benchmark, "queue_task", lambda task, batch: sent.append(batch))
    monkeypatch.setattr(tasks, "queue_task", lambda task, production: tasks.import_pack(production))
    say(*GRASP, tmp_path / "mine", "--only", "ShapeBall", "--count", "5", "--queue")
    return sent


@render
def test_queued_pack_is_made_in_batches_and_imported_once(queued, tmp_path):
    production = Production.objects.get()
    assert len(queued) == 3
    assert (production.state, production.clips_total) == (ProductionState.WAITING, 5)
    tasks.make_batch(queued[1])
    tasks.make_batch(queued[1])  # delivered twice
    production.refresh_from_db()
    assert (production.state, production.clips_done) == (ProductionState.MAKING, 2)
    assert not Pack.objects.exists()
    for batch in (queued[2], queued[0], queued[0]):
        tasks.make_batch(batch)
    production.refresh_from_db()
    assert (production.state, production.clips_done) == (ProductionState.DONE, 5)
    assert Pack.objects.get().clips.count() == 5
    tasks.import_pack(production.pk)
    assert Pack.objects.count() == 1
    assert len([name for name in made(tmp_path / "mine") if name.endswith(".mp4")]) == 5


@pytest.fixture
def again(monkeypatch):
    """A function that sweeps once nothing was heard of the production for too long; returns what is queued again."""
    queued: list[tuple[str, int]] = []
    monkeypatch.setattr(tasks, "queue_task", lambda task, pk: queued.append((task, pk)))

    def sweep(*, is_late: bool = True) -> list[tuple[str, int]]:
        queued.clear()
        if is_late:
            Production.objects.update(updated_at=timezone.now() - 2 * SILENT_AFTER)
        tasks.sweep_folders()
        return list(queued)

    return sweep


@render
def test_messages_lost_with_their_broker_or_worker_are_sent_again(queued, again):
    production = Production.objects.get()
    assert again(is_late=False) == []
    assert again() == [(distributed.MAKING, batch) for batch in queued]
    assert again(is_late=False) == []  # once in a while, not with every sweep
    tasks.make_batch(queued[1])
    assert again() == [(distributed.MAKING, batch) for batch in (queued[0], queued[2])]
    tasks.make_batch(queued[0])
    tasks.make_batch(queued[2])
    assert again() == [(distributed.IMPORT, production.pk)]
    tasks.import_pack(production.pk)
    assert again() == []
    Production.objects.update(state=ProductionState.WAITING, order={"folder": "release", "split": ""})
    assert again() == [(distributed.ORDERED, production.pk)]


def test_queued_production_that_fails_says_why_and_stops(queued, monkeypatch):
    def full(*arguments):
        raise ClipNotWritten("ShapeBall 000: the disk is full")

    monkeypatch.setattr(distributed, "make_one", full)
    with pytest.raises(ClipNotWritten):
        tasks.make_batch(queued[0])
    production = Production.objects.get()
    assert (production.state, production.note) == (ProductionState.FAILED, "ShapeBall 000: the disk is full")
    tasks.make_batch(queued[1])  # no error, and nothing is generated
    assert ProductionBatch.objects.filter(clips_done__gt=0).count() == 0
    tasks.make_batch(999_999)  # from a replaced order
