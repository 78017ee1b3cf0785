"""The progress of a run for its page. It sums the counts of shards and never counts all cells."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, Prefetch
from django.db.models.functions import Now

from benchmarks import leasing
from benchmarks.disclosure import PUBLIC, Fact, open_to
from benchmarks.models import ItemMedia
from evaluation.models import Cell, ModelResponse, Run, RunState, ShardState
from evaluation.queue.scheduling import HERE, in_order
from evaluation.referees.scoring_runs import stage_of
from evaluation.runs.results import Counts, counts_of

NEWEST = 8
RECENT_SHARDS = 4  # the newest replies are searched in this many shards …
RECENT_REPLIES = 100  # … and this many replies give the pace
LISTED, LISTED_SHARDS = (ShardState.LEASED, ShardState.FAILED), 20


@dataclass(frozen=True)
class HeldShard:
    """A leased or failed shard."""

    number: int
    state: str
    holder: str
    attempts: int
    heartbeat_seconds: float | None
    reason: str


@dataclass(frozen=True)
class RunProgress:
    """A run's progress. `state` is the run's own, or "partial" if it ended with only some answers."""

    state: str
    counts: Counts
    position: int  # 1 is next; 0 if it is not queued
    in_queue: int
    heartbeat_seconds: float | None
    pace: float | None  # questions per minute
    seconds_left: float | None
    backoff_seconds: float | None  # until the model is queried again
    shards: dict[str, int]  # state -> number
    held_shards: list[HeldShard]
    stage: "RunProgress | None"  # of the refereeing
    stage_run: Run | None

    @property
    def is_over(self) -> bool:
        return self.state not in Run.GOING

    @property
    def is_being_scored(self) -> bool:
        """Whether every question is answered and the referee is working."""
        return bool(self.stage and not self.is_over and not self.counts.open)

    @property
    def title(self) -> str:
        return "Partly answered" if self.state == "partial" else self.state.capitalize()


class RecentReply(NamedTuple):
    """One of the newest replies, with its id and time; `is_hidden` if the answer to its item is hidden."""

    pk: int
    at: datetime
    is_hidden: bool


def standing_of(run: Run) -> RunProgress:
    counts = counts_of(run)
    pace = pace_of(run)
    is_partial = run.state == RunState.FAILED and counts.is_partial
    is_running = run.state == RunState.RUNNING
    position, in_queue = place_in_queue(run) if run.state == RunState.QUEUED else (0, 0)
    shards = dict(run.shards.order_by().values_list("state").annotate(Count("pk")))
    listed = shards_to_list(run) if shards.keys() & {*LISTED} else []
    silent_for = [each.heartbeat_seconds for each in listed if each.heartbeat_seconds is not None]
    stage = stage_of(run)
    return RunProgress(
        state="partial" if is_partial else run.state,
        counts=counts,
        position=position,
        in_queue=in_queue,
        heartbeat_seconds=min(silent_for, default=None) if is_running else None,
        pace=pace,
        seconds_left=60 * counts.open / pace if pace and is_running and counts.open else None,
        backoff_seconds=backoff_seconds(run),
        shards=shards,
        held_shards=listed,
        stage=standing_of(stage) if stage else None,
        stage_run=stage,
    )


def place_in_queue(run: Run) -> tuple[int, int]:
    """The run's position in the queue, counted from 1, and the length of the queue."""
    order = list(in_order(Run.objects.unfinished().filter(kind__in=HERE)).values_list("pk", flat=True))
    return order.index(run.pk) + 1 if run.pk in order else 0, len(order)


def shards_to_list(run: Run) -> list[HeldShard]:
    """Leased shards, the longest silent first, then failed shards with the reason."""
    listed = run.shards.filter(state__in=LISTED).annotate(now=Now())
    rows = listed.order_by("-state", "heartbeat_at", "number")[:LISTED_SHARDS]
    return [HeldShard(row.number, row.state, row.holder, row.attempts, _silence(row), row.reason) for row in rows]


def _silence(row: Any) -> float | None:
    if row.state != ShardState.LEASED or row.heartbeat_at is None:
        return None
    return max(0.0, (row.now - row.heartbeat_at).total_seconds())


def pace_of(run: Run) -> float | None:
    """Questions answered per minute: over the whole run once it has ended, else over its newest replies."""
    if run.state != RunState.RUNNING:
        return run.card.get("items_a_minute")
    moments = sorted((reply.at for reply in _recent_replies(run)), reverse=True)[:RECENT_REPLIES]
    if len(moments) < 2:
        return None
    elapsed = (leasing.database_now() - min(moments)).total_seconds()
    return 60 * len(moments) / elapsed if elapsed > 0 else None


def backoff_seconds(run: Run) -> float | None:
    """Seconds until the model of a resting run is queried again; None if the run does not rest."""
    if run.rest_until is None or run.is_over:
        return None
    left = (run.rest_until - leasing.database_now()).total_seconds()
    return left if left > 0 else None


def newest_replies(run: Run) -> list[ModelResponse]:
    """The newest replies, without those to items with a hidden answer."""
    newest = sorted((one.pk for one in _recent_replies(run) if not one.is_hidden), reverse=True)[:NEWEST]
    media = ItemMedia.objects.select_related("clip__pack").prefetch_related("clip__renditions")
    responses = ModelResponse.objects.filter(pk__in=newest).order_by("-pk").select_related("cell__item__pack")
    replies = list(responses.prefetch_related("readings", Prefetch("cell__item__media", media)))
    for reply in replies:
        reply.reading = reply.reading_for(run)  # type: ignore[attr-defined]
    return replies


def _recent_replies(run: Run) -> list[RecentReply]:
    """Replies of the shards worked on last; sorting all replies of a large run would be slow."""
    listed = run.shards.filter(heartbeat_at__isnull=False).order_by("-heartbeat_at", "-number")
    shards = list(listed.values_list("pk", flat=True)[:RECENT_SHARDS])
    cells = Cell.objects.filter(shard__in=shards) if shards else run.cells.order_by("-pk")
    cells = cells.annotate(is_hidden=~open_to(PUBLIC, Fact.ANSWER, "item"))
    rows = cells.values_list("response__pk", "response__created_at", "is_hidden")
    return [RecentReply(*row) for row in (rows if shards else rows[:RECENT_REPLIES]) if row[0] is not None]


def pulse_of(run_id: int) -> dict[str, Any] | None:
    """The facts whose change is worth reloading the page, from the rows of the run and its refereeing."""
    facts = Run.objects.filter(pk=run_id).values("state", "answers_version").first()
    if facts is None:
        return None
    stages = Run.objects.filter(judged=run_id).values_list("answers_version", flat=True)
    return {"state": facts["state"], "answers_version": facts["answers_version"] + sum(stages)}
