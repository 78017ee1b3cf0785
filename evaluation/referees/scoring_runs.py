"""Creates refereeings as runs: automatically once the judged run is answered, or on request."""

from django.db import transaction
from django.db.models import Exists, OuterRef

from benchmarks.models import Item
from evaluation.errors import RunMisused
from evaluation.models import Cell, CellState, Model, Run, RunKind, RunState
from evaluation.queue.scheduling import notify_worker
from evaluation.queue.shards import add_cells
from evaluation.referees.parse import PARSER, VERSION
from evaluation.referees.rubric_selection import check_referee

STRATEGY = "referee"
SAMPLING = {"temperature": 0.0, "max_new_tokens": 512}  # the paper gives none


def stage_of(run: Run) -> Run | None:
    """The refereeing whose scores count for this run."""
    if not run.referee:
        return None
    return run.refereeings.select_related("model").filter(model__slug=run.referee).first()


def open_stage(run: Run, *, referee: Model | None = None, rubric: str = "") -> Run:
    """Start the refereeing of the run's answers, by default with the run's own referee."""
    model = referee or Model.objects.filter(slug=run.referee).first()
    if model is None:
        raise RunMisused(f"the referee {run.referee} is not registered any more")
    stage = Run.objects.create(
        kind=RunKind.REFEREE, model=model, judged=run, pack=run.pack, revision=model.revision, strategy=STRATEGY,
        condition="text", split=run.split, sampling=SAMPLING, seeds=run.seeds, parser=PARSER, parser_version=VERSION,
        rubric=rubric or run.rubric, limit=run.limit, only=run.only, owner=run.owner, listing=run.listing,
        priority=run.priority,
    )  # fmt: skip
    extend(stage)
    return stage


@transaction.atomic
def extend(stage: Run) -> int:
    """Add cells in new shards for answers without one, and wake a worker; return the number added."""
    own = Cell.objects.filter(run=stage, item=OuterRef("item"), seed=OuterRef("seed"))
    answered = Cell.objects.filter(run=stage.judged_id, state=CellState.ANSWERED).exclude(Exists(own))
    cells = list(answered.order_by("item__draw_key", "seed").values_list("item_id", "seed"))
    add_cells(stage, cells)
    if cells:
        ended = Run.objects.filter(pk=stage.pk).exclude(state__in=Run.GOING)
        ended.update(state=RunState.QUEUED, code="", reason="", finished_at=None)
        transaction.on_commit(lambda: notify_worker(stage.pk))
        stage.refresh_from_db()
    return len(cells)


@transaction.atomic
def referee_run(*, run: Run, referee: Model, rubric: str = "") -> Run:
    """Have this run's answers scored, including those added since the last time; return the refereeing.

    A run without a referee adopts this one when all answers are scored. The scores of a second referee are stored
    beside the first's.
    """
    if run.kind == RunKind.REFEREE:
        raise RunMisused(f"run {run.pk} is a refereeing itself")
    if not run.is_over:
        raise RunMisused(f"run {run.pk} is {run.state}: it can be scored when it has ended")
    stage = run.refereeings.select_related("model").filter(model=referee).first()
    if stage and rubric and stage.rubric != rubric:
        raise RunMisused(f"run {run.pk} is scored by {referee.slug} under {stage.rubric or 'its items’ own rubrics'}")
    check_referee(referee, rubric, run.pack.benchmark, Item.objects.filter(cells__run=run))
    if stage is None:
        return open_stage(run, referee=referee, rubric=rubric)
    extend(stage)
    return stage


def adopt(stage: Run) -> None:
    """After a finished refereeing, make its referee the judged run's, if that run had none."""
    if stage.state == RunState.FINISHED and stage.judged_id:
        judged = Run.objects.filter(pk=stage.judged_id, referee="")
        judged.change_answers(referee=stage.model.slug, rubric=stage.rubric)
