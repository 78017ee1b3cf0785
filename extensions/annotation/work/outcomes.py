"""Computes the states of objects, questions and candidates from the counted answers, afresh each time: the effects of
excluded or withdrawn answers disappear, and running it twice changes nothing."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.db.models import Max
from django.db.models.functions import Coalesce

from extensions.annotation.models import (
    AnnotationObject,
    Candidate,
    CandidateOrigin,
    CandidateState,
    ObjectState,
    QuestionState,
    Stage,
    Task,
    TaskAnswer,
    WrittenQuestion,
)
from extensions.annotation.protocol.stages import CHECKERS
from extensions.annotation.protocol.vocabulary import IRRELEVANT

Verdict = tuple[int | None, str, str]  # label, state, reason


def settle(tasks: Iterable[Task]) -> None:
    """Update everything that these tasks are about."""
    tasks = list(tasks)
    for task in tasks:
        if task.stage == Stage.OBJECTS and task.object:
            settle_object(task.object)
        elif task.stage == Stage.QUESTIONS:
            settle_questions(task)
    pairs = {task.pair_id for task in tasks if task.pair_id}
    objects = {task.object_id for task in tasks if task.object_id}
    if objects:
        of_objects = Candidate.objects.filter(pair__first__in=objects) | Candidate.objects.filter(
            pair__second__in=objects
        )
        pairs |= set(of_objects.values_list("pair", flat=True))
    settle_candidates(pairs)


def outcome_of(content: Mapping[str, Any]) -> tuple[str, str]:
    """The object's state and reason: any flag drops a clip, and so does sound that changed nothing (section 6.2)."""
    if flag := content.get("flag"):
        return ObjectState.DROPPED, str(flag)
    first, second = content["sight"], content["sound"]
    is_surer = second["confidence"] > first["confidence"]
    has_changed = sorted(second["materials"]) != sorted(first["materials"])
    return (ObjectState.KEPT, "") if is_surer or has_changed else (ObjectState.DROPPED, "no-change")


def settle_object(one: AnnotationObject) -> None:
    """Set the object's state from the counted answer about its clip; without one it waits."""
    answer = TaskAnswer.objects.filter(task__object=one, task__stage=Stage.OBJECTS, counts=True).first()
    content = answer.content if answer else {}
    state, reason = outcome_of(content) if answer else (ObjectState.WAITING, "")
    is_known = "box" in content
    AnnotationObject.objects.filter(pk=one.pk).update(
        state=state,
        reason=reason,
        box=content["box"]["box"] if is_known else None,
        name=content["box"]["name"] if is_known else "",
        materials=content.get("sound", {}).get("materials", []),
        confidence=content.get("sound", {}).get("confidence"),
    )


def settle_questions(task: Task) -> None:
    """Add the counted answer's questions to the bank, and delete those of answers that stopped counting."""
    answer = task.answers.filter(counts=True).first()
    WrittenQuestion.objects.filter(source__task=task).exclude(source=answer).delete()
    if answer is None or task.pair is None:
        return
    free = task.trial.questions_written.aggregate(free=Coalesce(Max("number") + 1, 0))["free"]
    for place, one in enumerate(answer.content["questions"]):
        _, is_new = WrittenQuestion.objects.get_or_create(
            source=answer, place=place, defaults={"trial": task.trial, "number": free, "pair": task.pair, **one}
        )
        free += is_new


def settle_candidates(pairs: Iterable[int]) -> None:
    """Update every candidate of these pairs from its first answer and the checks."""
    found = Candidate.objects.filter(pair__in=list(pairs)).select_related("question", "pair__first", "pair__second")
    votes = votes_of(pairs)
    changed = []
    for one in found:
        label, state, reason = verdict(one, votes[one.pair_id, one.question_id])
        if (one.label, one.state, one.reason) != (label, state, reason):
            one.label, one.state, one.reason = label, state, reason
            changed.append(one)
    Candidate.objects.bulk_update(changed, ["label", "state", "reason"], 500)


Votes = dict[str, list[dict[str, Any]]]  # stage -> answers to this question


def votes_of(pairs: Iterable[int]) -> Mapping[tuple[int, int], Votes]:
    """The counted answers of stages C and D by (pair, question)."""
    found: dict[tuple[int, int], Votes] = defaultdict(lambda: defaultdict(list))
    for answer, question, vote in counted_votes(pairs):
        found[question][answer.task.stage].append(vote)
    return found


def counted_votes(pairs: Iterable[int]) -> Iterator[tuple[TaskAnswer, tuple[int, int], dict[str, Any]]]:
    """Yield each counted answer of stages C and D with its (pair, question) and what it says, in the stages' order."""
    stages = (Stage.ANSWERS, Stage.CHECKS)
    answers = TaskAnswer.objects.filter(task__pair__in=list(pairs), task__stage__in=stages, counts=True)
    for answer in answers.select_related("task", "participant__first").order_by("task__stage", "pk"):
        for question, vote in answer.content["answers"].items():
            yield answer, (answer.task.pair_id or 0, int(question)), vote


def verdict(one: Candidate, votes: Votes) -> Verdict:
    """Label, state and reason; a datapoint needs three agreeing answers of three people (section 6.5)."""
    if ObjectState.DROPPED in (one.pair.first.state, one.pair.second.state):
        return one.label, CandidateState.DROPPED, "object-dropped"
    if one.question.state == QuestionState.BAD:
        return None, CandidateState.DROPPED, "bad-question"
    label, reason = _first_answer(one, votes)
    if reason:
        return None, CandidateState.DROPPED, reason
    return (None, CandidateState.WAITING, "") if label is None else _checked(label, votes[Stage.CHECKS])


def _first_answer(one: Candidate, votes: Votes) -> tuple[int | None, str]:
    """The writer's own answer or that of stage C, or else the reason why there is none."""
    if one.origin == CandidateOrigin.WRITTEN:
        return (one.question.answer, "") if one.question.state == QuestionState.ACCEPTED else (None, "")
    for vote in votes[Stage.ANSWERS]:
        if vote["bad"]:
            return None, "bad-question"
        return (None, IRRELEVANT) if vote["choice"] == IRRELEVANT else (int(vote["choice"]), "")
    return None, ""


def _checked(label: int, checks: list[dict[str, Any]]) -> Verdict:
    if any(check["bad"] for check in checks):
        return label, CandidateState.DROPPED, "flagged"
    if any(check["choice"] != str(label) for check in checks):
        return label, CandidateState.DROPPED, "disagreement"
    return label, CandidateState.ACCEPTED if len(checks) >= CHECKERS else CandidateState.CHECKING, ""


def accept_into_bank(question: WrittenQuestion) -> None:
    """Ask an accepted question about its own pair, with its writer's answer as the first."""
    Candidate.objects.get_or_create(
        pair=question.pair, question=question, defaults={"trial": question.trial, "origin": CandidateOrigin.WRITTEN}
    )
    settle_candidates([question.pair_id])
