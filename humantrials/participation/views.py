"""Participants' pages, without cookies or sessions: the token in the path gives access to everything below it.

They are exempt from CSRF checks for that reason: a forged request would need the token, which only the participant has.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from csp.constants import SELF
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import get_language, override
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from humantrials.annotation.task_answers import is_staged
from humantrials.assignment.answers import answers_in
from humantrials.assignment.claims import EARLY_STEPS, NOT_YET, record_judgment, renew
from humantrials.assignment.exits import participant_of_receipt
from humantrials.assignment.leases import note
from humantrials.assignment.prepared_queries import WORD, PreparedQuery
from humantrials.assignment.repair import mark_for_repair, settle
from humantrials.errors import BadAnswer, WrongState
from humantrials.identities import is_qualified, known_participant
from humantrials.models import Participant, ParticipantState, Trial, TrialState
from humantrials.panels import NotLetIn, find_panel, read_arrival
from humantrials.participation.annotation.returned_answers import returned_answers
from humantrials.participation.annotation.work_so_far import work_so_far
from humantrials.participation.entry import SIMULATOR_HEADER, arrive, is_simulator, pilot, preview
from humantrials.participation.equipment import unmet
from humantrials.participation.follow_ups import take_follow_up
from humantrials.participation.pilots import is_pilot_key, record_pilot_answer
from humantrials.participation.progress import PREVIEWED, is_apart, is_pilot, is_preview
from humantrials.participation.questionnaire import record_questionnaire
from humantrials.participation.return_link import setup_of
from humantrials.participation.steps import ParticipantPage, note_practised, page_for, stop_page, take_leave, take_step
from humantrials.participation.stop_messages import (
    AT_THE_DOOR,
    BY_TRIAL,
    NOT_A_PILOT,
    NOT_EQUIPPED,
    NOT_OUR_SIMULATOR,
    NOT_THE_STAFF,
    OVER,
    UNKNOWN,
)
from humantrials.participation.traces import note_traces, traces_of
from humantrials.participation.turns import in_turn
from humantrials.protocols import find_protocol
from humantrials.studies.attention_checks import attention_count, find_question, record_attention
from humantrials.studies.follow_ups import has_follow_ups
from humantrials.studies.permissions import is_there_for, may_manage

LANGUAGES = dict(settings.LANGUAGES)
# Caches must not store a participant's pages, nor share media between participants.
PRIVATE = "private, no-store"
View = Callable[..., HttpResponseBase]
BY_TOKEN = PreparedQuery(lambda: Participant.objects.filter(token=WORD).select_related("trial"), WORD)


def show(request: HttpRequest, page: ParticipantPage, status: int = 200, **context: object) -> HttpResponse:
    shared = {"languages": settings.LANGUAGES, **page.context, **context}
    response = render(request, page.template, shared, status=status)
    response["Cache-Control"] = PRIVATE
    response["X-Robots-Tag"] = "noindex"
    return response


def page_context(person: Participant) -> dict[str, Any]:
    """Context of every page of a participant: the person, the trial, and for annotators pay and progress."""
    facts: dict[str, Any] = {"person": person, "trial": person.trial}
    facts |= {"is_preview": is_preview(person), "is_pilot": is_pilot(person)}
    if is_staged(person.trial):
        facts |= {"so_far": work_so_far(person), "returned": returned_answers(person)}
    return facts


def let_frame(response: HttpResponseBase, trial: Trial) -> HttpResponseBase:
    """Allow only the hosts that the trial's panel names to frame this page."""
    panel, setup = find_panel(trial.panel), setup_of(trial)
    framers, targets = panel.frame_hosts(setup), panel.form_hosts(setup)
    if framers or targets:
        policy = {"frame-ancestors": [SELF, *framers], "form-action": [SELF, *targets]}
        response._csp_replace = policy  # type: ignore[attr-defined]  # what csp's own decorator sets
        response.xframe_options_exempt = True  # type: ignore[attr-defined]
    return response


def _whose(token: str) -> Participant | None:
    """The participant of the token, with their trial."""
    return next(iter(BY_TOKEN.models(token)), None)


def with_participant(view: View) -> View:
    """Pass the participant of the token to the view, in the participant's language."""

    @csrf_exempt
    @wraps(view)
    def inner(request: HttpRequest, token: str, **arguments: object) -> HttpResponseBase:
        person = _whose(token)
        if person is None:
            return show(request, stop_page(UNKNOWN), status=404)
        if request.GET.get("lang") in LANGUAGES and request.GET["lang"] != person.language:
            person.language = request.GET["lang"]
            person.save(update_fields=["language"])
        with override(person.language):
            response = view(request, person, **arguments)
        response["Content-Language"] = person.language
        return let_frame(response, person.trial)

    return inner


