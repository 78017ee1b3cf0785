"""Pages of a stored submission: its report, and the forms that list, withdraw or delete it."""

from collections.abc import Callable
from datetime import datetime

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Avg, Count
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts.models import User
from accounts.typing import SignedInRequest
from evaluation.models import Listing, Run, Score, SubmissionBadge
from evaluation.runs.pages.rows import model_facts
from evaluation.submissions.files.problems import SubmissionRefused
from evaluation.submissions.lint.reports import percent
from evaluation.submissions.listing import lifecycle
from evaluation.submissions.listing.budget import hides, spent_this_month
from evaluation.submissions.listing.model_cards import CardForm, write_card

DECIDES = "evaluation.change_run"


@never_cache
@login_required
def submission(request: SignedInRequest, pk: int) -> HttpResponse:
    """A stored submission: its report, listing and possible actions."""
    run = _submission_or_404(request.user, pk)
    context = {
        "section": "submit",
        "run": run,
        "report": run.card["lint"],
        "percent": percent(run.card["lint"]["score"]),
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
