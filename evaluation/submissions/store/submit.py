"""Stores a linted file as a run of kind `uploaded`, in chunks (it may have a million rows), visible when complete."""

import hashlib
import json
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from typing import IO, Any

from django.db import transaction
from django.db.models import Max, Min, QuerySet
from django.db.models.functions import Now
from django.utils.text import slugify

from accounts.models import User
from benchmarks import leasing
from benchmarks.policy import KEEP
from evaluation.models import Cell, CellState, Listing, Model, ModelResponse, Reading, Run, RunKind, RunState, Score
from evaluation.parsing import Parser
from evaluation.queue.quotas import QuotaSpent, check_quota
from evaluation.runs.answer_roles import role_of_answers
from evaluation.submissions.files.archives import from_start, parts_of
from evaluation.submissions.files.problems import NameTaken, SubmissionRefused, Unreadable
from evaluation.submissions.files.rows import CHUNK, Spool, SpooledAnswer, Target
from evaluation.submissions.lint.check import LintReport, lint, parser_for

UPLOADED = "uploaded"
SUBMITS = "evaluation.add_run"
BREATH = 0.02  # seconds between two chunks, so that others can write


class SubmissionHasProblems(SubmissionRefused):
    """The file did not pass the lint; `report` has its problems."""

    def __init__(self, report: LintReport) -> None:
        more = f" (and {len(report.problems) - 1:,} more problems)" if len(report.problems) > 1 else ""
        super().__init__(f"{report.problems[0]}{more}")
        self.report = report


def submit(*, file: IO[bytes], user: User, header: Mapping[str, str] | None = None, spool: Spool | None = None) -> Run:
    """Lint the file and store it as the user's private run; uploading the same file again returns the same run."""
    digest = digest_of(file, header)
    if run := stored(user=user, digest=digest):
        return run
    check_room(user)
    spool = Spool() if spool is None else spool
    report = checked(file=file, user=user, header=header, spool=spool)
    return store(user=user, report=report, spool=spool, digest=digest)


def checked(*, file: IO[bytes], user: User, header: Mapping[str, str] | None, spool: Spool) -> LintReport:
    """The report on a file that may be stored, its answers in the spool; raises SubmissionRefused for any other."""
    report = lint(file, header, spool=spool)
    if not report.ok:
        raise SubmissionHasProblems(report)
    assert report.target is not None
    check_name(name=report.target.model, user=user)
    return report


def check_room(user: User) -> None:
    """Raise SubmissionRefused if this user may not upload, or has used up the quota."""
    if not user.has_perm(SUBMITS):
        raise SubmissionRefused("your account is read-only: ask the site's staff for the role of a submitter")
    try:
        check_quota(user)
    except QuotaSpent as spent:
        raise SubmissionRefused(str(spent)) from spent


def digest_of(file: IO[bytes], header: Mapping[str, str] | None) -> str:
    """SHA-256 over the header given with the upload and the content, plain or packed; leaves the file at its beginning.

    Several files count with their names. What can't be unpacked has no run, so that its digest is never looked for.
    """
    digest = hashlib.sha256(json.dumps(header or {}, sort_keys=True).encode())
    with suppress(Unreadable):
        parts = parts_of(file)
        for part in parts:
            digest.update(part.name.encode() if len(parts) > 1 else b"")
            for chunk in part.content():
                digest.update(chunk)
    from_start(file)
    return digest.hexdigest()


def stored(*, user: User, digest: str) -> Run | None:
    """The run stored from the same file of this user, if any."""
    runs = Run.objects.submissions().filter(owner=user)
    return runs.filter(card__sha256=digest).first()


def facts_of_stored(run: Run) -> dict[str, Any]:
    """What commands and the API tell of a file that is stored as this run."""
    facts = {"ok": True, **{name: run.card["lint"][name] for name in ("rows", "score", "notes")}, "problems": []}
    return facts | {"parser": f"{run.parser} {run.parser_version}", "run": run.pk, "listing": run.listing}


def store(*, user: User, report: LintReport, spool: Spool, digest: str) -> Run:
    """Store model, run, answers and scores of a file that passed the lint.

    A small file is stored in one transaction. A large file is stored in chunks, so that others can write in between;
    its run is invisible until it is complete, and a sweep deletes it after a crash.
    """
    with transaction.atomic():
        run = _begun(user=user, report=report, digest=digest)
        if run.state != RunState.FINISHED and spool.count <= CHUNK:
            for answers in spool.chunks():
                save_answers(run=run, answers=answers)
            complete(run)
    return run if run.state == RunState.FINISHED else _stored_by_chunks(run, spool)


def _stored_by_chunks(run: Run, spool: Spool) -> Run:
    with ExitStack() as unless_whole:
        unless_whole.callback(remove_run, run)
        for answers in spool.chunks():
            with transaction.atomic():
                hold(run)
                save_answers(run=run, answers=answers)
            time.sleep(BREATH)
        with transaction.atomic():
            hold(run)
            complete(run)
        unless_whole.pop_all()
    return run


def _begun(*, user: User, report: LintReport, digest: str) -> Run:
    """A new run for the answers, or the finished run that was stored earlier from this file."""
    User.objects.select_for_update().get(pk=user.pk)  # a second click waits here and then finds the run
    if run := stored(user=user, digest=digest):
        return run
    check_room(user)  # checked again behind the lock, so that two simultaneous files don't both take the last place
    target = report.target
    assert target is not None
    return _new_run(target, parser_for(target, report.kind), report, user, digest)


def model_slug(name: str) -> str:
    """The name as a slug; a name without Latin letters becomes a digest."""
    return slugify(name)[:60] or f"model-{hashlib.sha256(name.encode()).hexdigest()[:10]}"


def model_of(*, name: str, user: User) -> Model:
    """The user's model of this name, created if missing; raises NameTaken if it belongs to somebody else."""
    check_name(name=name, user=user)
    model, _is_new = Model.objects.get_or_create(
        slug=model_slug(name), defaults={"name": name, "kind": UPLOADED, "owner": user}
    )
    return model


def check_name(*, name: str, user: User) -> None:
    """Raise NameTaken if the model of this name belongs to somebody else."""
    model = Model.objects.filter(slug=model_slug(name)).first() if name else None
    if model and (model.kind != UPLOADED or model.owner_id != user.pk):
        raise NameTaken(f"the model name “{model.name}” is taken by somebody else: choose another name")


def _new_run(target: Target, parser: Parser, report: LintReport, user: User, digest: str) -> Run:
    now = leasing.database_now()
    return Run.objects.create(
        model=model_of(name=target.model, user=user),
        kind=RunKind.UPLOADED,
        pack=target.pack,
        owner=user,
        revision=target.revision,
        strategy=target.strategy.name,
        condition=target.condition,
        split=target.split,
        seeds=list(report.seeds),
        parser=parser.name,
        parser_version=parser.version,
        state=RunState.RUNNING,
        listing=Listing.PRIVATE,
        card={"sha256": digest, "given": report.kind, "lint": report.dry_run, "history": []},
        started_at=now,
        served_at=now,
    )


AT_ONCE = 2000  # rows of an INSERT
ABANDONED = KEEP["half-stored uploads"].period  # without a new chunk for this long, the storing process counts as dead


def save_answers(*, run: Run, answers: list[SpooledAnswer]) -> None:
    """Insert the cells, responses, readings and scores of these answers."""
    made = [Cell(run=run, item_id=answer.item, seed=answer.seed, state=CellState.ANSWERED) for answer in answers]
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
