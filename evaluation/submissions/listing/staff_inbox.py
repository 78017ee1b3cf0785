"""The inbox of staff: submissions waiting for a decision. Staff decide several at once, after a preview."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required, permission_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.typing import SignedInRequest
from benchmarks.gallery.query import page_of
from evaluation.models import Listing, Run, RunKind, RunQuerySet
from evaluation.runs.results import mean_scores
from evaluation.submissions.files.problems import SubmissionRefused
from evaluation.submissions.listing import lifecycle

DECIDES = "evaluation.change_run"
A_PAGE = 50
DECISIONS = ("list", "decline")


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
        context = {"section": "submit", "runs": list(chosen), "decision": decision, "reason": reason}
        return render(request, "submissions/inbox_preview.html", context)
    _decide(request, chosen, decision, reason)
    return redirect("submission-inbox")


def _list(request: SignedInRequest, *, chosen: set[int], reason: str) -> HttpResponse:
    """The inbox, oldest first, with the choice and reason of a refused form."""
    page = page_of(request, waiting().order_by("created_at", "pk"), A_PAGE)
    dry_run = {run.pk: run.card["lint"]["score"] for run in page}
    since = mean_scores([pk for pk, score in dry_run.items() if score is None])  # they may have been loaded meanwhile
    context = {"section": "submit", "page": page, "chosen": chosen, "reason": reason}
    context["rows"] = [(run, since.get(run.pk, dry_run[run.pk])) for run in page]
    return render(request, "submissions/inbox.html", context)


def waiting() -> RunQuerySet:
    """Uploads proposed for the leaderboard."""
    found = Run.objects.filter(kind=RunKind.UPLOADED, listing=Listing.SUBMITTED)
    return found.select_related("model", "pack", "owner").prefetch_related("flags")


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
