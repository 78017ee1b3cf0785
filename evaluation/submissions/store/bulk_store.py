"""Inserts and deletes the answers of an upload in chunks, since a file may have a million."""

from collections.abc import Iterator

from django.db import transaction
from django.db.models import Max, Min, QuerySet
from django.db.models.functions import Now

from benchmarks import leasing
from benchmarks.policy import KEEP
from evaluation.models import Cell, CellState, Model, ModelResponse, Reading, Run, RunKind, RunState, Score
from evaluation.runs.answer_roles import role_of_answers
from evaluation.submissions.files.problems import SubmissionRefused
from evaluation.submissions.lint.spool import CHUNK, SpooledAnswer

AT_ONCE = 2000  # rows of an INSERT
ABANDONED = KEEP["half-stored uploads"].period  # without a new chunk for this long, the storing process counts as dead


def save_answers(*, run: Run, answers: list[SpooledAnswer]) -> None:
    """Insert the cells, responses, readings and scores of these answers."""
    made = [Cell(run=run, item_id=one.item, seed=one.seed, state=CellState.ANSWERED) for one in answers]
    cells = zip(Cell.objects.bulk_create(made, AT_ONCE), answers, strict=True)
    replies = [
        ModelResponse(cell=cell, raw=one.raw, thoughts=one.thoughts, ended=one.ended, margin=one.margin)
        for cell, one in cells
    ]
    responses = zip(ModelResponse.objects.bulk_create(replies, AT_ONCE), answers, strict=True)
    parser = {"parser": run.parser, "version": run.parser_version}
    read = [Reading(response=reply, answer=one.answer, problem=one.problem, **parser) for reply, one in responses]
    readings = zip(Reading.objects.bulk_create(read, AT_ONCE), answers, strict=True)
    known = ((reading, one.score) for reading, one in readings if one.score is not None)
    scores = [Score(reading=reading, dimension="accuracy", value=value) for reading, value in known]
    Score.objects.bulk_create(scores, AT_ONCE)


def hold(run: Run) -> None:
    """Renew the sign that the run is still being stored; raise SubmissionRefused if it was abandoned or deleted."""
    still = Run.objects.filter(pk=run.pk, state=RunState.RUNNING)
    if not still.update(served_at=Now()):
        raise SubmissionRefused("storing took too long between two parts of the file: send it again")


def complete(run: Run) -> None:
    """Mark the run as finished, with the role that its answers show: all of them are stored."""
    run.state, run.finished_at, run.role = RunState.FINISHED, leasing.database_now(), role_of_answers(run)
    run.save(update_fields=["state", "finished_at", "role"])


def sweep_half_stored() -> None:
    """Delete runs that are half stored after a crash."""
    oldest = Now() - ABANDONED
    for run in Run.objects.filter(kind=RunKind.UPLOADED, state=RunState.RUNNING, served_at__lt=oldest):
        remove_run(run)


def remove_run(run: Run) -> None:
    """Delete the run with its answers, and its model if that has no other run."""
    Run.objects.filter(pk=run.pk, state=RunState.RUNNING).update(state=RunState.CANCELLED)  # stops a storing process
    remove_answers(run)
    with transaction.atomic():
        run.delete()
        Model.objects.filter(pk=run.model_id, kind="uploaded", runs=None).delete()


def remove_answers(run: Run) -> None:
    """Delete all answers of the run in chunks, without making an object of each row."""
    for cells in _chunks_of_cells(run):
        with transaction.atomic():
            responses = ModelResponse.objects.filter(cell__in=cells)
            readings = Reading.objects.filter(response__in=responses)
            for rows in (Score.objects.filter(reading__in=readings), readings, responses, cells):
                rows._raw_delete(rows.db)


def _chunks_of_cells(run: Run) -> Iterator[QuerySet[Cell]]:
    cells = Cell.objects.filter(run=run).order_by()
    ends = cells.aggregate(first=Min("pk"), last=Max("pk"))
    for start in range(ends["first"] or 0, (ends["last"] or -1) + 1, CHUNK):
        yield cells.filter(pk__gte=start, pk__lt=start + CHUNK)
