"""What participants see and hear, each at an address of their own that tells nothing of the item."""

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from benchmarks.media import muted, serve_stored
from benchmarks.media_store import clip_name
from benchmarks.models import Rendition, RenditionKind
from benchmarks.renditions import NoRendition
from humantrials.attention import find_asked
from humantrials.models import Participant, ParticipantState
from humantrials.protocols import find_protocol
from humantrials.road_views import PRIVATE, on_the_road
from humantrials.screening import SOUND
from humantrials.sound import SIDES, digits_for, spoken

SILENT = "no-audio"


@on_the_road
@require_safe
def clip(request: HttpRequest, person: Participant, position: int, place: int = 0) -> HttpResponseBase:
    """The clip at this position of the person's sheet; of two clips the one at this place."""
    asked = find_asked(person, position)
    return _video(request, person, asked.item_id, place, asked.condition) if asked else nothing()


@on_the_road
@require_safe
def frame(request: HttpRequest, person: Participant, position: int, place: int) -> HttpResponseBase:
    """The middle frame of the clip, on which the page draws the box."""
    asked = find_asked(person, position)
    return _picture(request, person, asked.item_id, place) if asked else nothing()


@on_the_road
@require_safe
def picture(request: HttpRequest, person: Participant, position: int, place: int) -> HttpResponseBase:
    """A still picture of the question at this position, whole."""
    asked = find_asked(person, position)
    found = _rendition(asked.item_id, place, RenditionKind.PICTURE) if asked else None
    return send_file(request, person, found, "image/png") if found else nothing()


@on_the_road
@require_safe
def sound(request: HttpRequest, person: Participant, side: str) -> HttpResponseBase:
    """The digits of one side, while they are asked for."""
    if person.state != ParticipantState.CONSENTED or person.step != SOUND or side not in SIDES:
        return HttpResponse(status=404, headers={"Cache-Control": PRIVATE})
    file = spoken(digits_for(person, side), side, person.language)
    return HttpResponse(file, content_type="audio/wav", headers={"Cache-Control": PRIVATE})


@on_the_road
@require_safe
def practice_clip(request: HttpRequest, person: Participant, place: int = 0) -> HttpResponseBase:
    return _video(request, person, person.trial.practice_id, place, find_protocol(person.trial.protocol).condition)


@on_the_road
@require_safe
def practice_frame(request: HttpRequest, person: Participant, place: int) -> HttpResponseBase:
    return _picture(request, person, person.trial.practice_id, place)


def _video(request: HttpRequest, person: Participant, item: int | None, place: int, condition: str) -> HttpResponseBase:
    """The file of this condition: without sound it is one that has no sound in it."""
    found = _rendition(item, place, RenditionKind.ORIGINAL)
    if found is None:
        return nothing()
    try:
        shown = muted(found.clip) if condition == SILENT else found
    except NoRendition:
        return nothing()  # the page says so and offers to try again
    return send_file(request, person, shown, "video/mp4")


def _picture(request: HttpRequest, person: Participant, item: int | None, place: int) -> HttpResponseBase:
    found = _rendition(item, place, RenditionKind.POSTER)
    return send_file(request, person, found, "image/jpeg") if found else nothing()


def _rendition(item: int | None, place: int, kind: str) -> Rendition | None:
    return Rendition.objects.filter(kind=kind, clip__uses__item=item, clip__uses__position=place).first()


def send_file(request: HttpRequest, person: Participant, rendition: Rendition, kind: str) -> HttpResponseBase:
    if person.state != ParticipantState.CONSENTED:
        return nothing()
    response = serve_stored(request, clip_name(rendition.name), kind, cache=PRIVATE)
    if response is None:
        return nothing()
    del response["ETag"]  # the same for everybody who gets this file: two people could compare
    return response


def nothing() -> HttpResponse:
    return HttpResponse(status=404, headers={"Cache-Control": PRIVATE})
