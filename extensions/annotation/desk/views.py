"""Authors' pages of an annotation trial: progress, review of questions, grading of rounds, review of boxes."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect

from accounts.typing import SignedInRequest
from benchmarks.gallery.query import page_of
from benchmarks.storage.ranged_responses import serve_stored
from benchmarks.storage.store import clip_name
from extensions.annotation.desk.question_review import accept_question, refuse_question, statement_of
from extensions.annotation.models import (
    AnnotationObject,
    AnnotationPair,
    QualificationRound,
    QuestionState,
    RoundState,
    WrittenQuestion,
)
from extensions.annotation.pages.qualification import grade_round, how_many
from extensions.annotation.pages.task_pages import DisplayedObject, objects_of
from extensions.annotation.protocol.vocabulary import GRADES
from extensions.annotation.work.answer_comparison import RoundAnswer, alone_in, answers_of
from extensions.annotation.work.dataset import dataset_of
from extensions.annotation.work.monitoring import stage_lines, tallies, workers
from extensions.annotation.work.pacs_release import CannotExport, archive_of
from humantrials.desk.study_views import ZIP, at_the_desk, desk, download, form_at_the_desk, need_tab
from humantrials.errors import BadAnswer
from humantrials.models import Trial


def pictures_of(pair: AnnotationPair) -> list[tuple[AnnotationObject, DisplayedObject]]:
    return list(zip(pair.both, objects_of(pair, 0), strict=True))


def by_pair(one: QualificationRound, chosen: Mapping[int, int]) -> list[dict[str, Any]]:
    """The answers of a round grouped by pair, with the grades `chosen` so far by place.

    `pair` is None if the pair's question was deleted meanwhile.
    """
    pairs = _pairs(one)
    found: dict[AnnotationPair | None, list[RoundAnswer]] = defaultdict(list)
    for answer in answers_of(one):
        found[pairs.get(answer.key)].append(replace(answer, grade=chosen.get(answer.place)))
    return [
        {"pair": pair, "pictures": pictures_of(pair) if pair else [], "answers": own} for pair, own in found.items()
    ]


def _pairs(one: QualificationRound) -> dict[int, AnnotationPair]:
    """The pairs by the keys of the round's answers."""
    clips = ("first__clip", "second__clip")
    if numbers := [own["pair"] for own in one.content.get("questions", ())]:
        found = one.trial.pairs.filter(number__in=numbers).select_related(*clips)
        return {pair.number: pair for pair in found}
    questions = WrittenQuestion.objects.filter(pk__in=[int(key) for key in one.content.get("answers", {})])
    return {question.pk: question.pair for question in questions.select_related(*(f"pair__{name}" for name in clips))}


PAGE = 10  # rows per page
HERE = "annotation"


def _staged(trial: Trial) -> Trial:
    need_tab(trial, HERE)
    return trial


@at_the_desk
def annotation(request: SignedInRequest, trial: Trial) -> HttpResponse:
    """Progress of the stages, dropped things and why, and quality of the workers."""
    facts = {
        "stages": stage_lines(_staged(trial)),
        "tallies": tallies(trial),
        "workers": workers(trial),
        "alone": len(alone_in(trial)),
        "waiting": trial.questions_written.filter(state=QuestionState.WAITING).count(),
        "ungraded": trial.rounds.filter(state=RoundState.WAITING).count(),
    }
    return desk(request, "desk", trial, HERE, "annotation", **facts)


@form_at_the_desk
def questions(request: SignedInRequest, trial: Trial) -> HttpResponse:
    """Review of questions: each beside its pair, to be corrected and accepted, or refused with a reason."""
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
    page = page_of(request, found, PAGE, or_nearest=True)
    rows = [_to_look_at(request, one, wrong.get(one.number, "")) for one in page.object_list]
    states = [(name, f"{name} {trial.questions_written.filter(state=name).count()}") for name in QuestionState.values]
    response = desk(request, "first_pass", trial, HERE, "annotation", page=page, rows=rows, state=state, states=states)
    response.status_code = 400 if wrong else 200
    return response


