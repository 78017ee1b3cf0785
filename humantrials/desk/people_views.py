"""Authors' pages on participants, by random code, and on sheets."""

from collections.abc import Collection
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Avg, Count, QuerySet, TextChoices
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect

from accounts.models import User
from accounts.typing import SignedInRequest
from benchmarks.disclosure import with_expected
from benchmarks.gallery.query import page_of
from benchmarks.leasing import expired
from humantrials.assignment.exits import exclude
from humantrials.assignment.sheets import answers_in, missing_slots
from humantrials.assignment.viewing_evidence import doubts_of, has_evidence
from humantrials.desk.study_views import at_the_desk, desk, form_at_the_desk
from humantrials.identities import other_trials
from humantrials.judging.answer_flags import flags_of
from humantrials.judging.attention_checks import passed_over
from humantrials.kinds import kind_of
from humantrials.models import RUNNING, Judgment, Participant, ParticipantState, Sheet, SheetState, Trial
from humantrials.models.participants import TAKING_PART
from humantrials.permissions import desk_reader
from humantrials.planning.between_clips import follow_ups_by, has_follow_ups
from humantrials.running.monitoring import BARS, holdings, moments, watch

PAGE = 50
SPAN = 22  # width of one time span in the chart of arrivals
NOT_EXCLUDED = (ParticipantState.WITHDRAWN, ParticipantState.EXCLUDED, ParticipantState.DECLINED)


class ExcludeForm(forms.Form):
    """The reason for excluding somebody's answers."""

    why = forms.CharField(max_length=200, label="Reason", help_text="Kept in the log, and in the trial's flow count.")


def people_of(trial: Trial) -> QuerySet[Participant]:
    """The trial's participants without previews and pilots."""
    return trial.participants.filter(kind__in=TAKING_PART)


def missing(person: Participant | None) -> list[int]:
    """The numbers, from 1, of the clips without an answer; empty unless the sheet is marked for repair."""
    if person is None or person.repair_at is None or not person.is_under_way:
        return []
    return [slot.position + 1 for slot in missing_slots(person)]


def attention_of(person: Participant, user: User) -> list[tuple[str, str | None]]:
    """(answer, expected answer) for each attention item that the person answered or, with "", passed over.

    The expected answer is None if this user may not know it.
    """
    known = with_expected(person.attention_answers.all(), to=desk_reader(person.trial, user), item="item")
    left_out = passed_over(person.trial)[person.pk]
    return [*known.values_list("answer", "expected"), *[("", None)] * left_out]


@at_the_desk
def watch_trial(request: SignedInRequest, trial: Trial) -> HttpResponse:
    """Live monitoring of the trial; `?part=live` returns only the part that changes."""
    seen = watch(trial)
    most = max((max(came, finished) for _, came, finished in seen["bars"]), default=1) or 1
    sizes = [
        {
            "x": number * SPAN,
            "x_finished": number * SPAN + SPAN // 2 - 1,
            "came": round(100 * came / most, 1),
            "finished": round(100 * finished / most, 1),
        }
        for number, (_, came, finished) in enumerate(seen["bars"])
    ]
    sheets = seen["sheets"]
    facts = {
        "seen": seen,
        "is_live": trial.state in RUNNING,
        "drawn": sizes,
        "width": BARS * SPAN,
        "most": most,
        "newest_first": seen["bars"][::-1],
        "sheet_rows": (
            ("open", sheets.open),
            ("at work", sheets.at_work),
            ("marked for repair: answers missing", sheets.to_repair),
            ("lease run out", sheets.expired),
            ("done", sheets.done),
        ),
    }
    return desk(request, "parts/watch" if request.GET.get("part") == "live" else "watch", trial, "watch", **facts)


