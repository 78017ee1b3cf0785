"""The door of a study: /t/NAME/ shows the consent, and stores nothing before somebody presses a button.

Scanners of mail and messages open every link; to them the study has to look the same as before they came. Who comes is
decided in identities.py.
"""

import secrets
from dataclasses import dataclass, replace

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import override
from django.views.decorators.csrf import csrf_exempt

from accounts.callers import enter
from humantrials.assignment.claims import claim_sheet, next_sheet
from humantrials.assignment.prepared_queries import WORD, PreparedInsert, PreparedQuery
from humantrials.errors import WrongState
from humantrials.identities import (
    SIMULATOR_HEADER,
    TOKEN,
    Arrival,
    AtTheDoor,
    NotLetIn,
    canonical,
    forget,
    is_qualified,
    note_unfilled_link,
    refresh_visit,
    remember,
    who_comes,
)
from humantrials.kinds import ParticipantPage, kind_of
from humantrials.models import OVER, Participant, ParticipantKind, ParticipantState, Sheet, Trial, TrialState
from humantrials.models.participants import public_code, token
from humantrials.panels.panel import FULL
from humantrials.participation.equipment import address_trace, is_crowded, note_traces, traces_of, unmet
from humantrials.participation.pilots import is_pilot_key, sheet_to_try
from humantrials.participation.steps import agree, consent_page, stop_page
from humantrials.participation.stop_messages import (
    BY_TRIAL,
    NOT_EQUIPPED,
    NOT_OUR_SIMULATOR,
    stop_at_the_door,
    stop_without_sheet,
    way_out,
)
from humantrials.participation.views import in_turn, let_frame, show, wished_language
from humantrials.permissions import is_there_for, may_manage
from humantrials.planning.authored_texts import consent_of
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Consent
from humantrials.protocols.settings import gates_of
from humantrials.running.lifecycle import mark_simulated

# Per trial, and more than any panel sends. Never per IP address: a class or a panel may share one.
NEWCOMERS_A_MINUTE = 1200
BY_SLUG = PreparedQuery(lambda: Trial.objects.filter(slug=WORD), WORD)
INSERT = PreparedInsert(Participant)


def newcomer(trial: Trial, kind: str, language: str, wished: str = "") -> Participant:
    """Somebody who is not stored; the token `wished` comes from the page of the consent, so that a second press of its
    button leads to the same person.
    """
    return Participant(
        trial=trial,
        kind=kind,
        token=wished if TOKEN.fullmatch(wished) else token(),
        code=public_code(),
        language=language,
        answers_swapped=bool(secrets.randbits(1)),
    )


def begin(*, person: Participant, arrival: Arrival, consent: Consent) -> None:
    """Store a newcomer who agreed, with a sheet; raises NotLetIn, and stores nothing, if there is no place."""
    _count(person)
    with transaction.atomic():
        agree(person, consent)
        _store(person, arrival)
        if not person.is_apart and claim_sheet(participant=person) is None:
            raise NotLetIn("full")


@transaction.atomic
def say_no(*, person: Participant, arrival: Arrival) -> None:
    """Store that a newcomer declined, and nothing else of them."""
    _count(person)
    person.traces, person.state = None, ParticipantState.DECLINED
    _store(person, arrival)
    forget(participant=person)


def _store(person: Participant, arrival: Arrival) -> None:
    INSERT.store(person)
    if arrival.external_id:
        remember(participant=person, arrival=arrival)


def _count(person: Participant) -> None:
    """Raises NotLetIn above the site's limit a minute or the author's an hour."""
    trial = person.trial
    if person.kind == ParticipantKind.SIMULATED:
        mark_simulated(trial=trial)
    if person.kind != ParticipantKind.PERSON:
        return
    if not enter(f"newcomers:{trial.pk}", limit=NEWCOMERS_A_MINUTE, seconds=60).is_let_in:
        raise NotLetIn("busy")
    wanted = trial.settings.get("newcomers")
    if wanted and not enter(f"newcomers-hour:{trial.pk}", limit=wanted, seconds=3600).is_let_in:
        raise NotLetIn("later")


STATUS = {"looking": 200, "full": 200, "busy": 429, "later": 429, "begun": 409}  # else 403


@dataclass(frozen=True)
class Visit:
    """Somebody at the door, who is not stored."""

    person: Participant
    arrival: Arrival

    @property
    def trial(self) -> Trial:
        return self.person.trial

    @property
    def has_own_address(self) -> bool:
        """Whether the visitor may have begun before, and only something beside the panel's link can prove it."""
        return bool(self.arrival.panel) and not self.arrival.is_vouched

    @property
    def name(self) -> str:
        """The name under which a browser keeps the key of the person's own address; '' without an id."""
        external_id = self.arrival.external_id if self.has_own_address else ""
        return external_id and f"{self.trial.slug} {canonical(external_id)}"


