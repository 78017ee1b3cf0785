"""Pages of uploads: form, report on a refused file, empty file; what becomes of a stored one; staff's inbox."""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required, permission_required
from django.contrib.auth.views import redirect_to_login
from django.db.models import Avg, Count
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.models import User
from accounts.throttling import UploadThrottle
from accounts.typing import SignedInRequest
from benchmarks import leasing
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.gallery.query import page_of
from benchmarks.policy import KEEP
from evaluation.models import Listing, Run, RunQuerySet, Score, SubmissionBadge, Upload, UploadState
from evaluation.queue.quotas import quotas_of
from evaluation.runs.pages.rows import model_facts
from evaluation.runs.results import mean_scores
from evaluation.submissions.files.parse_upload import target_of
from evaluation.submissions.files.problems import NameTaken, SubmissionRefused, Unreadable
from evaluation.submissions.files.rows import Target
from evaluation.submissions.forms import CardForm, EmptyFileForm, SubmissionForm, again, fields_of, write_card
from evaluation.submissions.lint import reports
from evaluation.submissions.lint.check import MOST_LISTED
from evaluation.submissions.listing import lifecycle
from evaluation.submissions.listing.lifecycle import hides, spent_this_month
from evaluation.submissions.store.submit import SUBMITS
from evaluation.submissions.store.upload_queue import place_of, receive

DECIDES = "evaluation.change_run"
A_PAGE = 50
DECISIONS = ("list", "decline")
SUBMISSIONS = 50
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
        context["waiting_files"] = files.filter(leasing.still_open(Upload))
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


@never_cache
@login_required
def submission(request: SignedInRequest, pk: int) -> HttpResponse:
    """A stored submission: its report, listing and possible actions."""
    run = _submission_or_404(request.user, pk)
    context = {
        "section": "submit",
        "run": run,
        "report": run.card["lint"],
        "percent": reports.percent(run.card["lint"]["score"]),
        "whole": _whole_score(run) if request.user.has_perm(DECIDES) else None,
        "left_out": run.card["lint"]["rows"] - run.card["lint"]["scored"],
        "history": [step | {"at": datetime.fromisoformat(step["at"])} for step in run.card["history"]],
        "is_owner": run.owner_id == request.user.pk,
        "decides": request.user.has_perm(DECIDES) and run.listing != Listing.PRIVATE,
        "facts": model_facts(run.model),
        "budget": _budget(run) if request.user.has_perm(DECIDES) else None,
        "marks": SubmissionBadge,
    }
    return render(request, "submissions/submission.html", context)


@login_required
@require_POST
def propose(request: SignedInRequest, pk: int) -> HttpResponse:
    """Propose the owner's submission for the leaderboard."""
    run = _own_or_404(request.user, pk)
    return _after(request, run, lambda: lifecycle.propose(run=run, by=request.user))


@never_cache
@login_required
def withdraw(request: SignedInRequest, pk: int) -> HttpResponse:
    """Ask the owner for confirmation, then withdraw the submission."""
    run = _own_or_404(request.user, pk)
    if request.method != "POST":
        return render(request, "submissions/withdraw.html", {"section": "submit", "run": run})
    return _after(request, run, lambda: lifecycle.withdraw(run=run, by=request.user))


@never_cache
@login_required
def edit_card(request: SignedInRequest, pk: int) -> HttpResponse:
    """Edit the model's card; the answers themselves never change."""
    run = _own_or_404(request.user, pk)
    form = CardForm(request.POST or None, initial=run.model.card)
    if form.is_valid():
        write_card(model=run.model, card=form.card)
        messages.success(request, "The model's card is saved.")
        return redirect("submission", pk)
    return render(request, "submissions/card.html", {"section": "submit", "run": run, "form": form})


@login_required
@require_POST
def decide(request: SignedInRequest, pk: int) -> HttpResponse:
    """List a submission, decline it with a reason, or change its badges: for staff only."""
    run = _submission_or_404(request.user, pk)
    if not request.user.has_perm(DECIDES):
        raise Http404
    marks = request.POST.getlist("marks")
    if request.POST.get("decision") == "mark":
        return _after(request, run, lambda: lifecycle.set_badges(run=run, by=request.user, marks=marks))
    if request.POST.get("decision") == "list":
        return _after(request, run, lambda: lifecycle.list_run(run=run, by=request.user, marks=marks))
    reason = request.POST.get("reason", "")
    return _after(request, run, lambda: lifecycle.decline(run=run, by=request.user, reason=reason))


@never_cache
@login_required
def delete(request: SignedInRequest, pk: int) -> HttpResponse:
    """Ask the owner for confirmation, then delete the submission."""
    run = _own_or_404(request.user, pk)
    if request.method != "POST":
        return render(request, "submissions/delete.html", {"section": "submit", "run": run})
    lifecycle.delete_submission(run=run)
    messages.success(request, f"Submission {pk} is deleted.")
    return redirect("submit")


