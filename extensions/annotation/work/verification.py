"""The facts of an annotation trial for `verify_trial` and the desk, read from its tables."""

from collections import defaultdict

from django.db.models import Count, Q

from extensions.annotation.models import CandidateOrigin, ObjectState, Stage, TaskAnswer
from extensions.annotation.protocol.invariants import AnnotationFacts, CandidateFact, PairFact, TaskFact
from extensions.annotation.protocol.stages import WRITERS
from extensions.annotation.work.outcomes import counted_votes, outcome_of, verdict, votes_of
from extensions.annotation.work.sittings import root_of
from extensions.annotation.work.task_layout import digest_of
from humantrials.models import SheetState, Trial


def facts_of(trial: Trial) -> AnnotationFacts:
    unfinished = _counted(trial).exclude(task__sheet__state=SheetState.DONE)
    return AnnotationFacts(
        writers=trial.settings.get("writers", WRITERS),
        objects=dict(trial.objects_found.values_list("number", "state")),
        tasks=tuple(_tasks(trial)),
        pairs=tuple(
            PairFact(pair.number, pair.split, (pair.first.split, pair.second.split), pair.is_for_writers)
            for pair in trial.pairs.select_related("first", "second")
        ),
        candidates=tuple(_candidates(trial)),
        counted_unfinished=unfinished.count(),
        settled=_is_settled(trial),
    )


def _counted(trial: Trial):
    return TaskAnswer.objects.filter(task__trial=trial, counts=True)


def _tasks(trial: Trial):
    questions, people, by = defaultdict(list), defaultdict(list), {}
    for task, question in trial.tasks.filter(questions__isnull=False).values_list("pk", "questions"):
        questions[task].append(question)
    columns = ("task", "participant__first__code", "participant__code", "counts")
    for task, first, own, counts in TaskAnswer.objects.filter(task__trial=trial).values_list(*columns):
        people[task].append(first or own)
        if counts:
            by[task] = first or own
    returned = set(TaskAnswer.objects.filter(task__trial=trial).exclude(sent_back="").values_list("task", flat=True))
    counted = trial.tasks.annotate(counted=Count("answers", filter=Q(answers__counts=True)))
    for one in counted.order_by("position").select_related("sheet"):
        yield TaskFact(
            one.sheet.order,
            one.stage,
            one.subject,
            one.replicate,
            tuple(questions[one.pk]),
            bool(one.attention),
            one.counted,
            tuple(people[one.pk]),
            by.get(one.pk, ""),
            one.pk in returned,
        )


def _candidates(trial: Trial):
    answers: dict[tuple[int, int], list[tuple[str, int | None]]] = defaultdict(list)
    for answer, question, vote in counted_votes(trial.pairs.values_list("pk", flat=True)):
        choice = int(vote["choice"]) if vote["choice"].isdecimal() and not vote["bad"] else None
        answers[question].append((root_of(answer.participant).code, choice))
    found = trial.candidates.select_related("pair", "question__pair", "question__source__participant__first")
    for one in found:
        votes = list(answers[one.pair_id, one.question_id])
        if one.origin == CandidateOrigin.WRITTEN:
            votes.insert(0, (root_of(one.question.source.participant).code, one.question.answer))
        yield CandidateFact(
            one.pair.number,
            one.question_id,
            one.question.pair.number,
            one.origin,
            one.state,
            tuple(code for code, _ in votes),
            tuple(answer for _, answer in votes),
        )


def _is_settled(trial: Trial) -> bool:
    """Whether the stored states match the counted answers; writes nothing."""
    counted = dict(_counted(trial).filter(task__stage=Stage.OBJECTS).values_list("task__object", "content"))
    objects = {pk: outcome_of(content) for pk, content in counted.items()}
    stored = trial.objects_found.values_list("pk", "state", "reason")
    if any((state, reason) != objects.get(pk, (ObjectState.WAITING, "")) for pk, state, reason in stored):
        return False
    found = trial.candidates.select_related("question", "pair__first", "pair__second")
    votes = votes_of(trial.pairs.values_list("pk", flat=True))
    return all((one.label, one.state, one.reason) == verdict(one, votes[one.pair_id, one.question_id]) for one in found)


def follows_design(trial: Trial) -> bool:
    """Whether the clips and their order are those of the design."""
    clips = trial.objects_found.order_by("number").values_list("clip__sha256", flat=True)
    return digest_of(list(clips)) == trial.design_hash
