"""Leases of shards: one holder each, by the database's clock, and a stated reason after the third loss."""

import pytest

from benchmarks.leasing import LeaseLost, lapse
from benchmarks.leasing import take as leasing_take
from evaluation.models import Cell, Run, Shard
from evaluation.queue.leases import ATTEMPTS, claim, fail_attempt, fail_shard, finish, give_back, release
from evaluation.queue.shards import CELLS_A_SHARD, count_again
from evaluation.runs.lifecycle import start_run
from evaluation.workers.loop import sweep, work_on
from evaluation.workers.recording import CellReply, record
from tests.factories import make_item, make_model, make_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(pack):
    """A run of a full shard and one of 8 cells, which nobody works on."""
    for _ in range(CELLS_A_SHARD + 8):
        make_item(pack)
    return start_run(model=make_model(kind="scripted"), pack=pack, strategy="binary", condition="question-only")


def take(run: Run, holder: str) -> Shard:
    lease = claim(run=run, holder=holder)
    assert lease is not None
    return lease


def run_out(run: Run) -> None:
    lapse(run.shards.all())


def test_two_workers_get_two_shards_and_a_third_none(run):
    first, second = take(run, "one"), take(run, "two")
    assert [first.number, second.number] == [0, 1]
    assert claim(run=run, holder="three") is None
    run.refresh_from_db()
    assert run.state == "running"
    assert run.started_at


def test_a_lease_that_ran_out_goes_to_another_and_fences_off_the_first(run):
    old = take(run, "one")
    run_out(run)
    new = take(run, "two")
    assert (new, new.epoch) == (old, old.epoch + 1)
    with pytest.raises(LeaseLost):
        finish(old)
    give_back(old)
    finish(new)


def test_a_claim_a_failure_and_a_stop_concern_their_run_alone(run):
    other = start_run(model=run.model, pack=run.pack, strategy="binary", condition="question-only")
    lease, reason = take(other, "one" * 99), "no luck" * 99
    assert (lease.run_id, len(lease.holder)) == (other.pk, 80)
    fail_shard(lease, reason=reason)
    assert set(lease.cells.values_list("state", "reason")) == {("failed", reason[:300])}
    facts = Run.objects.order_by("created_at").values_list("state", "answers_version")
    assert list(facts) == [("queued", 0), ("running", 1)]
    finish(take(run, "one")), take(run, "two"), take(other, "three")
    release(run_id=run.pk)
    states = Shard.objects.order_by("run__created_at", "number").values_list("state", flat=True)
    assert list(states) == ["done", "open", "failed", "leased"]


@pytest.mark.parametrize("state", ["running", "cancelled", "finished"])
def test_no_model_is_opened_for_a_run_that_ended_or_has_no_free_shard(run, state, monkeypatch):
    monkeypatch.setattr("evaluation.workers.loop.warm_model", lambda model: pytest.fail("a model is opened"))
    if state != "cancelled":
        take(run, "one"), take(run, "two")
    if state == "finished":
        answer_all()
    else:
        Run.objects.update(state=state)
    work_on(run.pk)
    run.refresh_from_db()
    assert run.state == state


def answer_all() -> None:
    Cell.objects.update(state="answered")
    Shard.objects.update(state="done")


def test_a_cancelled_run_is_not_worked_on(run):
    Run.objects.update(state="cancelled")
    assert claim(run=run, holder="one") is None


@pytest.mark.requirement("M1")
def test_after_three_vanished_workers_the_questions_fail_in_words(run):
    for number in range(ATTEMPTS):
        take(run, f"worker-{number}")
        run_out(run)
        assert run.shards.get(number=0).state == "leased"
        sweep()
    shard = run.shards.get(number=0)
    assert shard.state == "failed"
    assert "3 workers took it and vanished; the last one, worker-2, was last heard 20" in shard.reason
    assert set(shard.cells.values_list("state", "reason")) == {("failed", shard.reason)}


def test_a_failed_attempt_opens_the_shard_twice_and_then_fails_it(run):
    for _ in range(ATTEMPTS):
        fail_attempt(take(run, "one"), reason="no luck")
    failed = run.shards.get(number=0)
    assert (failed.reason, failed.failed) == ("failed 3 times, at last with: no luck", CELLS_A_SHARD)
    assert run.cells.filter(state="open").count() == 8
    assert take(run, "one").number == 1


def test_a_run_that_is_stopped_while_its_shard_is_taken_keeps_no_lease(run, monkeypatch):
    def take_and_stop(*arguments, **facts):
        lease = leasing_take(*arguments, **facts)
        Run.objects.update(state="cancelled")
        return lease

    monkeypatch.setattr("evaluation.queue.leases.leasing.take", take_and_stop)
    assert claim(run=run, holder="one") is None
    assert set(run.shards.values_list("state", flat=True)) == {"open"}


def test_a_reply_is_kept_once_and_raises_the_version_that_standings_look_at(run):
    cell = run.cells.first()
    assert record([CellReply(cell, "yes")])
    assert not record([CellReply(cell, "no")])
    run.refresh_from_db()
    assert (cell.response.raw, run.answers_version) == ("yes", 1)


def test_the_sweep_wakes_what_waits_and_finishes_what_is_complete(run, queue):
    stored = make_run(run.pack, kind="uploaded", state="running")  # by another process, which finishes it
    assert sweep() == [run.pk]
    take(run, "one"), take(run, "two")
    assert sweep() == []
    answer_all()
    assert sweep() == []
    run.refresh_from_db(), stored.refresh_from_db()
    assert (run.state, stored.state) == ("finished", "running")
    assert queue == [("evaluation.tasks.work_on_run", run.pk)]


def test_problems_are_counted_again_of_ended_shards_alone(run):
    for number, cell in enumerate(run.cells.select_related("run").order_by("pk")):
        record([CellReply(cell, "hm" if number else "yes")])
    finish(take(run, "one"))
    assert [shard.problems for shard in run.shards.order_by("number")] == [{"unread": CELLS_A_SHARD - 1}, {}]
    run.shards.update(problems={"unread": 1})
    count_again(run)
    assert [shard.problems for shard in run.shards.order_by("number")] == [{"unread": CELLS_A_SHARD - 1}, {"unread": 1}]
