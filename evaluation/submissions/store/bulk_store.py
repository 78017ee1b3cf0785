"""Inserts and deletes the answers of an upload in chunks, since a file may have a million."""

from collections.abc import Iterator
from datetime import timedelta

from django.db import connection, transaction
from django.db.models import Max, Min, QuerySet
from django.utils import timezone

from evaluation.models import Cell, CellState, Model, ModelResponse, Reading, Run, RunKind, RunState, Score
from evaluation.queue.bulk_insert import insert_rows, take_keys
from evaluation.submissions.files.problems import SubmissionRefused
from evaluation.submissions.lint.spool import CHUNK, Answer

ABANDONED = timedelta(minutes=2)  # without a new chunk for this long, the storing process counts as dead


def save_answers(*, run: Run, answers: list[Answer]) -> None:
    """Insert the cells, responses, readings and scores of these answers."""
    cells, responses = take_keys(Cell, len(answers)), take_keys(ModelResponse, len(answers))
    readings, scored = take_keys(Reading, len(answers)), [each.score is not None for each in answers]
    scores = take_keys(Score, sum(scored))
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    answered = str(CellState.ANSWERED)
    insert_rows(
        Cell,
        ("id", "run_id", "item_id", "seed", "state", "reason"),
        ((key, run.pk, each.item, each.seed, answered, "") for key, each in zip(cells, answers, strict=True)),
    )
    insert_rows(
        ModelResponse,
        (
            *("id", "cell_id", "raw", "thoughts", "created_at"),
            *("turns", "frames_hash", "frame_indices", "frame_times", "seconds", "margin"),
        ),
        (
            (key, cell, each.raw, each.thoughts, now, "[]", "", "[]", "[]", 0.0, each.margin)
            for key, cell, each in zip(responses, cells, answers, strict=True)
        ),
    )
    insert_rows(
        Reading,
        ("id", "response_id", "parser", "version", "answer", "problem"),
        (
            (key, response, run.parser, run.parser_version, each.answer, each.problem)
            for key, response, each in zip(readings, responses, answers, strict=True)
        ),
    )
    with_score = (
        (reading, each.score) for reading, each in zip(readings, answers, strict=True) if each.score is not None
    )
    insert_rows(
        Score,
        ("id", "reading_id", "dimension", "referee", "value"),
        ((key, reading, "accuracy", "", value) for key, (reading, value) in zip(scores, with_score, strict=True)),
    )


def hold(run: Run) -> None:
    """Renew the sign that the run is still being stored; raise SubmissionRefused if it was abandoned or deleted."""
    still = Run.objects.filter(pk=run.pk, state=RunState.RUNNING)
    if not still.update(served_at=timezone.now()):
        raise SubmissionRefused("storing took too long between two parts of the file: send it again")


def complete(run: Run) -> None:
    """Mark the run as finished: all its answers are stored."""
    run.state, run.finished_at = RunState.FINISHED, timezone.now()
    run.save(update_fields=["state", "finished_at"])


def sweep_half_stored() -> None:
    """Delete runs that are half stored after a crash."""
    oldest = timezone.now() - ABANDONED
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
