"""Pages of a stored submission: what was found in it, and its way onto the board and off it."""

from collections.abc import Callable
from datetime import datetime

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Avg, Count
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts.models import User
from accounts.requests import SignedInRequest
from evaluation.cards import model_facts
from evaluation.models import Listing, Mark, Run, Score
from evaluation.submissions import listing
from evaluation.submissions.cards import CardForm, write_card
from evaluation.submissions.problems import SubmissionRefused
from evaluation.submissions.reports import percent

DECIDES = "evaluation.change_run"


@never_cache
@login_required
def submission(request: SignedInRequest, pk: int) -> HttpResponse:
    """One stored submission: what was found in it, where it stands, and what can be done."""
    run = _submission_or_404(request.user, pk)
    context = {
        "section": "submit",
        "run": run,
        "report": run.card["lint"],
        "percent": percent(run.card["lint"]["score"]),
        "whole": _whole_score(run),
        "history": [step | {"at": datetime.fromisoformat(step["at"])} for step in run.card["history"]],
        "is_owner": run.owner_id == request.user.pk,
        "decides": request.user.has_perm(DECIDES) and run.listing != Listing.PRIVATE,
        "facts": model_facts(run.model),
        "marks": Mark,
    }
    return render(request, "submissions/submission.html", context)


@login_required
@require_POST
def propose(request: SignedInRequest, pk: int) -> HttpResponse:
    """Submit to the board: the owner's act."""
    run = _own_or_404(request.user, pk)
    return _after(request, run, lambda: listing.propose(run=run, by=request.user))


@never_cache
@login_required
def withdraw(request: SignedInRequest, pk: int) -> HttpResponse:
    """Say what taking it back does; do it once that is confirmed: the owner's act."""
    run = _own_or_404(request.user, pk)
    if request.method != "POST":
        return render(request, "submissions/withdraw.html", {"section": "submit", "run": run})
    return _after(request, run, lambda: listing.withdraw(run=run, by=request.user))


@never_cache
@login_required
def edit_card(request: SignedInRequest, pk: int) -> HttpResponse:
    """What is said about the model; the answers themselves never change."""
    run = _own_or_404(request.user, pk)
    form = CardForm(request.POST or None, initial=run.model.card)
    if form.is_valid():
        write_card(model=run.model, card=form.card)
        messages.success(request, _("The model's card is saved."))
        return redirect("submission", pk)
    return render(request, "submissions/card.html", {"section": "submit", "run": run, "form": form})


@login_required
@require_POST
def decide(request: SignedInRequest, pk: int) -> HttpResponse:
    """List, decline with a reason, or change the marks of what is listed: an act of staff."""
    run = _submission_or_404(request.user, pk)
    if not request.user.has_perm(DECIDES):
        raise Http404
    marks = request.POST.getlist("marks")
    if request.POST.get("decision") == "mark":
        return _after(request, run, lambda: listing.mark(run=run, by=request.user, marks=marks))
    if request.POST.get("decision") == "list":
        return _after(request, run, lambda: listing.list_run(run=run, by=request.user, marks=marks))
    reason = request.POST.get("reason", "")
    return _after(request, run, lambda: listing.decline(run=run, by=request.user, reason=reason))


@never_cache
@login_required
def delete(request: SignedInRequest, pk: int) -> HttpResponse:
    """Say what would go; delete it once that is confirmed."""
    run = _own_or_404(request.user, pk)
    if request.method != "POST":
        return render(request, "submissions/delete.html", {"section": "submit", "run": run})
    listing.delete_submission(run=run)
    messages.success(request, _("Submission %(number)s is deleted.") % {"number": pk})
    return redirect("submit")


def _whole_score(run: Run) -> dict[str, float] | None:
    """The mean over every answer and their number, where the site can score more of them than the dry run could."""
    found = run.card["lint"]
    if found["scored"] == found["rows"]:
        return None
    scored = Score.objects.of_run(run).aggregate(mean=Avg("value"), n=Count("pk"))
    return {"percent": 100 * scored["mean"], "n": scored["n"]} if scored["n"] > found["scored"] else None


def _after(request: SignedInRequest, run: Run, act: Callable[[], Run]) -> HttpResponse:
    """Do it and show the submission again; a refusal is a sentence on the same page."""
    try:
        act()
    except SubmissionRefused as refusal:
        messages.error(request, str(refusal))
    return redirect("submission", run.pk)


def _submission_or_404(user: User, pk: int) -> Run:
    """The owner's own, or anybody's for staff who decide; for the rest there is none."""
    uploads = Run.objects.submissions().select_related("model", "pack", "owner")
    return get_object_or_404(uploads if user.has_perm(DECIDES) else uploads.filter(owner=user), pk=pk)


def _own_or_404(user: User, pk: int) -> Run:
    return get_object_or_404(Run.objects.submissions().select_related("model", "pack"), owner=user, pk=pk)