@at_the_desk
def data_set(request: SignedInRequest, trial: Trial) -> HttpResponse:
    """Download the data set so far as PACS' files without the clips."""
    try:
        content = archive_of(dataset_of(_staged(trial)))
    except CannotExport as error:
        messages.error(request, str(error))
        return redirect("annotation", trial.slug)
    name = f"{trial.slug}-simulated.zip" if trial.is_simulated else f"{trial.slug}.zip"
    return download(content, name, ZIP)


def _to_look_at(request: SignedInRequest, one: WrittenQuestion, wrong: str) -> dict[str, object]:
    """A question with a draft of its statement; a submission with an error reappears as it was sent."""
    draft = one.statement or statement_of(one.text)
    sent = request.POST if wrong else {}
    typed = {"text": sent.get("text", one.text), "draft": sent.get("statement", draft)}
    return {"one": one, "wrong": wrong, "pictures": pictures_of(one.pair), **typed}


def _decide(request: SignedInRequest, question: WrittenQuestion) -> None:
    by = request.user
    if request.POST.get("choice") == "bad":
        refuse_question(question=question, reason=request.POST.get("reason", ""), by=by)
        messages.success(request, f"Question {question.number} is out.")
    else:
        text, statement = request.POST.get("text", ""), request.POST.get("statement", "")
        accept_question(question=question, text=text, statement=statement, by=by)
        messages.success(request, f"Question {question.number} is in the bank.")


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else -1


@form_at_the_desk
def rounds(request: SignedInRequest, trial: Trial) -> HttpResponse:
    """Qualification rounds to be graded from 1 to 4, with feedback."""
    _staged(trial)
    wrong: dict[int, str] = {}
    if request.method == "POST":
        one = get_object_or_404(trial.rounds, pk=_number(request.POST.get("round", "")))
        try:
            grades = [_number(request.POST.get(f"grade-{place}", "")) for place in range(how_many(one))]
            grade_round(one=one, grades=grades, feedback=request.POST.get("feedback", "")[:2000], by=request.user)
        except BadAnswer as error:
            wrong[one.pk] = str(error)
        else:
            messages.success(request, "The round is graded.")
            return redirect(request.path)
    found = trial.rounds.filter(state=RoundState.WAITING).select_related("participant")
    page = page_of(request, found, PAGE, or_nearest=True)
    rows = [_waiting(one, wrong, request.POST) for one in page.object_list]
    graded = trial.rounds.exclude(state=RoundState.WAITING).select_related("participant", "by").order_by("-graded_at")
    facts = {"page": page, "rows": rows, "graded": graded[:50], "grades": GRADES}
    response = desk(request, "rounds", trial, HERE, "annotation", **facts)
    response.status_code = 400 if wrong else 200
    return response


def _waiting(one: QualificationRound, wrong: Mapping[int, str], sent: Mapping[str, str]) -> dict[str, Any]:
    """A round to be graded; if its grades were refused, the form keeps them."""
    typed = sent if one.pk in wrong else {}
    chosen = {place: _number(typed.get(f"grade-{place}", "")) for place in range(how_many(one))}
    facts = {"wrong": wrong.get(one.pk, ""), "feedback": typed.get("feedback", "")}
    return {"one": one, "sent": by_pair(one, chosen), **facts}


@at_the_desk
def object_file(request: SignedInRequest, trial: Trial, number: int, kind: str, content_type: str) -> HttpResponseBase:
    """A clip with its sound, or its middle frame, for the desk; also of clips that public pages may not show."""
    found = get_object_or_404(AnnotationObject, trial=trial, number=number)
    stored = found.clip.renditions.filter(kind=kind).first()
    name = clip_name(stored.name) if stored else ""
    response = serve_stored(request, name, content_type, cache="private, no-store") if name else None
    if response is None:
        raise Http404
    return response
