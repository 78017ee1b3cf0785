"""Pages of an upload: the form, the report on a refused file, and an empty file to fill in."""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from accounts.models import User
from accounts.throttling import UploadThrottle
from accounts.typing import SignedInRequest
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.policy import KEEP
from evaluation.models import Run, Upload, UploadState
from evaluation.queue.quotas import quotas_of
from evaluation.submissions.files.header import Target, target_of
from evaluation.submissions.files.problems import NameTaken, SubmissionRefused, Unreadable
from evaluation.submissions.forms import EmptyFileForm, SubmissionForm, again, fields_of
from evaluation.submissions.lint import reports
from evaluation.submissions.lint.check import MOST_LISTED
from evaluation.submissions.listing.staff_inbox import DECIDES, waiting
from evaluation.submissions.store.submit import SUBMITS
from evaluation.submissions.store.upload_queue import place_of, receive

SUBMISSIONS = 50
OPEN = (UploadState.WAITING, UploadState.CHECKING)
NOT_STORED = (UploadState.REFUSED, UploadState.FAILED)
MOST_REFUSED = 5  # number of refused files shown (upload_queue.RETENTION)


@never_cache
def submit_page(request: HttpRequest) -> HttpResponse:
    """The upload form, with instructions and the user's own submissions."""
    if request.method != "POST":
        return _form_page(request, SubmissionForm(initial=again(request.GET)))
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
    """Redirect to the stored submission, the waiting upload or the report; None if the form has an error."""
    file = form.cleaned_data["file"]
    try:
        received = receive(file=file, name=file.name, user=user, header=form.header)
    except SubmissionRefused as refusal:
        form.add_error("model" if isinstance(refusal, NameTaken) else "file", str(refusal))
        return None
    return _onward(received) or redirect(received)


def _onward(upload: Upload) -> HttpResponse | None:
    """Redirect to the submission or the report on the file; None if there is neither."""
    if upload.run_id:
        return redirect("submission", upload.run_id)
    return _to_report(upload.report, upload.header) if upload.report else None


def _to_report(key: str, header: Mapping[str, str]) -> HttpResponse:
    """Redirect to the report, whose link back to the form fills in the same fields."""
    fields = urlencode(fields_of(header))
    return redirect(reverse("submission-report", args=[key]) + (f"?{fields}" if fields else ""))


def _too_many(request: HttpRequest, seconds: float | None) -> HttpResponse:
    """The form again with status 429 and the seconds to wait."""
    wait = math.ceil(seconds or 60)
    messages.error(request, f"Too many files within a minute: send the next one in {wait} seconds.")
    response = _form_page(request, SubmissionForm(initial=again(request.POST)))
    response.status_code, response["Retry-After"] = 429, str(wait)
    return response


@never_cache
@login_required
def upload(request: SignedInRequest, key: str) -> HttpResponse:
    """The state of a sent file; once it is checked, redirects to its submission or report."""
    found = get_object_or_404(Upload, key=key, owner=request.user)
    return _onward(found) or render(
        request, "submissions/upload.html", {"section": "submit", "upload": found, "before": place_of(found)}
    )


def _form_page(request: HttpRequest, form: SubmissionForm, empty_form: EmptyFileForm | None = None) -> HttpResponse:
    context: dict[str, Any] = {
        "section": "submit",
        "form": form,
        "empty_form": (empty_form := empty_form or EmptyFileForm()),
        "packs": empty_form.packs,
        "benchmarks": BENCHMARKS.values(),
        "submissions": [],
    }
    if isinstance(request.user, User):
        uploads = Run.objects.submissions().filter(owner=request.user)
        context["quotas"] = quotas_of(request.user)
        context["may_submit"] = request.user.has_perm(SUBMITS)
        context["waiting"] = waiting().count() if request.user.has_perm(DECIDES) else 0
        files = Upload.objects.filter(owner=request.user)
        context["waiting_files"] = files.filter(state__in=OPEN)
        context["refused_files"] = files.filter(state__in=NOT_STORED).order_by("-pk")[:MOST_REFUSED]
        context["submissions"] = uploads.select_related("model", "pack")[:SUBMISSIONS]
    return render(request, "submissions/submit.html", context)


@never_cache
@login_required
def report(request: SignedInRequest, key: str) -> HttpResponse:
    """The report on a refused file: its first problems, coverage and score."""
    content = _report_or_404(request.user, key)
    context = {
        "section": "submit",
        "report": content,
        "key": key,
        "shown": content["problems"][:MOST_LISTED],
        "percent": reports.percent(content["score"]),
        "again": urlencode(again(request.GET)),
    }
    return render(request, "submissions/report.html", context)


@never_cache
@login_required
def problems(request: SignedInRequest, key: str) -> StreamingHttpResponse:
    """All problems of a refused file as a CSV table."""
    table = reports.problem_table(_report_or_404(request.user, key)["problems"])
    return _attachment(table, "problems.csv", "text/csv")


def _report_or_404(user: User, key: str) -> dict[str, Any]:
    content = reports.find(key=key, user=user)
    if content is None:
        raise Http404(f"This report is gone: reports on refused files are kept for {KEEP['refused uploads'].words}.")
    return content


@require_GET
def empty_file(request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
    """An empty file of answers: the header, then one line for each item."""
    form, status = EmptyFileForm(request.GET), 400
    try:
        target = target_of(form.header) if form.is_valid() else None
    except Unreadable as refusal:
        form.add_error(None, refusal.problem.what)
        target, status = None, 404
    if target is None:
        page = _form_page(request, SubmissionForm(), form)
        page.status_code = status
        return page
    return _attachment(_empty_lines(target), f"{target.pack.name}-{target.strategy.name}.jsonl", "application/jsonl")


def _empty_lines(target: Target) -> Iterator[str]:
    yield json.dumps(target.facts) + "\n"
    for public_id in target.items().values_list("public_id", flat=True).iterator(chunk_size=2000):
        yield json.dumps({"item": public_id, "reply": ""}) + "\n"


def _attachment(lines: Iterator[str], name: str, kind: str) -> StreamingHttpResponse:
    response = StreamingHttpResponse(lines, content_type=f"{kind}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