@in_turn
@csrf_exempt
def entry(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Entry to a trial: redirects to the participant's pages, in the language of the URL or the browser."""
    trial = get_object_or_404(Trial, slug=slug)
    if not (is_there_for(request.user, trial) or is_pilot_key(trial, request.GET.get("pilot", ""))):
        raise Http404
    wishes = (request.GET.get("lang", ""), get_language() or "")
    language = next((wish for wish in wishes if wish in LANGUAGES), settings.LANGUAGE_CODE)
    with override(language):
        return let_frame(_at_the_door(request, trial, language), trial)


def _at_the_door(request: HttpRequest, trial: Trial, language: str) -> HttpResponse:
    if "preview" in request.GET:
        return _preview(request, trial, language)
    if "pilot" in request.GET:
        return _pilot(request, trial, language)
    try:
        return _admit(request, trial, language)
    except NotLetIn as refusal:
        status = {"looking": 200, "busy": 429, "later": 429}.get(refusal.reason, 403)
        return show(request, stop_page(AT_THE_DOOR[refusal.reason]), status=status, trial=trial)


def _admit(request: HttpRequest, trial: Trial, language: str) -> HttpResponse:
    """A link with an id leads on at once; without one a button starts, so that link checkers create no participants."""
    read = read_arrival if SIMULATOR_HEADER in request.headers else find_panel(trial.panel).read
    arrival, key = (read(request.GET, setup_of(trial), request.get_host()), request.headers.get(SIMULATOR_HEADER, ""))
    if key and not is_simulator(trial.slug, key):
        return show(request, stop_page(NOT_OUR_SIMULATOR), status=403)
    if trial.state != TrialState.OPEN and not (arrival.external_id and known_participant(trial, arrival)):
        return show(request, stop_page(BY_TRIAL[TrialState(trial.state)]), trial=trial)
    if find_protocol(trial.protocol).screening.qualified and not key and not is_qualified(trial, arrival):
        raise NotLetIn("unqualified")
    if not arrival.external_id and request.method != "POST":
        return show(request, _entry(trial, language))
    try:
        person = arrive(
            trial=trial, arrival=arrival, language=language, simulator=key, traces=traces_of(request, trial)
        )
    except WrongState as error:
        return show(request, stop_page(NOT_OUR_SIMULATOR), status=409, detail=str(error))
    return redirect("road", person.token)


def _entry(trial: Trial, language: str, **facts: object) -> ParticipantPage:
    is_watched = find_protocol(trial.protocol).player.is_watched
    return ParticipantPage(
        "humantrials/entry.html", {"trial": trial, "language": language, "is_watched": is_watched, **facts}
    )


def _preview(request: HttpRequest, trial: Trial, language: str) -> HttpResponse:
    if not (request.user.is_staff or may_manage(request.user, trial)):
        return show(request, stop_page(NOT_THE_STAFF), status=403)
    return redirect("road", preview(trial=trial, language=language).token)


def _pilot(request: HttpRequest, trial: Trial, language: str) -> HttpResponse:
    """Start a pilot on a button press: the link gets shared, and link checkers must create no pilots."""
    key = request.GET["pilot"]
    if not is_pilot_key(trial, key):
        return show(request, stop_page(NOT_A_PILOT), status=403)
    if trial.state in OVER:
        return show(request, stop_page(BY_TRIAL[TrialState(trial.state)]), trial=trial)
    if request.method != "POST":
        return show(request, _entry(trial, language, keep=urlencode({"pilot": key}), is_pilot=True))
    return redirect("road", pilot(trial=trial, language=language).token)


@in_turn
@with_participant
def current_step(request: HttpRequest, person: Participant) -> HttpResponse:
    """The participant's current step; a POST takes the step and redirects here."""
    if person.state == ParticipantState.ARRIVED and (lacks := unmet(person.trial, request)):
        return show(request, stop_page(NOT_EQUIPPED), lacks=lacks, **page_context(person))
    if request.method == "POST":
        if request.POST.get("step") == "practised":
            answered = answer_in(person, request)
            note_practised(person, answered)
            return redirect(f"{request.path}?{urlencode({'practised': answered[:20]})}")
        again = record_questionnaire(participant=person, posted=request.POST)
        if again:
            return show(request, again, status=400, **page_context(person))
        take_step(person, request.POST)
        return redirect("road", person.token)
    if person.state == ParticipantState.CONSENTED:
        note_traces(person, request)
    query = request.GET
    page = page_for(person, practised=query.get("practised", ""), again="again" in query, alone="alone" in query)
    now = page.context.get("done", person)  # a participant who has just finished counts as done
    return show(request, page, **page_context(now))


@with_participant
@require_safe
def leave(request: HttpRequest, person: Participant) -> HttpResponse:
    """The choice between stopping, deleting and continuing, with the receipt to do so later."""
    if person.state not in (ParticipantState.CONSENTED, ParticipantState.FINISHED):
        return redirect("road", person.token)
    facts = {"answers": answers_in(person.trial).of(person).count(), "is_done": person.has_finished}
    return show(request, ParticipantPage("humantrials/leave.html", facts), **page_context(person))


@csrf_exempt
def withdrawal(request: HttpRequest) -> HttpResponse:
    """Stop or erase by receipt code. No cookie is needed; the code gives access."""
    wishes = (request.GET.get("lang", ""), get_language() or "")
    language = next((wish for wish in wishes if wish in LANGUAGES), settings.LANGUAGE_CODE)
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
        "is_working": person.state == ParticipantState.CONSENTED,
        "is_gone": person.state == ParticipantState.WITHDRAWN,
        "is_stopped": person.state == ParticipantState.STOPPED,
    }


