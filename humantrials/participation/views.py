"""Participants' pages, without cookies or sessions: the token in the path gives access to everything below it.

They are exempt from CSRF checks for that reason: a forged request would need the token, which only the participant has.
"""

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from csp.constants import SELF
from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language, override
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from humantrials.assignment.claims import EARLY_STEPS, NOT_YET, record_judgment, renew
from humantrials.assignment.exits import mark_for_repair
from humantrials.assignment.sheets import answers_in, note
from humantrials.errors import BadAnswer, BadForm
from humantrials.identities import participant_of, participant_of_receipt, setup_of
from humantrials.judging.attention_checks import attention_count, find_question, position_at, record_attention
from humantrials.kinds import kind_of
from humantrials.models import Participant, ParticipantState, SheetEventKind, Trial
from humantrials.panels import PANELS
from humantrials.participation.between_clips import take_follow_up
from humantrials.participation.equipment import note_traces
from humantrials.participation.pilots import record_pilot_answer
from humantrials.participation.progress import PREVIEWED, is_too_soon
from humantrials.participation.questionnaire import record_questionnaire
from humantrials.participation.steps import ParticipantPage, note_practised, page_for, stop_page, take_leave, take_step
from humantrials.participation.stop_messages import UNKNOWN
from humantrials.protocols import find_protocol
from humantrials.protocols.trial_types import LONGEST_TEXT

PATIENCE = 0.5  # seconds; who waited so long goes on, so that a page that is stuck holds up nobody for longer
TURN = threading.Lock()


