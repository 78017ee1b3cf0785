"""Pages of models and runs."""

from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render

from benchmarks.definitions.registry import BENCHMARKS
from evaluation.models import Listing, Run, RunKind
from evaluation.runs.pages.action_views import PRIORITIES, acts_on
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
from evaluation.runs.results import outcome_of


def run_page(request: HttpRequest, pk: int) -> HttpResponse:
    """The whole page, only its live part (`part=live`), or its card (`format=json`)."""
    if request.GET.get("format") == "json":
        return run_card(request, pk)
    run = _visible_or_404(request, pk)
    standing = standing_of(run)
    hides_replies = run.kind == RunKind.REFEREE and not request.user.is_staff  # replies quote the expected answers
    replies = [] if hides_replies else newest_replies(run)
    to_staff = request.user.is_staff
    context = {"run": run, "standing": standing, "replies": replies, "hides_replies": hides_replies}
    context |= {"reason": reason_of(run, to_staff=to_staff), "shows_shards": to_staff}
    context["stage_reason"] = reason_of(standing.stage_run, to_staff=to_staff)
    if request.GET.get("part") == "live":
        return render(request, "evaluation/parts/live.html", context)
    outcome = outcome_of(run, whole=request.user.is_staff) if standing.is_over else None
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
        "is_unvalidated": bool(run.referee)
        and Run.objects.filter(Run.objects.by_unknown_referees(), pk=run.pk).exists(),
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
