"""Views of annotators: tasks, rounds, their clips, and the way to another sheet."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from benchmarks.models import RenditionKind
from extensions.annotation.pages.qualification import send_round
from extensions.annotation.pages.returned_answers import returned_clip
from extensions.annotation.pages.submission import read_task, record_pilot_work, record_work, seconds_of
from extensions.annotation.pages.task_pages import clip_at, next_task, work_page
from extensions.annotation.work.form_parsing import BadWork, Filled, text_of
from extensions.annotation.work.sittings import go_on
from extensions.annotation.work.task_answers import is_annotation
from humantrials.errors import BadAnswer
from humantrials.models import Participant
from humantrials.participation.media_views import send_file, send_stored
from humantrials.participation.views import page_context, show, with_participant

ROUND_POSITION = "round"
TYPES: dict[str, str] = {RenditionKind.ORIGINAL: "video/mp4", RenditionKind.POSTER: "image/jpeg"}


@with_participant
@require_POST
def work(request: HttpRequest, person: Participant) -> HttpResponse:
    """Take a task, a part of one, or a round. Errors are shown beside what was typed."""
    sent = {name: list(map(str, values)) for name, values in request.POST.lists()}
    if not is_annotation(person.trial):
        return redirect("road", person.token)
    try:
        _take(person, sent)
    except BadWork as error:
        return _once_more(request, person, Filled(sent, error.errors))
    except (BadAnswer, ValueError):
        return redirect("road", person.token)
    return redirect(f"{reverse('road', args=[person.token])}#main")


def _take(person: Participant, sent: dict[str, Any]) -> None:
    position = text_of(sent, "position")
    if person.is_apart:
        _look(person, sent)
    elif position == ROUND_POSITION:
        send_round(participant=person, sent=sent)
    else:
        record_work(participant=person, position=int(position), sent=sent)


def _look(person: Participant, sent: dict[str, Any]) -> None:
    """Handle a preview or pilot: validate as usual, store only progress (and pilot answers separately)."""
    found = next_task(person)
    if found is None or str(found[0].position) != text_of(sent, "position"):
        return
    task, content = found
    read, is_complete = read_task(task, content, sent)
    if person.is_pilot:
        new = {name: part for name, part in read.items() if name not in content}
        record_pilot_work(participant=person, position=task.position, parts=new, seconds=seconds_of(sent))
    looked = dict(person.checks.get("looked", {}))
    looked[str(task.position)] = [*(name for name in read), *(["done"] if is_complete else [])]
    person.checks = {**person.checks, "looked": looked}
    person.save(update_fields=["checks"])


def _once_more(request: HttpRequest, person: Participant, form: Filled) -> HttpResponse:
    page = work_page(person, form)
    if page is None:
        return redirect("road", person.token)
    return show(request, page, status=400, **page_context(person))


@with_participant
@require_POST
def another(request: HttpRequest, person: Participant) -> HttpResponse:
    """Give another sheet to a participant who finished one; without a free sheet the page stays the same."""
    sitting = go_on(participant=person) if is_annotation(person.trial) and person.has_finished else None
    return redirect("road", (sitting or person).token)


@with_participant
@require_safe
def work_file(request: HttpRequest, person: Participant, position: int, place: int, kind: str) -> HttpResponseBase:
    """The clip of a task, once the page may show it, or its middle frame, on which the box is drawn."""
    clip = clip_at(person, position, place, is_frame=kind == RenditionKind.POSTER)
    rendition = clip.renditions.filter(kind=kind).first() if clip else None
    return send_file(request, person, rendition, TYPES[kind])


@with_participant
@require_safe
def returned_frame(request: HttpRequest, person: Participant, answer: int, place: int) -> HttpResponseBase:
    """The middle frame of one's own answer that was sent back, after the sheet is finished as well."""
    clip = returned_clip(person, answer, place)
    rendition = clip.renditions.filter(kind=RenditionKind.POSTER).first() if clip else None
    return send_stored(request, rendition, "image/jpeg")
