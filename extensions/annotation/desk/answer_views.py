"""Authors' page of annotators' answers: random ones, those that nobody shares, staff's decisions, reassignment."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from accounts.models import User
from accounts.typing import SignedInRequest
from benchmarks.gallery.query import page_of
from extensions.annotation.desk.views import HERE, pictures_of
from extensions.annotation.models import AnnotationObject, Task, TaskAnswer
from extensions.annotation.pages.task_pages import DisplayedObject, displayed_object
from extensions.annotation.protocol.stages import facts_of
from extensions.annotation.work.answer_comparison import alone_in, candidates_of, compared
from extensions.annotation.work.monitoring import spot_checks
from extensions.annotation.work.outcomes import settle
from extensions.annotation.work.stage_transitions import advance
from extensions.annotation.work.task_layout import move_to_new_sheets
from humantrials.assignment.claims import reopen
from humantrials.assignment.sheets import answers_changed
from humantrials.desk.study_views import at_the_desk, desk, form_at_the_desk, need_tab
from humantrials.errors import BadAnswer
from humantrials.models import Participant, Sheet, SheetEventKind, Trial, TrialEvent, TrialState

PAGE = 10
VIEWS = {"sample": "drawn", "alone": "alone against two", "accepted": "accepted", "returned": "sent back"}
ROWS = (
    "task__trial",
    "task__object__clip",
    "task__pair__first__clip",
    "task__pair__second__clip",
    "participant",
    "looked_at_by",
)
LONGEST_REASON = 200


@at_the_desk
def answers(request: SignedInRequest, trial: Trial) -> HttpResponse:
    """The answers of one view, each to be accepted or sent back with a reason."""
    need_tab(trial, HERE)
    show = request.GET.get("show", "sample")
    if show not in VIEWS:
        raise Http404
    draw = request.GET.get("draw", "0")[:20]
    page = page_of(request, _chosen(trial, show, draw), PAGE, or_nearest=True)
    facts = {"page": page, "cards": cards(trial, list(page.object_list)), **figures(trial), **_place(request)}
    facts["next_draw"] = f"{int(draw) + 1 if draw.isascii() and draw.isdecimal() else 1}"
    return desk(request, "answer_review", trial, HERE, "annotation", **facts)


def _place(request: SignedInRequest) -> dict[str, str]:
    """The view and draw of the request, and the query that keeps both on the next page."""
    show, draw = request.GET.get("show", "sample")[:20], request.GET.get("draw", "0")[:20]
    return {"show": show, "keep": f"&{urlencode({'show': show, 'draw': draw})}"}


def _chosen(trial: Trial, show: str, draw: str) -> QuerySet[TaskAnswer]:
    found = TaskAnswer.objects.filter(task__trial=trial).select_related(*ROWS).order_by("task__stage", "pk")
    if show == "sample":
        return found.filter(pk__in=[check.pk for check in spot_checks(trial, draw)])
    if show == "alone":
        return found.filter(pk__in=alone_in(trial)).order_by("task__subject", "pk")
    looked = found.filter(looked_at__isnull=False).order_by("-looked_at")
    return looked.filter(sent_back="") if show == "accepted" else looked.exclude(sent_back="")


def figures(trial: Trial) -> dict[str, Any]:
    """The number of answers in each view."""
    every = TaskAnswer.objects.filter(task__trial=trial)
    looked = every.filter(looked_at__isnull=False)
    numbers = {
        "sample": len(spot_checks(trial, "0")),
        "alone": len(alone_in(trial)),
        "accepted": looked.filter(sent_back="").count(),
        "returned": looked.exclude(sent_back="").count(),
    }
    return {
        "views": [(name, title, numbers[name]) for name, title in VIEWS.items()],
        "counted": every.filter(counts=True).count(),
    }


def cards(trial: Trial, found: Sequence[TaskAnswer], problem: str = "") -> list[dict[str, Any]]:
    """Each with its pictures, its questions beside other people's answers, and why a decision was refused.

    Answers about clips have no lines.
    """
    pairs = {one.task.pair_id for one in found if one.task.pair_id}
    lines = compared(candidates_of(trial).filter(pair__in=pairs))
    return [
        {
            "answer": one,
            "title": facts_of(one.task.stage).title,
            "pictures": _pictures(one),
            "lines": lines.get(one.pk, []),
            "problem": problem,
        }
        for one in found
    ]


def _pictures(answer: TaskAnswer) -> list[tuple[AnnotationObject, DisplayedObject]]:
    task, box = answer.task, answer.content.get("box", {}).get("box")
    if task.pair:
        return pictures_of(task.pair)
    return [(task.object, displayed_object(task.object, 0, 0, box))] if task.object else []


@form_at_the_desk
@require_POST
def answer_decision(request: SignedInRequest, trial: Trial, pk: int) -> HttpResponse:
    """Accept or send back one answer; the script gets the card and the figures, others are redirected."""
    rows = TaskAnswer.objects.select_related(*ROWS)
    answer = get_object_or_404(rows, task__trial=trial, pk=pk)
    problem = _decided(request, answer)
    if request.headers.get("X-Part") == "card":
        (card,) = cards(trial, [rows.get(pk=pk)], problem)
        facts = {"trial": trial, "card": card, "is_part": True, **figures(trial), **_place(request)}
        status = 400 if problem else 200
        return render(request, "annotation/answer_decided.html", facts, status=status)
    if problem:
        messages.error(request, problem)
    here = reverse("annotation-answers", args=[trial.slug])
    page = urlencode({"page": request.GET.get("page", "1")[:9]})
    return redirect(f"{here}?{page}{_place(request)['keep']}#answer-{pk}")


def _decided(request: SignedInRequest, answer: TaskAnswer) -> str:
    """Carry out the decision; returns why it was refused, or an empty string."""
    by, act = request.user, request.POST.get("act", "")
    try:
        if act == "accept":
            accept_answer(answer=answer, by=by)
        elif act == "back":
            send_back(answer=answer, reason=request.POST.get("reason", ""), by=by)
        else:
            return "Choose what to do with this answer."
    except BadAnswer as error:
        return str(error)
    return ""


def accept_answer(*, answer: TaskAnswer, by: User | None) -> None:
    """Record that staff reviewed the answer and found it good."""
    if answer.sent_back:
        raise BadAnswer("This answer was sent back already; somebody else gets its task.")
    TaskAnswer.objects.filter(pk=answer.pk).update(looked_at=Now(), looked_at_by=by)


@transaction.atomic
def send_back(*, answer: TaskAnswer, reason: str, by: User | None) -> None:
    """Stop counting the answer and ask somebody else; later stages follow as after a withdrawal. The work stays paid.

    Raises BadAnswer without a reason, for an answer that does not count, and in a trial that is over.
    """
    reason, trial = " ".join(reason.split()), answer.task.trial
    if not reason or len(reason) > LONGEST_REASON:
        raise BadAnswer(f"Give a reason for sending it back, at most {LONGEST_REASON} letters.")
    must_be_asking(trial)
    lock_sheets([answer.task.sheet_id])
    locked = TaskAnswer.objects.select_for_update(of=("self",)).select_related("task__sheet", "task__trial")
    counted = locked.filter(pk=answer.pk, counts=True).first()
    if counted is None:
        raise BadAnswer("This answer does not count (any more), so there is nothing to send back.")
    ask_anew(trial, [counted], SheetEventKind.SENT_BACK)
    TaskAnswer.objects.filter(pk=answer.pk).update(sent_back=reason, looked_at=Now(), looked_at_by=by)
    task = counted.task
    note = f"{task.stage} {task.subject}, {answer.participant.code}: {reason}"[:300]
    TrialEvent.objects.create(trial=trial, kind=SheetEventKind.SENT_BACK, note=note, by=by)


ASKING = (TrialState.OPEN, TrialState.PAUSED)


def must_be_asking(trial: Trial) -> None:
    """Raise BadAnswer if nobody can be asked any more."""
    if trial.state not in ASKING:
        way = "; open the trial first" if trial.state == TrialState.CLOSED else ""
        raise BadAnswer(f"{trial.slug} is {trial.state}, so no answer can be reassigned{way}")


def lock_sheets(sheets: Iterable[int]) -> None:
    """Lock people first, then sheets, as everywhere (leases.py)."""
    found = Sheet.objects.filter(pk__in=list(sheets))
    list(Participant.objects.select_for_update().filter(pk__in=found.values("holder")).order_by("pk"))
    list(found.select_for_update().order_by("pk"))


def ask_anew(trial: Trial, answers: Sequence[TaskAnswer], why: SheetEventKind) -> None:
    """Stop counting these answers, within a transaction and with their sheets locked; the work stays paid.

    A sheet whose tasks are all affected is reopened. From other sheets the tasks move to new sheets.
    """
    chosen = {answer.task_id for answer in answers}
    moving: list[Task] = []
    for sheet, tasks in _by_sheet(answers).items():
        if set(sheet.tasks.values_list("pk", flat=True)) <= chosen:
            reopen(sheet=sheet, why=why)
        else:
            moving += tasks
    TaskAnswer.objects.filter(task__in=moving).update(counts=False, is_surplus=True)
    move_to_new_sheets(trial, moving)
    settle(moving)
    advance(trial)
    answers_changed(trial.pk)


def _by_sheet(answers: Iterable[TaskAnswer]) -> dict[Sheet, list[Task]]:
    found: dict[Sheet, list[Task]] = defaultdict(list)
    for answer in answers:
        found[answer.task.sheet].append(answer.task)
    return found