@in_turn
@with_participant
@require_POST
def answer(request: HttpRequest, person: Participant) -> HttpResponse:
    """Record an answer once. The script gets JSON; a plain form goes on to the next clip."""
    wants_json = "application/json" in request.headers.get("Accept", "")
    try:
        position = int(request.POST.get("position", ""))
        answered = _preview_step(person, position) if is_preview(person) else _recorded(request, person, position)
    except (ValueError, BadAnswer) as error:
        facts = {"error": str(error)}
        return JsonResponse(facts, status=409) if wants_json else redirect("road", person.token)
    return JsonResponse({"saved": position, "answer": answered}) if wants_json else _next_clip(person)


def _next_clip(person: Participant) -> HttpResponse:
    """Redirect the plain form to the next clip; a reload shows the same clip."""
    return redirect(f"{reverse('road', args=[person.token])}?alone")


def _recorded(request: HttpRequest, person: Participant, position: int) -> str:
    protocol, answered = find_protocol(person.trial.protocol), answer_in(person, request)
    records = protocol.player.trial_type.columns(request.POST)
    if person.step in EARLY_STEPS:
        raise BadAnswer(NOT_YET)
    if is_pilot(person):
        return record_pilot_answer(participant=person, position=position, answer=answered, records=records)
    if attention_count(person.trial):
        beyond = record_attention(participant=person, position=position, answer=answered, records=records)
        if beyond is not None:
            return beyond
    judgment = record_judgment(participant=person, position=position, answer=answered, records=records)
    settle(participant=judgment.participant, may_linger=has_follow_ups(person.trial.settings))
    return judgment.answer


@in_turn
@with_participant
@require_POST
def follow_up(request: HttpRequest, person: Participant) -> HttpResponse:
    """Record the follow-up answers once; the answer itself is stored already. The script gets JSON."""
    wants_json = "application/json" in request.headers.get("Accept", "")
    try:
        position = int(request.POST.get("position", ""))
        take_follow_up(person, position, request.POST)
    except (ValueError, BadAnswer) as error:
        return JsonResponse({"error": str(error)}, status=409) if wants_json else _next_clip(person)
    return JsonResponse({"saved": position}) if wants_json else _next_clip(person)


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
    if person.repair_at is None or person.state != ParticipantState.CONSENTED:
        return HttpResponse(status=204, headers={"Cache-Control": PRIVATE})
    page = replace(page_for(person), template="humantrials/parts/repair.html")
    return show(request, page, person=person)


@in_turn
@with_participant
@require_POST
def heartbeat(request: HttpRequest, person: Participant) -> JsonResponse:
    """Heartbeat of an open page."""
    return JsonResponse({"kept": is_apart(person) or renew(participant=person)})


@with_participant
@require_POST
def problem(request: HttpRequest, person: Participant) -> HttpResponse:
    """Report a problem with a clip; the participant can continue."""
    report_problem(participant=person, position=request.POST.get("position", ""))
    return redirect("road", person.token)


def report_problem(*, participant: Participant, position: str) -> None:
    """Add an event to the sheet, once for each clip and holder."""
    sheet, kind = participant.sheet, f"problem at {position}"
    if sheet is None or is_apart(participant) or participant.state != ParticipantState.CONSENTED:
        return
    is_theirs = position.isdecimal() and len(position) < 6 and sheet.slots.filter(position=int(position)).exists()
    if is_theirs and not sheet.events.filter(epoch=participant.epoch, kind=kind).exists():
        note(sheet, participant.epoch, kind)
