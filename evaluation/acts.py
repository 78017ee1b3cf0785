"""What an owner or staff can do to a run on its page: cancel, resume, retry, another priority. Every act is a POST."""

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import User
from accounts.requests import SignedInRequest
from evaluation.errors import RunMisused
from evaluation.models import CellState, Priority, Run, RunKind, RunState
from evaluation.outcomes import ENDED, counts_of
from evaluation.runs import cancel_run, resume_run, retry_run, set_priority

DECIDES = "evaluation.change_run"
PRIORITIES = ("high", "normal", "low")  # as the page lists them


def may_act(user: User | AnonymousUser, run: Run) -> bool:
    """The owner, and staff who may change runs; nobody on an upload, which nobody works on."""
    is_own = run.owner_id is not None and run.owner_id == user.pk
    return run.kind != RunKind.UPLOADED and (is_own or user.has_perm(DECIDES))


def acts_on(user: User | AnonymousUser, run: Run) -> set[str]:
    """The acts that make sense now; the page shows these buttons."""
    if not may_act(user, run):
        return set()
    if run.state not in ENDED:
        has_failed = run.cells.filter(state=CellState.FAILED).exists()
        return {"cancel", "priority", *(["retry"] if has_failed else [])}
    if run.state == RunState.FINISHED:
        return set()
    return {"resume", "retry"} if run.state == RunState.FAILED and counts_of(run).failed else {"resume"}


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def cancel(request: SignedInRequest, pk: int) -> HttpResponse:
    """Ask first; then stop the run. It can be resumed, so nothing is lost."""
    run = _run_or_refuse(request, pk)
    if request.method != "POST":
        return render(request, "evaluation/cancel.html", {"run": run, "counts": counts_of(run), "section": "models"})
    if cancel_run(run=run):
        messages.success(request, _("Cancelled. What was answered is kept; “Resume” goes on with the rest."))
    else:
        messages.info(request, _("It had ended before."))
    return redirect(run)


@login_required
@require_POST
def resume(request: SignedInRequest, pk: int) -> HttpResponse:
    """Go on with everything that has no answer."""
    return _ask_again(request, pk, resume_run)


@login_required
@require_POST
def retry(request: SignedInRequest, pk: int) -> HttpResponse:
    """Ask the failed questions again, and them alone."""
    return _ask_again(request, pk, retry_run)


@login_required
@require_POST
def priority(request: SignedInRequest, pk: int) -> HttpResponse:
    """Before or behind other runs; the message says what it was, and the list is there to set it back."""
    run = _run_or_refuse(request, pk)
    given = request.POST.get("priority", "")
    before = Priority(run.priority)
    try:
        set_priority(run=run, priority=Priority[given.upper()].value)
    except KeyError:
        messages.error(request, _("There is no such priority."))
    else:
        messages.success(
            request, _("Priority %(now)s; it was %(before)s.") % {"now": given, "before": before.label.lower()}
        )
    return redirect(run)


def _ask_again(request: SignedInRequest, pk: int, act: Callable[..., int]) -> HttpResponse:
    run = _run_or_refuse(request, pk)
    try:
        count = act(run=run)
    except RunMisused as error:
        messages.error(request, str(error))
        return redirect(run)
    said = ngettext("%d question is asked again.", "%d questions are asked again.", count) % count
    messages.success(request, said if count else _("Every question has its answer: there is nothing to ask again."))
    return redirect(run)


def _run_or_refuse(request: SignedInRequest, pk: int) -> Run:
    """A run that the visitor may not see is not there; one that he may only see he can't act on."""
    runs = Run.objects.visible_to(request.user).select_related("model", "pack")
    run = get_object_or_404(runs, pk=pk)
    if not may_act(request.user, run):
        raise PermissionDenied
    return run
