"""Authors' pages on people, by random code, and on sheets."""

from typing import cast

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Avg, Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from humantrials.author_views import at_the_desk, desk
from humantrials.flow import TAKING_PART
from humantrials.given import answers_of
from humantrials.leaving import exclude
from humantrials.models import Participant, ParticipantState, SheetState, Trial, TrialState
from humantrials.repair import missing_slots
from humantrials.replay import holdings, moments
from humantrials.watching import BARS, watch

PAGE = 50
SPAN = 22  # width of one span of time in the picture of arrivals
NOT_EXCLUDED = (ParticipantState.WITHDRAWN, ParticipantState.EXCLUDED, ParticipantState.DECLINED)


class ExcludeForm(forms.Form):
    """Why somebody's answers do not count."""

    why = forms.CharField(max_length=200, label="Reason", help_text="Kept in the log, and in the trial's flow count.")


def people_of(trial: Trial) -> QuerySet[Participant]:
    """Those who came to take part, without previews and pilots."""
    return trial.participants.filter(kind__in=TAKING_PART)


def missing(person: Participant | None) -> list[int]:
    """Whose sheet is marked for repair: which answers are missing, by the number of the clip from 1."""
    if person is None or person.repair_at is None or person.state != ParticipantState.CONSENTED:
        return []
    return [at + 1 for at in missing_slots(person).values_list("position", flat=True)]


def attention_of(person: Participant) -> list[tuple[str, str | None]]:
    """(answer, what is right) for each attention item that the person met."""
    return list(person.attention_answers.values_list("answer", "item__expected"))


@at_the_desk
@require_safe
def watch_trial(request: HttpRequest, trial: Trial) -> HttpResponse:
    """How the trial is going; `?part=live` gives the part that changes."""
    seen = watch(trial)
    most = max((max(bar.came, bar.finished) for bar in seen.bars), default=1) or 1
    drawn = [
        {
            "x": number * SPAN,
            "x_finished": number * SPAN + SPAN // 2 - 1,
            "came": round(100 * bar.came / most, 1),
            "finished": round(100 * bar.finished / most, 1),
        }
        for number, bar in enumerate(seen.bars)
    ]
    sheets = seen.sheets
    facts = {
        "seen": seen,
        "is_live": trial.state in (TrialState.OPEN, TrialState.PAUSED),
        "drawn": drawn,
        "width": BARS * SPAN,
        "most": most,
        "newest_first": seen.bars[::-1],
        "sheet_rows": (
            ("open", sheets.open),
            ("holder reads the consent", sheets.in_consent),
            ("at work", sheets.at_work),
            ("marked for repair: answers missing", sheets.to_repair),
            ("lease run out", sheets.expired),
            ("done", sheets.done),
        ),
    }
    return desk(request, "parts/watch" if request.GET.get("part") == "live" else "watch", trial, "watch", **facts)


@at_the_desk
@require_safe
def people(request: HttpRequest, trial: Trial) -> HttpResponse:
    """Who came, newest first; nobody is named."""
    found, state = people_of(trial), request.GET.get("state", "")
    counts = dict.fromkeys(ParticipantState.values, 0) | dict(
        found.order_by().values_list("state").annotate(n=Count("pk"))
    )
    shown = found.filter(state=state) if state in ParticipantState.values else found
    rows = shown.select_related("sheet").annotate(
        answers=answers_of(),
        counted=answers_of(counts=True),
        pace=Avg("judgments__seconds"),
    )
    page = Paginator(rows.order_by("-pk"), PAGE).get_page(request.GET.get("page"))
    return desk(request, "people", trial, "people", page=page, counts=counts, state=state, total=sum(counts.values()))


@at_the_desk
@require_http_methods(["GET", "HEAD", "POST"])
def person(request: HttpRequest, trial: Trial, code: str) -> HttpResponse:
    """One participant by random code; here their answers are excluded, for a reason that is kept."""
    found = get_object_or_404(people_of(trial).select_related("sheet"), code=code)
    form = ExcludeForm(request.POST or None)
    may_exclude = found.state not in NOT_EXCLUDED
    if request.method == "POST" and may_exclude and form.is_valid():
        exclude(participant=found, why=form.cleaned_data["why"], by=cast(User, request.user))
        messages.success(request, f"{found.code} is excluded. The sheet is wanted again.")
        return redirect("trial-person", trial.slug, found.code)
    answers = found.judgments.select_related("slot__sheet").order_by("slot__position")
    facts = {
        "person": found,
        "answers": answers,
        "tasks": found.task_answers.select_related("task"),
        "form": form,
        "may_exclude": may_exclude,
        "missing": missing(found),
        "attention": attention_of(found),
    }
    response = desk(request, "person", trial, "people", **facts)
    response.status_code = 400 if form.errors else 200
    return response


@at_the_desk
@require_safe
def sheets(request: HttpRequest, trial: Trial) -> HttpResponse:
    """Every sheet with its state, holder and epoch."""
    state = request.GET.get("state", "")
    found = trial.sheets.select_related("holder").annotate(happened=Count("events")).order_by("order")
    shown = found.filter(state=state) if state in SheetState.values else found
    counts = dict.fromkeys(SheetState.values, 0) | dict(
        trial.sheets.order_by().values_list("state").annotate(n=Count("pk"))
    )
    page = Paginator(shown, PAGE).get_page(request.GET.get("page"))
    facts = {"page": page, "state": state, "counts": counts, "total": sum(counts.values()), "now": timezone.now()}
    return desk(request, "sheets", trial, "sheets", **facts)


@at_the_desk
@require_safe
def sheet(request: HttpRequest, trial: Trial, order: int) -> HttpResponse:
    """The life of one sheet."""
    found = get_object_or_404(trial.sheets.select_related("holder"), order=order)
    facts = {"sheet": found, "moments": moments(found), "holdings": holdings(found), "now": timezone.now()}
    facts["missing"] = missing(found.holder)
    return desk(request, "sheet", trial, "sheets", **facts)
