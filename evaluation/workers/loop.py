"""A worker's loop, which answers the shards of all runs in turns, and the sweep over all runs."""

import json
import logging
import os
import socket
import threading
import time
import uuid
from contextlib import suppress
from typing import Any

from django.db import DatabaseError
from structlog.contextvars import bound_contextvars

from benchmarks.errors import StoreAway
from benchmarks.leasing import LeaseLost, free
from evaluation.adapters.base import Adapter
from evaluation.adapters.registry import open_model
from evaluation.errors import ModelMisused, ModelOverloaded, RunMisused, Stopped
from evaluation.inputs.frames import DecodeAhead
from evaluation.models import Model, Run, RunCode, RunKind, Shard
from evaluation.prompting.requests import Asking, check_names
from evaluation.queue.leases import CEILING, UNFINISHED, claim_within, fail_abandoned, fail_attempt, give_back
from evaluation.queue.scheduling import HERE, SchedulingSlice, notify_worker, waiting_runs
from evaluation.runs.ceiling import allowance_of
from evaluation.runs.completion import fail_run, note_usage, note_work, settle
from evaluation.runs.results import stale_results, store_results
from evaluation.workers.failures import WAITING_MENDS, back_off, code_of, note_recovery, reason_of
from evaluation.workers.recording import answer_shard
from evaluation.workers.refereeing import judge_shard
from evaluation.workers.rereading import read_by_present_parser
from evaluation.workers.stopwatch import Stopwatch

SWEEP_SECONDS = 15
RESULTS_SECONDS = 2.0  # limit within a sweep: the same worker has other tasks

STOPPING = threading.Event()  # set when this process must stop
log = logging.getLogger(__name__)


def work() -> None:
    """Answer shards of all runs in turns until none is free; other workers may do the same.

    Whoever finds work wakes one more, so that a new run has all workers at once and not one more after each sweep.
    """
    has_woken = False
    while not STOPPING.is_set() and (run := waiting_runs().select_related("model", "pack").first()):
        has_woken = has_woken or notify_worker(run.pk, expires=SWEEP_SECONDS)
        work_on_run(run, alone=False)


def work_on(run_id: int) -> None:
    """Answer only this run and its refereeing; raises ModelOverloaded if the model is busy."""
    run = Run.objects.select_related("model", "pack").filter(pk=run_id, kind__in=HERE).first()
    if run is None:
        return
    if run.shards.filter(free(Shard)).exists() and run in Run.objects.unfinished():
        work_on_run(run, alone=True)
    settle(run.pk)
    for stage in run.refereeings.unfinished():
        work_on(stage.pk)


def work_on_run(run: Run, *, alone: bool) -> None:
    """Answer one run for a slice of time, or until no shard is free if `alone`; then finish it if it is complete."""
    with bound_contextvars(run=run.pk):
        try:
            if run.kind == RunKind.RUN:
                check_names(run)
                read_by_present_parser(run)
            adapter, seconds = warm_model(run.model)
            answer_shards(run=run, adapter=adapter, turn=None if alone else SchedulingSlice(run, seconds))
        except (RunMisused, ModelOverloaded, ModelMisused, StoreAway, MemoryError, OSError, DatabaseError) as error:
            _note_failure(run, error)
            if alone and isinstance(error, ModelOverloaded):
                raise
        settle(run.pk)


def _note_failure(run: Run, error: Exception) -> None:
    """Let the run rest if waiting may help, else fail it; other runs continue in both cases."""
    code = code_of(error) or (RunCode.MODEL_UNUSABLE if isinstance(error, ModelMisused | RunMisused) else "")
    if not code:
        raise error
    reason = str(error) if code == RunCode.MODEL_UNUSABLE else reason_of(code, error)
    if code in WAITING_MENDS:
        back_off(run_id=run.pk, code=code, reason=reason)
        return
    if code == RunCode.OUT_OF_MEMORY:
        _warm.clear()
    fail_run(run_id=run.pk, code=code, reason=reason)


def answer_shards(*, run: Run, adapter: Adapter, turn: SchedulingSlice | None = None) -> None:
    """Lease and answer shards one after the other, while the clips of this one and the next are decoded."""
    asking, watch, holder = Asking(run), Stopwatch(), holder_name()
    with DecodeAhead(run.sampler) as ahead:
        while not STOPPING.is_set() and (lease := claim_within(run=run, holder=holder)):
            hold_to_ceiling(adapter, run)
            decode_ahead(ahead, lease, asking)
            with bound_contextvars(shard=lease.number):
                answer_or_say_why(lease, asking, adapter, watch)
            if turn and turn.is_over():
                return