def in_turn(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Wait for the other pages of this process, on SQLite; for views that compute and send no file.

    How writers of several processes wait for one another is decided in `benchsite.sqlite`. Within a process, threads
    that wait here are woken at once, and none takes the interpreter from the one that writes: 973 instead of 930
    people a minute with script (means of six rounds each, in turns).
    """

    @wraps(view)
    def inner(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        has_turn = connection.vendor == "sqlite" and TURN.acquire(timeout=PATIENCE)
        try:
            return view(request, *args, **kwargs)
        finally:
            if has_turn:
                TURN.release()

    return inner


LANGUAGES = dict(settings.LANGUAGES)
# Caches must not store a participant's pages, nor share media between participants.
PRIVATE = "private, no-store"
View = Callable[..., HttpResponseBase]


def show(request: HttpRequest, page: ParticipantPage, status: int = 200, **context: object) -> HttpResponse:
    shared = {"languages": settings.LANGUAGES, **page.context, **context}
    response = render(request, page.template, shared, status=status)
    response["Cache-Control"] = PRIVATE
    response["X-Robots-Tag"] = "noindex"
    return response


def page_context(person: Participant) -> dict[str, Any]:
    """Context of every page of a participant: the person, the trial, and what its kind of study adds."""
    facts: dict[str, Any] = {"person": person, "trial": person.trial}
    facts |= {"is_preview": person.is_preview, "is_pilot": person.is_pilot}
    kind = kind_of(person.trial)
    return facts | {"parts": kind.parts, **kind.person_facts(person)}


def let_frame(response: HttpResponseBase, trial: Trial) -> HttpResponseBase:
    """Allow only the hosts that the trial's panel names to frame this page."""
    panel, setup = PANELS[trial.panel], setup_of(trial)
    framers, targets = panel.frame_hosts(setup), panel.form_hosts(setup)
    if framers or targets:
        policy = {"frame-ancestors": [SELF, *framers], "form-action": [SELF, *targets]}
        response._csp_replace = policy  # type: ignore[attr-defined]  # what csp's own decorator sets
        response.xframe_options_exempt = True  # type: ignore[attr-defined]
    return response


def with_participant(view: View) -> View:
    """Pass the participant of the token to the view, in the participant's language."""

    @csrf_exempt
    @wraps(view)
    def inner(request: HttpRequest, token: str, **arguments: object) -> HttpResponseBase:
        person = participant_of(token)
        if person is None:
            return show(request, stop_page(UNKNOWN), status=404)
        if request.method == "POST":  # whoever only looks, such as a scanner of links, is not the person
            note_traces(person, request)
        with override(person.language):
            response = view(request, person, **arguments)
        response["Content-Language"] = person.language
        return let_frame(response, person.trial)

    return inner


@in_turn
@with_participant
def current_step(request: HttpRequest, person: Participant) -> HttpResponse:
    """The participant's current step; a POST takes the step and redirects here."""
    if request.method == "POST":
        if request.POST.get("step") == "practised":
            return _practised(request, person)
        again = record_questionnaire(participant=person, posted=request.POST)
        if again:
            return show(request, again, status=400, **page_context(person))
        take_step(person, request.POST)
        return redirect("road", person.token)
    query = request.GET
    page = page_for(person, practised=query.get("practised", ""), again="again" in query, alone="alone" in query)
    now = page.context.get("done", person)  # a participant who has just finished counts as done
    return show(request, page, **page_context(now))


def _practised(request: HttpRequest, person: Participant) -> HttpResponse:
    try:
        answered = answer_in(person, request)
    except BadForm as error:
        return _ask_again(request, person, error)
    note_practised(person, answered)
    return redirect(f"{request.path}?{urlencode({'practised': answered[:20]})}")


def _ask_again(request: HttpRequest, person: Participant, error: BadForm) -> HttpResponse:
    """The same question, with what was filled in and why it is no answer."""
    typed = request.POST.get(find_protocol(person.trial.protocol).player.trial_type.number, "")[:LONGEST_TEXT]
    facts = {"no_number": str(error), "typed_number": typed, "posted": request.POST, "problems": error.problems}
    return show(request, page_for(person, alone=True), status=400, **page_context(person), **facts)


@with_participant
@require_safe
def leave(request: HttpRequest, person: Participant) -> HttpResponse:
    """The choice between stopping, deleting and continuing, with the receipt to do so later."""
    if person.state not in (ParticipantState.CONSENTED, ParticipantState.FINISHED):
        return redirect("road", person.token)
    facts = {"answers": answers_in(person.trial).of(person).count(), "is_done": person.has_finished}
    return show(request, ParticipantPage("humantrials/leave.html", facts), **page_context(person))


def wished_language(request: HttpRequest) -> str:
    """The language of the URL, else of the browser, for somebody who is not known yet."""
    wishes = (request.GET.get("lang", ""), get_language() or "")
    return next((wish for wish in wishes if wish in LANGUAGES), settings.LANGUAGE_CODE)


@csrf_exempt
def withdrawal(request: HttpRequest) -> HttpResponse:
    """Stop or erase by receipt code. No cookie is needed; the code gives access."""
    language = wished_language(request)
    with override(language):
        facts: dict[str, object] = {"language": language}
        if request.method != "POST":
            return show(request, ParticipantPage("humantrials/withdraw.html", facts))
        person = participant_of_receipt(request.POST.get("code", ""))
        if person is None:
            return show(request, ParticipantPage("humantrials/withdraw.html", facts | {"is_unknown": True}), status=404)
        take_leave(person, request.POST.get("step", ""))
        return show(request, ParticipantPage("humantrials/withdraw.html", facts | _stored_for(person)))


def _stored_for(person: Participant) -> dict[str, object]:
    person.refresh_from_db()
    return {
        "found": person,
        "trial": person.trial,
        "answers": answers_in(person.trial).of(person).count(),
        "is_working": person.is_under_way,
        "is_gone": person.state == ParticipantState.WITHDRAWN,
        "is_stopped": person.state == ParticipantState.STOPPED,
    }


@in_turn
@with_participant
@require_POST
def answer(request: HttpRequest, person: Participant) -> HttpResponse:
    """Record an answer once. The script gets JSON; a plain form goes on to the next clip."""
    wants_json = "application/json" in request.headers.get("Accept", "")
    if _is_double_click(request, person):
        return _next_clip(person)
    try:
        number = int(request.POST.get("position", ""))
        position = position_at(person, number)
        answered = _preview_step(person, position) if person.is_preview else _recorded(request, person, position)
    except (ValueError, BadAnswer) as error:
        if wants_json:
            return JsonResponse({"error": str(error)}, status=409)
        return _ask_again(request, person, error) if isinstance(error, BadForm) else redirect("road", person.token)
    return JsonResponse({"saved": number, "answer": answered}) if wants_json else _next_clip(person)


def _next_clip(person: Participant) -> HttpResponse:
    """Redirect the plain form to the next clip; a reload shows the same clip."""
    return redirect(f"{reverse('road', args=[person.token])}?alone")


def _is_double_click(request: HttpRequest, person: Participant) -> bool:
    """Whether a form without script repeats the press before. A script waits by itself, and sends answers later."""
    has_script = "application/json" in request.headers.get("Accept", "") or request.POST.get("seconds")
    return not has_script and is_too_soon(person)


def _recorded(request: HttpRequest, person: Participant, position: int) -> str:
    protocol, answered = find_protocol(person.trial.protocol), answer_in(person, request)
    records = protocol.player.trial_type.columns(request.POST)
    if person.step in EARLY_STEPS:
        raise BadAnswer(NOT_YET)
    if person.is_pilot:
        return record_pilot_answer(participant=person, position=position, answer=answered, records=records)
    if attention_count(person.trial):
        beyond = record_attention(participant=person, position=position, answer=answered, records=records)
        if beyond is not None:
            return beyond
    return record_judgment(participant=person, position=position, answer=answered, records=records).answer


@in_turn
@with_participant
@require_POST
def follow_up(request: HttpRequest, person: Participant) -> HttpResponse:
    """Record the follow-up answers once; the answer itself is stored already. The script gets JSON."""
    wants_json = "application/json" in request.headers.get("Accept", "")
    if _is_double_click(request, person):
        return _next_clip(person)
    try:
        number = int(request.POST.get("position", ""))
        take_follow_up(person, position_at(person, number), request.POST)
    except (ValueError, BadAnswer) as error:
        return JsonResponse({"error": str(error)}, status=409) if wants_json else _next_clip(person)
    return JsonResponse({"saved": number}) if wants_json else _next_clip(person)


def answer_in(person: Participant, request: HttpRequest) -> str:
    return find_protocol(person.trial.protocol).player.trial_type.answer_in(request.POST)


def _preview_step(person: Participant, position: int) -> str:
    if find_question(person, position) is None:
        raise BadAnswer(f"clip {position} is not one of yours")
    person.step = f"{PREVIEWED}{position + 1}"
    person.save(update_fields=["step"])
    return ""


@with_participant
@require_POST
def code(request: HttpRequest, person: Participant) -> HttpResponse:
    """The code in spite of answers that do not get through, as a part of the page; 204 if no answer is missing."""
    person = mark_for_repair(participant=person)
    if person.repair_at is None or not person.is_under_way:
        return HttpResponse(status=204, headers={"Cache-Control": PRIVATE})
    page = replace(page_for(person), template="humantrials/parts/repair.html")
    return show(request, page, person=person)


@in_turn
@with_participant
@require_POST
def heartbeat(request: HttpRequest, person: Participant) -> JsonResponse:
    """Heartbeat of an open page."""
    return JsonResponse({"kept": person.is_apart or renew(participant=person)})


@with_participant
@require_POST
def problem(request: HttpRequest, person: Participant) -> HttpResponse:
    """Report a problem with a clip; the participant can continue."""
    report_problem(participant=person, position=request.POST.get("position", ""))
    return redirect("road", person.token)


def report_problem(*, participant: Participant, position: str) -> None:
    """Add an event to the sheet, once for each clip and holder."""
    sheet, problem = participant.sheet, SheetEventKind.PROBLEM
    if sheet is None or participant.is_apart or not participant.is_under_way:
        return
    at = position_at(participant, int(position)) if position.isdecimal() and len(position) < 6 else -1
    is_theirs = at >= 0 and sheet.slots.filter(position=at).exists()
    if is_theirs and not sheet.events.filter(epoch=participant.epoch, kind=problem.format(at)).exists():
        note(sheet, participant.epoch, problem, at)