@in_turn
@csrf_exempt
def entry(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Entry to a trial, in the language of the URL or the browser; no cookie is needed."""
    trial = next(iter(BY_SLUG.models(slug)), None)
    if trial is None or not (is_there_for(request.user, trial) or is_pilot_key(trial, request.GET.get("pilot", ""))):
        raise Http404
    language = wished_language(request)
    with override(language):
        person = newcomer(trial, ParticipantKind.PERSON, language, request.POST.get("token", ""))
        return let_frame(_at_the_door(request, Visit(person, Arrival(panel=""))), trial)


def _at_the_door(request: HttpRequest, visit: Visit) -> HttpResponse:
    try:
        if "preview" in request.GET or "pilot" in request.GET:
            visit.person.kind = _kind_of_trial(request, visit.trial)
            return _let_in(request, visit)
        comes = who_comes(visit.trial, _arrived(request))
        visit = replace(visit, arrival=comes.arrival)
        if comes.person:
            return _go_on(request, visit, comes.person)
        if comes.needs_code:
            raise NotLetIn("begun")
        visit.person.kind = comes.kind
        return _let_in(request, visit)
    except NotLetIn as refusal:
        status = STATUS.get(refusal.reason, 403)
        if refusal.reason == "full":
            way = way_out(visit.trial, FULL, "", visit.arrival.parameters)
            return _page(request, visit, stop_page(stop_without_sheet(visit.trial)), status, **way)
        facts = {"is_open": refusal.reason == "begun", "is_unfilled": refusal.reason == "placeholder"}
        if facts["is_unfilled"] and request.method == "POST":
            note_unfilled_link(trial=visit.trial)
        return _page(request, visit, stop_page(stop_at_the_door(refusal)), status, **facts)
    except WrongState as error:
        return _page(request, visit, stop_page(NOT_OUR_SIMULATOR), 409, detail=str(error))


def _kind_of_trial(request: HttpRequest, trial: Trial) -> str:
    """The kind of somebody who only tries the study out; raises NotLetIn without the right to."""
    if "preview" in request.GET:
        if not (request.user.is_staff or may_manage(request.user, trial)):
            raise NotLetIn("no author")
        return ParticipantKind.PREVIEW
    if not is_pilot_key(trial, request.GET["pilot"]):
        raise NotLetIn("no pilot")
    return ParticipantKind.PILOT


def _arrived(request: HttpRequest) -> AtTheDoor:
    is_consent = request.POST.get("step") == "consent"
    signature = request.headers.get(SIMULATOR_HEADER, "")
    return AtTheDoor(request.GET, request.get_host(), signature, _proof(request), is_consent)


def _go_on(request: HttpRequest, visit: Visit, person: Participant) -> HttpResponse:
    """To their own pages, for people who prove that they have begun, on a press."""
    if request.method != "POST":
        return _page(request, visit, ParticipantPage("humantrials/again.html"))
    refresh_visit(participant=person, arrival=visit.arrival)
    note_traces(person, request)
    return redirect("road", person.token)


def _proof(request: HttpRequest) -> str:
    return request.POST.get("code", "") or request.POST.get("token", "")


def _let_in(request: HttpRequest, visit: Visit) -> HttpResponse:
    """The consent; with the answer to it, to the person's own pages. Raises NotLetIn."""
    person, trial, posted = visit.person, visit.trial, request.POST
    if stop := _stop_of(request, visit):
        return _page(request, visit, stop)
    consent = consent_of(trial, person.language).consent
    has_read = posted.get("digest") == consent.digest(person.language)
    is_answer = posted.get("step") == "consent" and (has_read or posted.get("choice") == "no")
    person.sheet = _sheet_of(person) if person.is_apart or not is_answer else None
    if not is_answer:
        return _page(request, visit, consent_page(person))
    person.traces = traces_of(request, trial) if person.kind == ParticipantKind.PERSON else None
    if posted.get("choice") == "no":
        say_no(person=person, arrival=visit.arrival)
    else:
        begin(person=person, arrival=visit.arrival, consent=consent)
    return redirect("road", person.token)


def _stop_of(request: HttpRequest, visit: Visit) -> ParticipantPage | None:
    """The page of a study that takes nobody now, or not with this equipment; raises NotLetIn for people not wanted."""
    person, trial, state = visit.person, visit.trial, TrialState(visit.trial.state)
    if not person.is_preview and (state in OVER if person.is_pilot else state != TrialState.OPEN):
        return stop_page(BY_TRIAL[state])
    if person.kind == ParticipantKind.PERSON:
        if find_protocol(trial.protocol).screening.qualified and not is_qualified(trial, visit.arrival):
            raise NotLetIn("unqualified")
        if is_crowded(trial, address_trace(request, trial)):
            raise NotLetIn("crowded")
    lacks = list(unmet(gates_of(trial.settings), request))
    return replace(stop_page(NOT_EQUIPPED), context={"stop": NOT_EQUIPPED, "lacks": lacks}) if lacks else None


def _sheet_of(person: Participant) -> Sheet:
    """The sheet that a newcomer would get, or that a preview or pilot looks at; raises NotLetIn without one."""
    if person.is_preview:
        sheet = person.trial.sheets.first()
    else:
        sheet = sheet_to_try(person.trial) if person.is_pilot else next_sheet(person)
    if sheet is None:
        raise NotLetIn("full")
    return sheet


def _page(
    request: HttpRequest, visit: Visit, page: ParticipantPage, status: int = 200, **context: object
) -> HttpResponse:
    query = request.GET.copy()
    query.pop("lang", None)
    is_unknown = request.POST.get("step") == "return"
    facts: dict[str, object] = {
        "trial": visit.trial,
        "language": visit.person.language,
        "keep": query.urlencode(),
        "token": visit.person.token,
        "is_preview": visit.person.is_preview,
        "is_pilot": visit.person.is_pilot,
        "visit": visit,
        "is_unknown": is_unknown,
        "refused": _proof(request),
        "contact": visit.trial.settings.get("contact", ""),
    }
    facts |= {"parts": kind_of(visit.trial).parts, **kind_of(visit.trial).door_facts(visit.trial)}
    return show(request, page, 404 if is_unknown else status, **facts, **context)
