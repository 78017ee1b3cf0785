"""Pages of an upload: the form, the report on a refused file, an empty file to fill in."""

import json
import math
from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from accounts.models import User
from accounts.requests import SignedInRequest
from accounts.throttling import UploadThrottle
from benchmarks.registry import BENCHMARKS
from evaluation.models import Run, Upload, UploadState
from evaluation.quotas import quotas_of
from evaluation.submissions import reports
from evaluation.submissions.forms import EmptyFileForm, SubmissionForm
from evaluation.submissions.headers import Target, target_of
from evaluation.submissions.inbox import DECIDES, waiting
from evaluation.submissions.linting import SHOWN
from evaluation.submissions.opening import MEGABYTE, UPLOAD_BYTES
from evaluation.submissions.problems import SubmissionRefused, Unreadable
from evaluation.submissions.queueing import place_of, receive
from evaluation.submissions.submitting import SUBMITS, SubmissionHasProblems

SUBMISSIONS = 50
OPEN = (UploadState.WAITING, UploadState.CHECKING)


@never_cache
def submit_page(request: HttpRequest) -> HttpResponse:
    """What is needed, the form, and one's own submissions."""
    if request.method != "POST":
        return _form_page(request, SubmissionForm())
    if not isinstance(request.user, User):
        return redirect_to_login(request.path)
    throttle = UploadThrottle()
    if not throttle.allow_request(request, None):
        return _too_many(request, throttle.wait())
    form = SubmissionForm(request.POST, request.FILES)
    if form.is_valid() and (onward := _received(form, request.user)):
        return onward
    return _form_page(request, form)


def _received(form: SubmissionForm, user: User) -> HttpResponse | None:
    """Where the sender goes on: the stored submission or the report; None when the form says what is wrong."""
    file = form.cleaned_data["file"]
    try:
        received = receive(file=file, name=file.name, user=user, header=form.header)
        return redirect(received) if isinstance(received, Upload) else redirect("submission", received.pk)
    except SubmissionHasProblems as refusal:
        return redirect("submission-report", reports.keep(report=refusal.report, user=user, name=file.name))
    except SubmissionRefused as refusal:
        form.add_error("model" if form.header.get("model") else "file", str(refusal))
        return None


def _too_many(request: HttpRequest, seconds: float | None) -> HttpResponse:
    """The form again, with the seconds to wait."""
    wait = math.ceil(seconds or 60)
    messages.error(request, _("Too many files within a minute: send the next one in %(n)d seconds.") % {"n": wait})
    response = _form_page(request, SubmissionForm())
    response.status_code, response["Retry-After"] = 429, str(wait)
    return response


@never_cache
@login_required
def upload(request: SignedInRequest, key: str) -> HttpResponse:
    """Where a large file stands; once it is checked, onward to its submission or report."""
    found = get_object_or_404(Upload, key=key, owner=request.user)
    if found.run_id:
        return redirect("submission", found.run_id)
    if found.report:
        return redirect("submission-report", found.report)
    return render(request, "submissions/upload.html", {"section": "submit", "upload": found, "before": place_of(found)})


def _form_page(request: HttpRequest, form: SubmissionForm) -> HttpResponse:
    context: dict[str, Any] = {
        "section": "submit",
        "form": form,
        "empty_form": (empty_form := EmptyFileForm()),
        "packs": empty_form.packs,
        "benchmarks": BENCHMARKS.values(),
        "megabytes": UPLOAD_BYTES // MEGABYTE,
        "submissions": [],
    }
    if isinstance(request.user, User):
        uploads = Run.objects.submissions().filter(owner=request.user)
        context["quotas"] = quotas_of(request.user)
        context["may_submit"] = request.user.has_perm(SUBMITS)
        context["waiting"] = waiting().count() if request.user.has_perm(DECIDES) else 0
        context["waiting_files"] = Upload.objects.filter(owner=request.user, state__in=OPEN)
        context["submissions"] = uploads.select_related("model", "pack")[:SUBMISSIONS]
    return render(request, "submissions/submit.html", context)


@never_cache
@login_required
def report(request: SignedInRequest, key: str) -> HttpResponse:
    """What is wrong with a file that was not stored: the first problems, coverage and score."""
    content = _report_or_404(request.user, key)
    context = {
        "section": "submit",
        "report": content,
        "key": key,
        "shown": content["problems"][:SHOWN],
        "percent": reports.percent(content["score"]),
    }
    return render(request, "submissions/report.html", context)


@never_cache
@login_required
def problems(request: SignedInRequest, key: str) -> StreamingHttpResponse:
    """Every problem of a refused file, as a table."""
    table = reports.problem_table(_report_or_404(request.user, key)["problems"])
    return _attachment(table, "problems.csv", "text/csv")


def _report_or_404(user: User, key: str) -> dict[str, Any]:
    content = reports.find(key=key, user=user)
    if content is None:
        raise Http404("This report is gone: reports on refused files are kept for a week.")
    return content


@require_GET
def empty_file(request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
    """An empty file of answers: the header, then one line an item."""
    form = EmptyFileForm(request.GET)
    if not form.is_valid():
        sentence = "; ".join(f"{name}: {errors[0]}" for name, errors in form.errors.items())
        return HttpResponse(sentence, status=400, content_type="text/plain; charset=utf-8")
    try:
        target = target_of(form.header)
    except Unreadable as refusal:
        return HttpResponse(refusal.problem.what, status=404, content_type="text/plain; charset=utf-8")
    return _attachment(_empty_lines(target), f"{target.pack.name}-{target.strategy.name}.jsonl", "application/jsonl")


def _empty_lines(target: Target) -> Iterator[str]:
    yield json.dumps(target.facts) + "\n"
    for public_id in target.items().values_list("public_id", flat=True).iterator(chunk_size=2000):
        yield json.dumps({"item": public_id, "reply": ""}) + "\n"


def _attachment(lines: Iterator[str], name: str, kind: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(lines, content_type=f"{kind}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
