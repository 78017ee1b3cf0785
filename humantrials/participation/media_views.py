"""Clips, pictures and sounds for participants, at addresses that reveal nothing about the item."""

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.templatetags.static import static
from django.views.decorators.http import require_safe

from benchmarks.models import Item, Rendition, RenditionKind
from benchmarks.packs.twins import twin_of
from benchmarks.storage.access import muted
from benchmarks.storage.ranged_responses import OutsideFile, requested_range, serve_stored
from benchmarks.storage.renditions import NoRendition
from benchmarks.storage.store import clip_name
from humantrials.assignment.prepared_queries import ONE, SMALL, WORD, PreparedQuery
from humantrials.assignment.viewing_evidence import SILENT, note_fetch
from humantrials.judging.attention_checks import question_at
from humantrials.models import Participant
from humantrials.participation.questions import still_of
from humantrials.participation.screening import SIDES, SOUND, digits_for, spoken
from humantrials.participation.views import PRIVATE, with_participant
from humantrials.protocols import find_protocol

OF_ITEM = PreparedQuery(
    lambda: Rendition.objects.filter(kind=WORD, clip__uses__item=ONE, clip__uses__position=SMALL).order_by("pk")[:1],
    *(WORD, ONE, SMALL),
)


@with_participant
@require_safe
def clip(request: HttpRequest, person: Participant, position: int, place: int = 0) -> HttpResponseBase:
    """The clip at this position of the person's sheet; `place` chooses one of two clips."""
    question = question_at(person, position)
    if question is None:
        return nothing()
    rendition = _rendition_of(*clip_at(person, question.item_id, place), question.condition)
    response = send_file(request, person, rendition, "video/mp4")
    if rendition and request.method == "GET" and response.status_code < 400:
        note_fetch(person, question.item_id, place, requested_share(request, rendition.size))
    return response


def requested_share(request: HttpRequest, size: int) -> float:
    """The share of a file of this size that the request asks for: 1 without a range."""
    try:
        part = requested_range(request, size, request.headers.get("If-Range", ""))
    except OutsideFile:
        return 0.0
    return (part[1] - part[0] + 1) / size if part else 1.0


@with_participant
@require_safe
def frame(request: HttpRequest, person: Participant, position: int, place: int) -> HttpResponseBase:
    """The middle frame of the clip, on which the page draws the box."""
    question = question_at(person, position)
    return _picture(request, person, question.item_id, place) if question else nothing()


@with_participant
@require_safe
def picture(request: HttpRequest, person: Participant, position: int, place: int) -> HttpResponseBase:
    """The question's still picture, uncropped."""
    question = question_at(person, position)
    if question is None:
        return nothing()
    response = _fetched_picture(request, person, question.item_id, place)
    if request.method == "GET" and response.status_code < 400:
        note_fetch(person, question.item_id, place)
    return response


@with_participant
@require_safe
def sound(request: HttpRequest, person: Participant, side: str) -> HttpResponseBase:
    """The spoken digits of one side, during the sound check only."""
    if not person.is_under_way or person.step != SOUND or side not in SIDES:
        return nothing()
    file = spoken(digits_for(person, side), side, person.language)
    return HttpResponse(file, content_type="audio/wav", headers={"Cache-Control": PRIVATE})


@with_participant
@require_safe
def practice_clip(request: HttpRequest, person: Participant, place: int = 0) -> HttpResponseBase:
    protocol = find_protocol(person.trial.protocol)
    if person.trial.has_own_practice and (own := protocol.screening.own_practice):
        return redirect(static(own.path)) if person.is_under_way and place == 0 else nothing()
    rendition = _rendition_of(*clip_at(person, person.trial.practice_id, place), protocol.design.condition)
    return send_file(request, person, rendition, "video/mp4")


@with_participant
@require_safe
def practice_frame(request: HttpRequest, person: Participant, place: int) -> HttpResponseBase:
    return _picture(request, person, person.trial.practice_id, place)


@with_participant
@require_safe
def practice_picture(request: HttpRequest, person: Participant, place: int) -> HttpResponseBase:
    practice = person.trial.practice_id
    return _fetched_picture(request, person, practice, place) if practice else nothing()


def _fetched_picture(request: HttpRequest, person: Participant, item: int, place: int) -> HttpResponseBase:
    """A still of the item's clip where the protocol shows stills, else its picture."""
    if find_protocol(person.trial.protocol).player.shows_frames:
        return _still(person, item, place)
    return send_file(request, person, _rendition(item, place, RenditionKind.PICTURE), "image/png")


def clip_at(person: Participant, item: int | None, place: int) -> tuple[int | None, int]:
    """The item that owns this clip, and the clip's place there: the second clip of twins belongs to the twin."""
    if item is None or not (place == 1 and find_protocol(person.trial.protocol).player.has_twin):
        return item, place
    twin = twin_of(Item.objects.select_related("pack").get(pk=item))
    return (twin.pk if twin else None), 0


def _still(person: Participant, item: int, place: int) -> HttpResponse:
    found = still_of(person.trial, Item.objects.get(pk=item), place) if person.is_under_way else None
    return HttpResponse(found, content_type="image/png", headers={"Cache-Control": PRIVATE}) if found else nothing()


def _rendition_of(item: int | None, place: int, condition: str) -> Rendition | None:
    """The file of this condition; without sound, the one that has no audio track."""
    found = _rendition(item, place, RenditionKind.ORIGINAL)
    if found is None or condition != SILENT:
        return found
    try:
        return muted(found.clip)
    except NoRendition:
        return None  # the page says so and offers to try again


def _picture(request: HttpRequest, person: Participant, item: int | None, place: int) -> HttpResponseBase:
    return send_file(request, person, _rendition(item, place, RenditionKind.POSTER), "image/jpeg")


def _rendition(item: int | None, place: int, kind: str) -> Rendition | None:
    return next(iter(OF_ITEM.models(kind, item, place)), None) if item else None


def send_file(request: HttpRequest, person: Participant, rendition: Rendition | None, kind: str) -> HttpResponseBase:
    return send_stored(request, rendition, kind) if person.is_under_way else nothing()


def send_stored(request: HttpRequest, rendition: Rendition | None, kind: str) -> HttpResponseBase:
    """Send the file, if there is one, without checks: the caller has checked that the person may see it."""
    response = serve_stored(request, clip_name(rendition.name), kind, cache=PRIVATE) if rendition else None
    if response is None:
        return nothing()
    del response["ETag"]  # equal for everybody with this file, so two people could compare it
    return response


def nothing() -> HttpResponse:
    return HttpResponse(status=404, headers={"Cache-Control": PRIVATE})
