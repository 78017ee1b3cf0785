"""Pages of runs, and the actions of a run's owner or staff on its page: cancel, resume, retry, change the priority."""

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import User
from accounts.typing import SignedInRequest
from benchmarks.definitions.registry import BENCHMARKS
from evaluation.errors import RunMisused
from evaluation.models import CellState, Listing, Priority, Run, RunKind, RunState, by_unknown_referees
from evaluation.runs.lifecycle import cancel_run, in_progress, resume_run, retry_run, set_priority, stop_runs
from evaluation.runs.pages.rows import (
    card_rows,
    dimension_rows,
    facts_of,
    first_failure,
    other_refereeings,
    reason_of,
    strategy_title,
    test_rows,
)
from evaluation.runs.progress import newest_replies, standing_of
from evaluation.runs.results import counts_of, outcome_of

DECIDES = "evaluation.change_run"
PRIORITIES = ("high", "normal", "low")  # in the order of the page


def run_page(request: HttpRequest, pk: int) -> HttpResponse:
    """The whole page, only its live part (`part=live`), or its card (`format=json`)."""
    if request.GET.get("format") == "json":
        return run_card(request, pk)
    run = _visible_or_404(request, pk)
    standing, to_staff = standing_of(run), request.user.is_staff
    hides_replies = run.kind == RunKind.REFEREE and not to_staff  # replies quote the expected answers
    replies = [] if hides_replies else newest_replies(run)
    context = {"run": run, "standing": standing, "replies": replies, "hides_replies": hides_replies}
    context |= {"reason": reason_of(run, to_staff=to_staff), "shows_shards": to_staff}
    context["stage_reason"] = reason_of(standing.stage_run, to_staff=to_staff)
    if request.GET.get("part") == "live":
        return render(request, "evaluation/parts/live.html", context)
    outcome = outcome_of(run, whole=to_staff) if standing.is_over else None
    context |= {
        "section": "models",
        "benchmark": BENCHMARKS.get(run.pack.benchmark),
        "strategy": strategy_title(run),
        "tests": test_rows(run, outcome) if outcome else [],
        "left_out": outcome.left_out if outcome else 0,
        "overall": outcome.overall if outcome and outcome.overall.n else None,
        "dimensions": dimension_rows(outcome) if outcome else [],
        "first_failure": first_failure(run),
        "others": other_refereeings(run, standing.stage_run) if run.is_refereed else [],  # type: ignore[attr-defined]  # annotated
        "acts": acts_on(request.user, run),
        "priorities": PRIORITIES,
        "card": card_rows(run),
        "is_unvalidated": bool(run.referee) and Run.objects.filter(by_unknown_referees(), pk=run.pk).exists(),
        "is_public": run.listing == Listing.LISTED,
    }
    return render(request, "evaluation/run.html", context)


def run_card(request: HttpRequest, pk: int) -> JsonResponse:
    """Everything that the run's numbers depend on, as JSON."""
    return JsonResponse(facts_of(_visible_or_404(request, pk), to_staff=request.user.is_staff))


def _visible_or_404(request: HttpRequest, pk: int) -> Run:
    """The run, with `is_refereed`: whether a referee has scored it or will."""
    runs = Run.objects.visible_to(request.user).select_related("model", "pack", "owner", "judged__model")
    is_refereed = Exists(Run.objects.filter(judged=OuterRef("pk")))
    return get_object_or_404(runs.annotate(is_refereed=is_refereed), pk=pk)


def may_act(user: User | AnonymousUser, run: Run) -> bool:
    """Whether the user owns the run or may change runs; False for an upload, which no worker processes."""
    is_own = run.owner_id is not None and run.owner_id == user.pk
    return run.kind != RunKind.UPLOADED and (is_own or user.has_perm(DECIDES))


def acts_on(user: User | AnonymousUser, run: Run) -> set[str]:
    """The actions that are possible now; the page shows a button for each."""
    if not may_act(user, run):
        return set()
    if not run.is_over:
        has_failed = run.cells.filter(state=CellState.FAILED).exists()
        return {"cancel", "priority", *(["retry"] if has_failed else [])}
    if run.state == RunState.FINISHED:
        return set()
    return {"resume", "retry"} if run.state == RunState.FAILED and counts_of(run).failed else {"resume"}


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def cancel(request: SignedInRequest, pk: int) -> HttpResponse:
    """Ask for confirmation, then stop the run. It can be resumed, so nothing is lost."""
    run = _run_or_refuse(request, pk)
    if request.method != "POST":
        return render(request, "evaluation/cancel.html", {"run": run, "counts": counts_of(run), "section": "models"})
    if cancel_run(run=run):
        messages.success(request, "Cancelled. What was answered is kept; “Resume” goes on with the rest.")
    else:
        messages.info(request, "It had ended before.")
    return redirect(run)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def stop(request: SignedInRequest) -> HttpResponse:
    """Ask for confirmation, then stop the user's runs in progress, or with `everybody` all there are; offers the undo:
    a POST with ids resumes these runs."""
    is_for_all = "everybody" in request.GET
    if is_for_all and not request.user.has_perm(DECIDES):
        raise PermissionDenied
    owner = None if is_for_all else request.user
    ids = [pk for pk in request.POST.getlist("run") if pk.isdecimal()]
    if ids:
        for pk in ids:
            resume_run(run=_run_or_refuse(request, int(pk)))
        messages.success(request, "Resumed. They go on where they stopped.")
        return redirect("account")
    context = {"section": "account", "is_for_all": is_for_all}
    is_done = request.method == "POST"
    context |= {"is_done": is_done, "runs": stop_runs(owner) if is_done else in_progress(owner).select_related("model")}
    return render(request, "evaluation/stop.html", context)


@login_required
@require_POST
def resume(request: SignedInRequest, pk: int) -> HttpResponse:
    """Ask every unanswered question."""
    return _ask_again(request, pk, resume_run)


@login_required
@require_POST
def retry(request: SignedInRequest, pk: int) -> HttpResponse:
    """Ask only the failed questions again."""
    return _ask_again(request, pk, retry_run)


@login_required
@require_POST
def priority(request: SignedInRequest, pk: int) -> HttpResponse:
    """Set the priority; the message names the previous one, so that it can be restored."""
    run = _run_or_refuse(request, pk)
    wanted = request.POST.get("priority", "")
    before = Priority(run.priority)
    try:
        set_priority(run=run, priority=Priority[wanted.upper()].value)
    except KeyError:
        messages.error(request, "There is no such priority.")
    else:
        messages.success(request, f"Priority {wanted}; it was {before.label.lower()}.")
    return redirect(run)


def _ask_again(request: SignedInRequest, pk: int, act: Callable[..., int]) -> HttpResponse:
    run = _run_or_refuse(request, pk)
    try:
        count = act(run=run)
    except RunMisused as error:
        messages.error(request, str(error))
        return redirect(run)
    message = "1 question is asked again." if count == 1 else f"{count} questions are asked again."
    if run.cells.filter(is_lasting=True).exists():
        message += " The others would fail again: “Retry failed questions” asks them, too."
    elif not count:
        message = "Every question has its answer: there is nothing to ask again."
    messages.success(request, message)
    return redirect(run)


def _run_or_refuse(request: SignedInRequest, pk: int) -> Run:
    """The run; 404 if the user may not see it, 403 if the user may only see it."""
    runs = Run.objects.visible_to(request.user).select_related("model", "pack")
    run = get_object_or_404(runs, pk=pk)
    if not may_act(request.user, run):
        raise PermissionDenied
    return run
