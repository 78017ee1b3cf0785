"""Store a linted file as a run of kind `uploaded`: all of it, in one transaction, or nothing."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import IO

from django.db import transaction
from django.utils import timezone
from django.utils.text import slugify

from accounts.models import User
from evaluation.models import (
    Cell,
    CellState,
    Listing,
    Model,
    ModelResponse,
    Reading,
    Run,
    RunKind,
    RunState,
    Score,
)
from evaluation.parsing import Parser
from evaluation.quotas import QuotaSpent, check_quota
from evaluation.submissions.checking import Wanted, parser_for
from evaluation.submissions.headers import Target
from evaluation.submissions.linting import LintReport, lint
from evaluation.submissions.problems import SubmissionRefused, Unreadable
from evaluation.submissions.reading import answers_in, read_upload
from evaluation.submissions.rows import Row
from measures.scoring import exact_match

UPLOADED = "uploaded"
SUBMITS = "evaluation.add_run"
BATCH = 1000


class SubmissionHasProblems(SubmissionRefused):
    """The file did not pass the lint; `report` says where."""

    def __init__(self, report: LintReport) -> None:
        more = f" (and {len(report.problems) - 1:,} more problems)" if len(report.problems) > 1 else ""
        super().__init__(f"{report.problems[0]}{more}")
        self.report = report


def submit(*, file: IO[bytes], user: User, header: Mapping[str, str] | None = None) -> Run:
    """Lint the file and store it as the user's private run; the same file again gives the same run."""
    digest = digest_of(file, header)
    if run := stored(user=user, digest=digest):
        return run
    check_room(user)
    report = lint(file, header)
    if not report.ok:
        raise SubmissionHasProblems(report)
    try:
        return store(file=file, user=user, report=report, digest=digest)
    except Unreadable as stop:  # a study opened since the lint
        raise SubmissionRefused(stop.problem.what) from stop


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
    return Run.objects.filter(owner=user, kind=RunKind.UPLOADED, card__sha256=digest).first()


@transaction.atomic
def store(*, file: IO[bytes], user: User, report: LintReport, digest: str) -> Run:
    """Write model, run, answers and scores of a file that passed the lint."""
    User.objects.select_for_update().get(pk=user.pk)  # a double click waits here and then finds the run
    if run := stored(user=user, digest=digest):
        return run
    check_room(user)  # again, behind the lock: two files at once don't both take the last place
    target = report.target
    assert target is not None
    parser = parser_for(target, report.kind)
    run = _new_run(target, parser, report, user, digest)
    rows = (row for row in answers_in(read_upload(file), target) if isinstance(row, Row))
    while batch := list(islice(rows, BATCH)):
        _save_answers(run, parser, [(row, report.wanted[row.item]) for row in batch])
    return run


def model_slug(name: str) -> str:
    """The name in an address; a name without Latin letters gets a digest of itself."""
    return slugify(name)[:60] or f"model-{hashlib.sha256(name.encode()).hexdigest()[:10]}"


def model_of(*, name: str, user: User) -> Model:
    """The user's model of this name, made when there is none; somebody else's is refused."""
    model, _is_new = Model.objects.get_or_create(
        slug=model_slug(name), defaults={"name": name, "kind": UPLOADED, "owner": user}
    )
    if model.kind != UPLOADED or model.owner_id != user.pk:
        raise SubmissionRefused(f"the model name “{model.name}” is taken by somebody else: choose another name")
    return model


def _new_run(target: Target, parser: Parser, report: LintReport, user: User, digest: str) -> Run:
    now = timezone.now()
    return Run.objects.create(
        model=model_of(name=target.model, user=user), kind=RunKind.UPLOADED, pack=target.pack, owner=user,
        revision=target.revision, strategy=target.strategy.name, condition=target.condition, split=target.split,
        seeds=list(report.seeds), parser=parser.name, parser_version=parser.version,
        state=RunState.FINISHED, listing=Listing.PRIVATE,
        card=_card(report, digest), started_at=now, finished_at=now,
    )  # fmt: skip


def _card(report: LintReport, digest: str) -> dict[str, object]:
    coverage = [[each.facet, each.value, each.answered, each.wanted] for each in report.coverage]
    dry_run = {"rows": report.rows, "score": report.score, "scored": report.scored, "unread": report.unread}
    return {"sha256": digest, "given": report.kind, "lint": dry_run | {"coverage": coverage}, "history": []}


def _save_answers(run: Run, parser: Parser, answers: list[tuple[Row, Wanted]]) -> None:
    cells = Cell.objects.bulk_create(
        Cell(run=run, item_id=each.pk, seed=row.seed, state=CellState.ANSWERED) for row, each in answers
    )
    responses = ModelResponse.objects.bulk_create(
        ModelResponse(cell=cell, raw=row.text) for cell, (row, _) in zip(cells, answers, strict=True)
    )
    readings = Reading.objects.bulk_create(
        _reading(response, parser, each) for response, (_, each) in zip(responses, answers, strict=True)
    )
    Score.objects.bulk_create(_scores(readings, [each for _, each in answers]))


def _reading(response: ModelResponse, parser: Parser, each: Wanted) -> Reading:
    parsed = parser.read(response.raw, each.asked)
    return Reading(
        response=response, parser=parser.name, version=parser.version,
        answer=parsed.answer or "", problem=parsed.problem,
    )  # fmt: skip


def _scores(readings: list[Reading], wanted: list[Wanted]) -> Iterator[Score]:
    """One score a reading; none where the answer is withheld, until it is loaded."""
    for reading, each in zip(readings, wanted, strict=True):
        if each.asked.expected is not None:
            yield Score(reading=reading, value=exact_match(reading.answer or None, each.asked.expected))