def hold_to_ceiling(adapter: Adapter, run: Run) -> None:
    """Tell a paid model what the run may still spend; a run without a ceiling has no limit."""
    if hold_to := getattr(adapter, "hold_to", None):
        hold_to(allowance_of(run) if CEILING in run.card else None)


def answer_or_say_why(lease: Shard, asking: Asking, adapter: Adapter, watch: Stopwatch) -> None:
    """Answer one shard, and handle its lease if that fails; usage up to the failure goes on the card."""
    used = adapter.description.get("usage")
    try:
        if asking.run.kind == RunKind.REFEREE:
            judge_shard(lease=lease, run=asking.run, adapter=adapter, watch=watch, stopping=STOPPING)
        else:
            answer_shard(lease=lease, asking=asking, adapter=adapter, watch=watch, stopping=STOPPING)
        note_recovery(lease.run_id)
    except LeaseLost as error:
        log.info("%s", error)
    except (ModelMisused, Stopped):
        note_used(lease, adapter, before=used)
        give_back(lease)
        raise
    except Exception as error:
        if code := code_of(error):
            note_used(lease, adapter, before=used)
            give_back(lease, reason=reason_of(code, error))
            raise
        log.exception("shard %s of run %s", lease.number, lease.run_id)
        fail_attempt(lease, reason=f"{type(error).__name__}: {error}")
    note_work(run_id=lease.run_id, description=adapter.description, seconds=watch.take())


def note_used(lease: Shard, adapter: Adapter, *, before: Any) -> None:
    """Record the usage that the model counted since `before`; a full database can't store it."""
    used = adapter.description.get("usage")
    if used and used is not before:
        with suppress(DatabaseError):
            note_usage(run_id=lease.run_id, usage=used)


def decode_ahead(ahead: DecodeAhead, lease: Shard, asking: Asking) -> None:
    """Start decoding the clips of this shard, then those of the shard that is probably next."""
    if not asking.run.sampler:
        return
    following = asking.run.shards.filter(free(Shard), number__gt=lease.number).values_list("pk", flat=True).first()
    for shard_id in filter(None, (lease.pk, following)):
        if shard_id not in ahead.shards:
            ahead.start(asking.clips_of_shard(shard_id))
            ahead.shards.append(shard_id)


def holder_name() -> str:
    """A unique name of a lease's holder: machine, process, random suffix."""
    return f"{socket.gethostname()[:40]}:{os.getpid()}:{uuid.uuid4().hex[:8]}"


_warm: dict[str, tuple[Adapter, float]] = {}


def warm_model(model: Model) -> tuple[Adapter, float]:
    """The opened model, kept between runs of this process, and the seconds that opening took.

    The previous model is dropped before another is opened. Any unexpected error on opening becomes ModelMisused: a
    person must fix it.
    """
    key = json.dumps([model.pk, model.kind, model.options, model.revision])
    if key not in _warm:
        _warm.clear()
        began = time.monotonic()
        try:
            adapter = open_model(model)
        except (ModelOverloaded, ModelMisused, MemoryError):
            raise
        except Exception as error:
            log.exception("opening %s", model.slug)
            raise ModelMisused(f"{model.slug} can't be opened: {type(error).__name__}: {error}") from error
        _warm[key] = adapter, time.monotonic() - began
    return _warm[key]


def sweep() -> list[int]:
    """Fail abandoned shards, finish complete runs, wake workers for waiting runs; return the runs that got a worker."""
    fail_abandoned()
    runs = Run.objects.unfinished().filter(kind__in=HERE).order_by("created_at")
    for run in runs.exclude(shards__in=Shard.objects.filter(UNFINISHED)):
        settle(run.pk)
    refresh_stale_results()
    return [run.pk for run in waiting_runs() if notify_worker(run.pk, expires=SWEEP_SECONDS)]


def refresh_stale_results() -> None:
    """Recompute missing or stale results of ended runs: at least one run, others as time allows."""
    began = time.monotonic()
    for run in stale_results():
        store_results(run)
        if time.monotonic() - began > RESULTS_SECONDS:
            return
