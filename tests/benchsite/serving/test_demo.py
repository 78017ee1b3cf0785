"""The demo content's parts that can fail."""

import os
from pathlib import Path

import pytest

from benchmarks.models import Production, ProductionState
from benchsite.management.commands.demo import NICENESS, give_way
from benchsite.serving import demo
from evaluation.models import Priority, RunState
from evaluation.runs.lifecycle import ensure_runs
from tests.factories import make_clip, make_item, make_model, make_pack
from tests.humantrials.fixtures import physics_pack

pytestmark = pytest.mark.django_db


def test_packs_to_come_are_announced_and_no_longer_once_the_demo_ends():
    make_pack(benchmark="giraffe", name=demo.PACK)
    Production.objects.create(benchmark="tapped", pack_name="mine")
    with demo.announced():
        waiting = Production.objects.filter(pack_name=demo.PACK, state=ProductionState.WAITING)
        assert {one.benchmark for one in waiting} == {"grasp", "tapped", "craft"}
        waiting.filter(benchmark="grasp").update(state=ProductionState.MAKING)
    left = {*Production.objects.values_list("benchmark", "pack_name")}
    assert left == {("grasp", "demo"), ("tapped", "mine")}


def test_what_was_asked_is_not_asked_again_and_what_failed_is():
    pack, model = make_pack(), make_model(kind="random")
    make_item(clip=make_clip(pack))
    how = {"condition": "video", "priority": Priority.LOW}
    [first] = ensure_runs(pack, model, ("binary",), **how)
    assert (first.priority, [first]) == (Priority.LOW, list(ensure_runs(pack, model, ("binary",), **how)))
    [other] = ensure_runs(pack, model, ("binary",), condition="first-frame")
    type(first).objects.filter(pk=first.pk).update(state=RunState.FAILED)
    assert len({first.pk, other.pk, *(run.pk for run in ensure_runs(pack, model, ("binary",), **how))}) == 3


AUTOGROUP = Path("/proc/self/autogroup")


def priorities_after_giving_way(folder: Path, *, is_own: bool) -> tuple[int, int]:
    """The niceness of a process in a new session, and of that session; `is_own`: the process began it."""
    if (child := os.fork()) == 0:
        os.setsid()
        if is_own or (grandchild := os.fork()) == 0:
            give_way()
            nice = os.getpriority(os.PRIO_PROCESS, 0)
            (folder / "said").write_text(f"{nice} {AUTOGROUP.read_text().split()[-1]}")
        else:
            os.waitpid(grandchild, 0)
        os._exit(0)
    os.waitpid(child, 0)
    own, session = (folder / "said").read_text().split()
    return int(own), int(session)


@pytest.mark.skipif(not AUTOGROUP.exists(), reason="SKIPPED LOUDLY: this kernel has no groups of sessions")
@pytest.mark.parametrize(("is_own", "session"), [(True, NICENESS), (False, 0)])
def test_making_it_gives_way_with_its_own_session_but_not_with_a_terminals(tmp_path, is_own, session):
    own, of_session = priorities_after_giving_way(tmp_path, is_own=is_own)
    assert own == min(19, os.nice(0) + NICENESS)
    assert of_session == session


def test_a_few_visitors_never_fill_a_study_to_try():
    """64 clips of 16 tests, as in the demo's pack."""
    trial = demo.make_trial_to_try(physics_pack(tests=16, clips=2), "try-it", "Try it")
    assert trial.sheets.count() >= 100
    assert trial.state == "open"
