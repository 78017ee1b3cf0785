"""Answers of an upload into the tables, and out again: by the chunk, since a file may bring a million."""

from collections.abc import Iterator
from datetime import timedelta

from django.db import connection, transaction
from django.db.models import Max, Min, QuerySet
from django.utils import timezone

from evaluation.bulk import insert_rows, take_keys
from evaluation.models import Cell, CellState, Model, ModelResponse, Reading, Run, RunKind, RunState, Score
from evaluation.submissions.problems import SubmissionRefused
from evaluation.submissions.spooling import CHUNK, Answer

ABANDONED = timedelta(minutes=2)  # without a new chunk: whoever stored it is gone


def save_answers(*, run: Run, answers: list[Answer]) -> None:
    """Write cells, replies, readings and scores of these answers."""
    cells, responses = take_keys(Cell, len(answers)), take_keys(ModelResponse, len(answers))
    readings, scored = take_keys(Reading, len(answers)), [each.score is not None for each in answers]
    scores = take_keys(Score, sum(scored))
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    answered = str(CellState.ANSWERED)
    insert_rows(
        Cell, ("id", "run_id", "item_id", "seed", "state", "reason"),
        ((key, run.pk, each.item, each.seed, answered, "") for key, each in zip(cells, answers, strict=True)),
    )  # fmt: skip
    insert_rows(
        ModelResponse,
        ("id", "cell_id", "raw", "created_at", "turns", "frames_hash", "frame_indices", "frame_times", "seconds"),
        ((key, cell, each.raw, now, "[]", "", "[]", "[]", 0.0)
         for key, cell, each in zip(responses, cells, answers, strict=True)),
    )  # fmt: skip
    insert_rows(
        Reading, ("id", "response_id", "parser", "version", "answer", "problem"),
        ((key, response, run.parser, run.parser_version, each.answer, each.problem)
         for key, response, each in zip(readings, responses, answers, strict=True)),
    )  # fmt: skip
    with_score = ((reading, each.score) for reading, each in zip(readings, answers, strict=True)
                  if each.score is not None)  # fmt: skip
    insert_rows(
        Score, ("id", "reading_id", "dimension", "referee", "value"),
        ((key, reading, "accuracy", "", value) for key, (reading, value) in zip(scores, with_score, strict=True)),
    )  # fmt: skip


def hold(run: Run) -> None:
    """Say that the run is still being stored; refuse where it was taken for abandoned, or deleted."""
    still = Run.objects.filter(pk=run.pk, state=RunState.RUNNING)
    if not still.update(served_at=timezone.now()):
        raise SubmissionRefused("storing took too long between two parts of the file: send it again")


def complete(run: Run) -> None:
    """All is there: from now on it is a submission like any other."""
    run.state, run.finished_at = RunState.FINISHED, timezone.now()
    run.save(update_fields=["state", "finished_at"])


def sweep_half_stored() -> None:
    """Remove what a crash left half written."""
    oldest = timezone.now() - ABANDONED
    for run in Run.objects.filter(kind=RunKind.UPLOADED, state=RunState.RUNNING, served_at__lt=oldest):
        remove_run(run)


def remove_run(run: Run) -> None:
    """Remove the run with its answers; its model goes too when nothing else is left of it."""
    Run.objects.filter(pk=run.pk, state=RunState.RUNNING).update(state=RunState.CANCELLED)  # fences off who stores it
    remove_answers(run)
    with transaction.atomic():
        run.delete()
        Model.objects.filter(pk=run.model_id, kind="uploaded", runs=None).delete()


def remove_answers(run: Run) -> None:
    """All answers of the run, a chunk at a time and without making an object of each row."""
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