def _budget(run: Run) -> dict[str, int] | None:
    """The number of this month's listings and its limit, if the run has hidden answers."""
    return {"used": spent_this_month(run), "limit": settings.HIDDEN_LISTINGS_A_MONTH} if hides(run) else None


def _whole_score(run: Run) -> dict[str, float] | None:
    """Mean and number of all scores, if the report leaves out scores of hidden answers; for staff only."""
    found = run.card["lint"]
    if found["scored"] == found["rows"]:
        return None
    scored = Score.objects.of_run(run).aggregate(mean=Avg("value"), n=Count("pk"))
    return {"percent": 100 * scored["mean"], "n": scored["n"]} if scored["n"] > found["scored"] else None


def _after(request: SignedInRequest, run: Run, act: Callable[[], Run]) -> HttpResponse:
    """Call `act` and show the submission again, with the message of a refusal."""
    try:
        act()
    except SubmissionRefused as refusal:
        messages.error(request, str(refusal))
    return redirect("submission", run.pk)


def _submission_or_404(user: User, pk: int) -> Run:
    """The submission, if the user owns it or may decide on submissions; else 404."""
    uploads = Run.objects.submissions().select_related("model", "pack", "owner")
    return get_object_or_404(uploads if user.has_perm(DECIDES) else uploads.filter(owner=user), pk=pk)


def _own_or_404(user: User, pk: int) -> Run:
    return get_object_or_404(Run.objects.submissions().select_related("model", "pack"), owner=user, pk=pk)


@never_cache
@login_required
@permission_required(DECIDES, raise_exception=True)
@require_http_methods(["GET", "POST"])
def inbox(request: SignedInRequest) -> HttpResponse:
    """The inbox; POST previews a decision on the chosen runs, and makes it once confirmed."""
    if request.method != "POST":
        return _list(request, chosen=set(), reason="")
    wanted = _numbers(request.POST.getlist("run"))
    chosen = waiting().filter(pk__in=wanted)
    decision, reason = request.POST.get("decision", ""), request.POST.get("reason", "").strip()[:300]
    if problem := _refusal(wanted, chosen, decision, reason):
        messages.error(request, problem)
        return _list(request, chosen={run.pk for run in chosen}, reason=reason)
    if request.POST.get("confirmed") != "1":
        context = {"section": "inbox", "runs": list(chosen), "decision": decision, "reason": reason}
        return render(request, "submissions/inbox_preview.html", context)
    _decide(request, chosen, decision, reason)
    return redirect("submission-inbox")


def _list(request: SignedInRequest, *, chosen: set[int], reason: str) -> HttpResponse:
    """The inbox, oldest first, with the choice and reason of a refused form."""
    page = page_of(request, waiting().order_by("created_at", "pk"), A_PAGE)
    dry_run = {run.pk: run.card["lint"]["score"] for run in page}
    since = mean_scores([pk for pk, score in dry_run.items() if score is None])  # they may have been loaded meanwhile
    context = {"section": "inbox", "page": page, "chosen": chosen, "reason": reason}
    context["rows"] = [(run, since.get(run.pk, dry_run[run.pk])) for run in page]
    return render(request, "submissions/inbox.html", context)


def waiting() -> RunQuerySet:
    """The inbox: uploads proposed for the leaderboard."""
    return Run.objects.proposed().select_related("model", "pack", "owner").prefetch_related("flags")


def _numbers(texts: list[str]) -> list[int]:
    """The run numbers sent by the form, at most one page of them."""
    return [int(text) for text in texts[:A_PAGE] if text.isascii() and text.isdigit() and len(text) < 19]


def _refusal(wanted: list[int], chosen: RunQuerySet, decision: str, reason: str) -> str:
    """Why these can't be decided, in a sentence; '' if they can."""
    if decision not in DECISIONS:
        return "Say what is to be done: put on the board, or decline."
    if not wanted:
        return "Choose at least one of the list."
    if not chosen.exists():
        return "None of these waits any more: choose from the list."
    if decision == "decline" and not reason:
        return "Say why: the senders read the reason."
    return ""


def _decide(request: SignedInRequest, chosen: RunQuerySet, decision: str, reason: str) -> None:
    """Decide the runs one by one; a refusal is shown and does not stop the others."""
    done = 0
    for run in chosen:
        try:
            if decision == "list":
                lifecycle.list_run(run=run, by=request.user)
            else:
                lifecycle.decline(run=run, by=request.user, reason=reason)
        except SubmissionRefused as refusal:
            messages.error(request, str(refusal))
        else:
            done += 1
    message = "%(n)d put on the board." if decision == "list" else "%(n)d declined."
    messages.success(request, message % {"n": done})
