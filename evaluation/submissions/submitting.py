"""A linted file becomes a run of kind `uploaded`: all of it, or nothing that anybody sees."""

import hashlib
import json
import time
from collections.abc import Mapping
from typing import IO

from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from accounts.models import User
from evaluation.models import Listing, Model, Run, RunKind, RunState
from evaluation.parsing import Parser
from evaluation.quotas import QuotaSpent, check_quota
from evaluation.submissions.checking import parser_for
from evaluation.submissions.headers import Target
from evaluation.submissions.linting import LintReport, lint
from evaluation.submissions.problems import NameTaken, SubmissionRefused
from evaluation.submissions.spooling import CHUNK, Spool
from evaluation.submissions.storing import complete, hold, remove_run, save_answers

UPLOADED = "uploaded"
SUBMITS = "evaluation.add_run"
BREATH = 0.02  # seconds between two chunks, in which others may write


class SubmissionHasProblems(SubmissionRefused):
    """The file did not pass the lint; `report` says where."""

    def __init__(self, report: LintReport) -> None:
        more = f" (and {len(report.problems) - 1:,} more problems)" if len(report.problems) > 1 else ""
        super().__init__(f"{report.problems[0]}{more}")
        self.report = report


def submit(
    *, file: IO[bytes], user: User, header: Mapping[str, str] | None = None, spool: Spool | None = None
) -> Run:  # fmt: skip
    """Lint the file and store it as the user's private run; the same file again gives the same run."""
    digest = digest_of(file, header)
    if run := stored(user=user, digest=digest):
        return run
    check_room(user)
    spool = Spool() if spool is None else spool
    report = lint(file, header, spool=spool)
    if not report.ok:
        raise SubmissionHasProblems(report)
    return store(user=user, report=report, spool=spool, digest=digest)


def check_room(user: User) -> None:
    """Refuse what this user may not send, or not now."""
    if not user.has_perm(SUBMITS):
        raise SubmissionRefused("your account reads only: ask the site's staff for the role of a submitter")
    try:
        check_quota(user)
    except QuotaSpent as spent:
        raise SubmissionRefused(str(spent)) from spent


def digest_of(file: IO[bytes], header: Mapping[str, str] | None) -> str:
    """SHA-256 over the upload and the header given beside it; leaves the file at its beginning."""
    digest = hashlib.sha256(json.dumps(header or {}, sort_keys=True).encode())
    file.seek(0)
    while chunk := file.read(1 << 20):
        digest.update(chunk)
    file.seek(0)
    return digest.hexdigest()


def stored(*, user: User, digest: str) -> Run | None:
    """The run that this user's same file became before."""
    runs = Run.objects.submissions().filter(owner=user)
    return runs.filter(card__sha256=digest).first()


def store(*, user: User, report: LintReport, spool: Spool, digest: str) -> Run:
    """Write model, run, answers and scores of a file that passed the lint.

    A small one goes in whole or not at all. Of a large one chunks are written under a run that is not finished, so that
    others can write in between; nobody sees it before it is complete, and what a crash leaves is swept away.
    """
    if spool.count <= CHUNK:
        with transaction.atomic():
            run = _begun(user=user, report=report, digest=digest)
            if run.state != RunState.FINISHED:
                for answers in spool.chunks():
                    save_answers(run=run, answers=answers)
                complete(run)
        return run
    with transaction.atomic():
        run = _begun(user=user, report=report, digest=digest)
    return run if run.state == RunState.FINISHED else _stored_by_chunks(run, spool)


def _stored_by_chunks(run: Run, spool: Spool) -> Run:
    try:
        for answers in spool.chunks():
            with transaction.atomic():
                hold(run)
                save_answers(run=run, answers=answers)
            time.sleep(BREATH)
        with transaction.atomic():
            hold(run)
            complete(run)
    except BaseException:
        remove_run(run)
        raise
    return run


def _begun(*, user: User, report: LintReport, digest: str) -> Run:
    """A run to write into, or the finished one that this file became before."""
    User.objects.select_for_update().get(pk=user.pk)  # a double click waits here and then finds the run
    if run := stored(user=user, digest=digest):
        return run
    check_room(user)  # again, behind the lock: two files at once don't both take the last place
    target = report.target
    assert target is not None
    return _new_run(target, parser_for(target, report.kind), report, user, digest)


def model_slug(name: str) -> str:
    """The name in an address; a name without Latin letters gets a digest of itself."""
    return slugify(name)[:60] or f"model-{hashlib.sha256(name.encode()).hexdigest()[:10]}"


def model_of(*, name: str, user: User) -> Model:
    """The user's model of this name, made when there is none; somebody else's is refused."""
    model, _is_new = Model.objects.get_or_create(
        slug=model_slug(name), defaults={"name": name, "kind": UPLOADED, "owner": user}
    )
    if model.kind != UPLOADED or model.owner_id != user.pk:
        raise NameTaken(f"the model name “{model.name}” is taken by somebody else: choose another name")
    return model


def _new_run(target: Target, parser: Parser, report: LintReport, user: User, digest: str) -> Run:
    now = timezone.now()
    return Run.objects.create(
        model=model_of(name=target.model, user=user), kind=RunKind.UPLOADED, pack=target.pack, owner=user,
        revision=target.revision, strategy=target.strategy.name, condition=target.condition, split=target.split,
        seeds=list(report.seeds), parser=parser.name, parser_version=parser.version,
        state=RunState.RUNNING, listing=Listing.PRIVATE,
        card=_card(report, digest), started_at=now, served_at=now,
    )  # fmt: skip


def _card(report: LintReport, digest: str) -> dict[str, object]:
    coverage = [[each.facet, each.value, each.answered, each.wanted] for each in report.coverage]
    dry_run = {"rows": report.rows, "score": report.score, "scored": report.scored, "unread": report.unread}
    return {"sha256": digest, "given": report.kind, "lint": dry_run | {"coverage": coverage}, "history": []}
