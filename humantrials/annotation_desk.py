"""Authors' pages of a trial of annotation: how it goes, the first pass over questions, the grading of rounds."""

from collections.abc import Mapping
from typing import Any, cast

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from benchmarks.media import serve_stored
from benchmarks.media_store import clip_name
from benchmarks.models import RenditionKind
from humantrials.annotation.dataset import dataset_of
from humantrials.annotation.first_pass import accept_question, refuse_question, statement_of
from humantrials.annotation.grading import by_pair, pictures_of
from humantrials.annotation.monitoring import spot_checks, stage_lines, tallies, workers
from humantrials.annotation.qualifying import grade_round, how_many
from humantrials.annotation.release import CannotExport, archive_of
from humantrials.annotation.vocabulary import GRADES
from humantrials.author_views import at_the_desk, desk
from humantrials.errors import BadAnswer
from humantrials.given import is_staged
from humantrials.models import (
    AnnotationObject,
    QualificationRound,
    QuestionState,
    RoundState,
    Trial,
    WrittenQuestion,
)

PAGE = 10
HERE = "annotation"


def _staged(trial: Trial) -> Trial:
    if not is_staged(trial):
        raise Http404
    return trial


@at_the_desk
@require_safe
def annotation(request: HttpRequest, trial: Trial) -> HttpResponse:
    """Stages, what is out and why, who works how well, and a few answers to look at by hand."""
    draw = request.GET.get("draw", "0")[:20]
    facts = {
        "stages": stage_lines(_staged(trial)),
        "tallies": tallies(trial),
        "workers": workers(trial),
        "spots": spot_checks(trial, draw),
        "next_draw": f"{int(draw) + 1 if draw.isascii() and draw.isdecimal() else 1}",
        "waiting": trial.questions_written.filter(state=QuestionState.WAITING).count(),
        "ungraded": trial.rounds.filter(state=RoundState.WAITING).count(),
    }
    return desk(request, "annotation/desk", trial, HERE, **facts)


@at_the_desk
@require_http_methods(["GET", "HEAD", "POST"])
def questions(request: HttpRequest, trial: Trial) -> HttpResponse:
    """The first pass: each question beside its pair, to be mended and taken, or refused with a reason."""
    _staged(trial)
    wrong: dict[int, str] = {}
    if request.method == "POST":
        question = get_object_or_404(trial.questions_written, number=_number(request.POST.get("number", "")))
        try:
            _decide(request, question)
        except BadAnswer as error:
            wrong[question.number] = str(error)
        else:
            return redirect(f"{request.path}?state={request.GET.get('state', '')[:10]}")
    state = request.GET.get("state", "") or QuestionState.WAITING
    clips = ("pair__first__clip", "pair__second__clip")
    found = trial.questions_written.filter(state=state).select_related(*clips)
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    rows = [_to_look_at(request, one, wrong.get(one.number, "")) for one in page.object_list]
    counts = [(name, trial.questions_written.filter(state=name).count()) for name in QuestionState.values]
    response = desk(request, "annotation/first_pass", trial, HERE, page=page, rows=rows, state=state, counts=counts)
    response.status_code = 400 if wrong else 200
    return response


@at_the_desk
@require_safe
def data_set(request: HttpRequest, trial: Trial) -> HttpResponse:
    """What has come of it so far, in PACS' files without the clips."""
    try:
        content = archive_of(dataset_of(_staged(trial)))
    except CannotExport as error:
        messages.error(request, str(error))
        return redirect("annotation", trial.slug)
    name = f"{trial.slug}-simulated.zip" if trial.is_simulated else f"{trial.slug}.zip"
    return HttpResponse(
        content,
        content_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "private, no-store"},
    )


def _to_look_at(request: HttpRequest, one: WrittenQuestion, wrong: str) -> dict[str, object]:
    """A question with the draft of its statement; what was refused just now is as it was sent."""
    draft = one.statement or statement_of(one.text)
    sent = request.POST if wrong else {}
    typed = {"text": sent.get("text", one.text), "draft": sent.get("statement", draft)}
    return {"one": one, "wrong": wrong, "pictures": pictures_of(one.pair), **typed}


def _decide(request: HttpRequest, question: WrittenQuestion) -> None:
    by = cast(User, request.user)
    if request.POST.get("choice") == "bad":
        refuse_question(question=question, reason=request.POST.get("reason", ""), by=by)
        messages.success(request, f"Question {question.number} is out.")
    else:
        text, statement = request.POST.get("text", ""), request.POST.get("statement", "")
        accept_question(question=question, text=text, statement=statement, by=by)
        messages.success(request, f"Question {question.number} is in the bank.")


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else -1


@at_the_desk
@require_http_methods(["GET", "HEAD", "POST"])
def rounds(request: HttpRequest, trial: Trial) -> HttpResponse:
    """What people sent to be let in, waiting for grades from 1 to 4 and a word of feedback."""
    _staged(trial)
    wrong: dict[int, str] = {}
    if request.method == "POST":
        one = get_object_or_404(trial.rounds, pk=_number(request.POST.get("round", "")))
        try:
            grades = [_number(request.POST.get(f"grade-{place}", "")) for place in range(how_many(one))]
            grade_round(one=one, grades=grades, feedback=request.POST.get("feedback", "")[:2000], by=_user(request))
        except BadAnswer as error:
            wrong[one.pk] = str(error)
        else:
            messages.success(request, "The round is graded.")
            return redirect(request.path)
    found = trial.rounds.filter(state=RoundState.WAITING).select_related("participant")
    page = Paginator(found, PAGE).get_page(request.GET.get("page"))
    rows = [_waiting(one, wrong, request.POST) for one in page.object_list]
    graded = trial.rounds.exclude(state=RoundState.WAITING).select_related("participant", "by").order_by("-graded_at")
    facts = {"page": page, "rows": rows, "graded": graded[:50], "grades": GRADES}
    response = desk(request, "annotation/rounds", trial, HERE, **facts)
    response.status_code = 400 if wrong else 200
    return response


def _waiting(one: QualificationRound, wrong: Mapping[int, str], sent: Mapping[str, str]) -> dict[str, Any]:
    """A round to be graded; one whose grades were refused keeps what was chosen and typed."""
    typed = sent if one.pk in wrong else {}
    chosen = {place: _number(typed.get(f"grade-{place}", "")) for place in range(how_many(one))}
    facts = {"wrong": wrong.get(one.pk, ""), "feedback": typed.get("feedback", "")}
    return {"one": one, "sent": by_pair(one, chosen), **facts}


def _user(request: HttpRequest) -> User:
    return cast(User, request.user)


@at_the_desk
@require_safe
def object_frame(request: HttpRequest, trial: Trial, number: int) -> HttpResponseBase:
    """The middle frame of a clip, for the desk: also of clips that no public page may show."""
    return _file_of(request, trial, number, RenditionKind.POSTER, "image/jpeg")


@at_the_desk
@require_safe
def object_clip(request: HttpRequest, trial: Trial, number: int) -> HttpResponseBase:
    """The clip with its sound, likewise."""
    return _file_of(request, trial, number, RenditionKind.ORIGINAL, "video/mp4")


def _file_of(request: HttpRequest, trial: Trial, number: int, kind: str, content_type: str) -> HttpResponseBase:
    found = get_object_or_404(AnnotationObject, trial=trial, number=number)
    stored = found.clip.renditions.filter(kind=kind).first()
    name = clip_name(stored.name) if stored else ""
    response = serve_stored(request, name, content_type, cache="private, no-store") if name else None
    if response is None:
        raise Http404
    return response