@at_the_desk
def people(request: SignedInRequest, trial: Trial) -> HttpResponse:
    """Participants by random code, newest first."""
    found, state = people_of(trial), request.GET.get("state", "")
    filtered = found.filter(state=state) if state in ParticipantState.values else found
    rows = filtered.select_related("sheet").annotate(
        answers=answers_in(trial).count(), counted=answers_in(trial).count(counts=True), pace=Avg("judgments__seconds")
    )
    page = page_of(request, rows.order_by("-pk"), PAGE, or_nearest=True)
    flags = flags_of(trial, [one.pk for one in page.object_list])
    for one in page.object_list:
        one.flags = flags.get(one.pk, [])  # for the template
    states = _states(found, ParticipantState, [state])
    return desk(request, "people", trial, "people", page=page, states=states, state=state)


def _states(rows: QuerySet[Any], states: type[TextChoices], always: Collection[str]) -> list[tuple[str, str]]:
    """The states to choose from with the number of rows in each; a state without rows only if it is among `always`."""
    counts = dict.fromkeys(states.values, 0) | dict(rows.order_by().values_list("state").annotate(n=Count("pk")))
    some = ((name, f"{name} {n}") for name, n in counts.items() if n or name in always)
    return [("", f"all {sum(counts.values())}"), *some]


def _answers_of(person: Participant) -> QuerySet[Judgment]:
    """The answers in their order, each with its flags and its follow-up for the template."""
    answers = person.judgments.select_related("slot__sheet").order_by("slot__position")
    doubts = doubts_of(person.trial, [person.pk]).get(person.pk, {}) if has_evidence(person.trial) else {}
    follow_ups = follow_ups_by([person.pk])
    for one in answers:
        own = [doubts[one.pk]] if one.pk in doubts else []
        one.flags = [*one.playback.get("flags", ()), *own]  # type: ignore[attr-defined]
        one.follow_up = follow_ups.get((person.pk, one.slot.position))  # type: ignore[attr-defined]
    return answers


@form_at_the_desk
def person(request: SignedInRequest, trial: Trial, code: str) -> HttpResponse:
    """One participant by random code, with a form to exclude their answers for a logged reason."""
    found = get_object_or_404(people_of(trial).select_related("sheet"), code=code)
    form = ExcludeForm(request.POST or None)
    may_exclude = found.state not in NOT_EXCLUDED
    if request.method == "POST" and may_exclude and form.is_valid():
        exclude(participant=found, why=form.cleaned_data["why"], by=request.user)
        messages.success(request, f"{found.code} is excluded. The sheet is wanted again.")
        return redirect("trial-person", trial.slug, found.code)
    facts = {
        "has_follow_ups": has_follow_ups(trial.settings),
        "person": found,
        "answers": _answers_of(found),
        "flags": flags_of(trial, [found.pk]).get(found.pk, []),
        "form": form,
        "may_exclude": may_exclude,
        "missing": missing(found),
        "other_trials": other_trials(found),
        "attention": attention_of(found, request.user),
        "parts": kind_of(trial).parts,
        **kind_of(trial).desk_facts(found),
    }
    return desk(request, "person", trial, "people", **facts)


@at_the_desk
def sheets(request: SignedInRequest, trial: Trial) -> HttpResponse:
    """All sheets with state, holder and epoch."""
    state = request.GET.get("state", "")
    found = trial.sheets.select_related("holder").annotate(happened=Count("events"), is_expired=expired(Sheet))
    found = found.order_by("order")
    filtered = found.filter(state=state) if state in SheetState.values else found
    page = page_of(request, filtered, PAGE, or_nearest=True)
    states = _states(trial.sheets.all(), SheetState, SheetState.values)
    return desk(request, "sheets", trial, "sheets", page=page, state=state, states=states)


@at_the_desk
def sheet(request: SignedInRequest, trial: Trial, order: int) -> HttpResponse:
    """The history of one sheet."""
    found = get_object_or_404(trial.sheets.select_related("holder").annotate(is_expired=expired(Sheet)), order=order)
    facts = {"sheet": found, "moments": moments(found), "holdings": holdings(found)}
    facts["missing"] = missing(found.holder)
    return desk(request, "sheet", trial, "sheets", **facts)
