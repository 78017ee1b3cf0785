"""Acceptance in one stage opens sheets in the next. Each step checks the current state, so it can run at any time."""

from collections import defaultdict

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.template.defaultfilters import pluralize

from extensions.annotation.models import (
    AnnotationObject,
    AnnotationPair,
    Candidate,
    CandidateOrigin,
    CandidateState,
    ObjectState,
    QuestionState,
    Stage,
    Task,
)
from extensions.annotation.protocol.pairs import FEWEST, for_writers, paired, questions_for, split_objects
from extensions.annotation.protocol.stages import CHECKERS, WRITERS, facts_of
from extensions.annotation.work.outcomes import settle
from extensions.annotation.work.task_layout import lay_answers, lay_checks, lay_writing
from humantrials.models import Sheet, Trial

BATCH = 500


@transaction.atomic
def advance(trial: Trial) -> int:
    """Open the sheets that can be opened now; return how many. The trial's row is locked: one call runs at a time."""
    trial = Trial.objects.select_for_update().get(pk=trial.pk)
    return open_writing(trial) + open_answers(trial) + open_checks(trial)


@transaction.atomic
def after(sheet: Sheet) -> None:
    """Update states and open sheets after the sheet's answers started or stopped counting."""
    tasks = sheet.tasks.select_related("object", "pair", "trial")
    if tasks:
        settle(tasks)
        advance(sheet.trial)


def open_writing(trial: Trial) -> int:
    """Once every clip is settled, draw splits and pairs, and give some of the pairs to writers (section 2.3)."""
    if trial.pairs.exists() or trial.objects_found.filter(state=ObjectState.WAITING).exists():
        return 0
    accepted = {one.number: one for one in trial.objects_found.filter(state=ObjectState.KEPT)}
    if len(accepted) < FEWEST:
        return 0
    splits = split_objects(list(accepted), trial.draw_seed)
    for number, split in splits.items():
        AnnotationObject.objects.filter(pk=accepted[number].pk).update(split=split)
    planned = paired(splits, trial.draw_seed)
    to_writers = for_writers(planned, trial.draw_seed)
    pairs = AnnotationPair.objects.bulk_create(
        [
            AnnotationPair(
                trial=trial,
                number=number,
                first=accepted[pair.first],
                second=accepted[pair.second],
                split=pair.split,
                is_for_writers=number in to_writers,
            )
            for number, pair in enumerate(planned)
        ],
        BATCH,
    )
    return lay_writing(trial, [pair for pair in pairs if pair.is_for_writers], trial.settings.get("writers", WRITERS))


def open_answers(trial: Trial) -> int:
    """Once all questions are written and reviewed, give each pair without writers its questions, 13 at most."""
    tasks = trial.tasks.filter(stage=Stage.QUESTIONS)
    is_open = _unanswered(tasks).exists() or trial.questions_written.filter(state=QuestionState.WAITING).exists()
    if not tasks.exists() or is_open or trial.tasks.filter(stage=Stage.ANSWERS).exists():
        return 0
    accepted = trial.questions_written.filter(state=QuestionState.ACCEPTED).select_related("pair")
    bank = {one.number: one for one in accepted}
    pairs = {pair.number: pair for pair in trial.pairs.filter(is_for_writers=False)}
    assigned = questions_for(
        {number: pair.split for number, pair in pairs.items()},
        {number: one.pair.split for number, one in bank.items()},
        trial.draw_seed,
    )
    assigned_pairs = [(pairs[number], tuple(bank[one].pk for one in own)) for number, own in assigned.items() if own]
    sheets = lay_answers(trial, assigned_pairs)
    _make_candidates(trial)
    return sheets


def _make_candidates(trial: Trial) -> None:
    """Create a candidate per assigned question; slots replaced by an attention check have none."""
    assigned = trial.tasks.filter(stage=Stage.ANSWERS).values_list("pair", "questions")
    rows = [
        Candidate(trial=trial, pair_id=pair, question_id=question, origin=CandidateOrigin.ASSIGNED)
        for pair, question in assigned
        if question
    ]
    Candidate.objects.bulk_create(rows, BATCH)


def open_checks(trial: Trial) -> int:
    """Give candidates with a first answer to two more people: as soon as a sheet is full, and the rest at the end."""
    wanted = _unchecked(trial)
    is_last = not is_before_checks(trial)
    a_sheet = facts_of(Stage.CHECKS).a_sheet
    if not wanted or (not is_last and len(wanted) < a_sheet):
        return 0
    pairs = AnnotationPair.objects.in_bulk(list(wanted))
    return lay_checks(trial, [(pairs[pk], tuple(questions)) for pk, questions in wanted.items()], CHECKERS)


def _unchecked(trial: Trial) -> dict[int, list[int]]:
    """Pair -> its questions that have a first answer and are on no sheet of checks."""
    on_sheets = set(trial.tasks.filter(stage=Stage.CHECKS).values_list("pair", "questions"))
    wanted: dict[int, list[int]] = defaultdict(list)
    candidates = trial.candidates.filter(state=CandidateState.CHECKING).order_by("pair__number", "question__number")
    for pair, question in candidates.values_list("pair", "question"):
        if (pair, question) not in on_sheets:
            wanted[pair].append(question)
    return wanted


def is_before_checks(trial: Trial) -> bool:
    """Whether the last stage still lacks sheets, because answers of an earlier stage are still to come."""
    early = trial.tasks.exclude(stage=Stage.CHECKS)
    has_begun_answers = trial.tasks.filter(stage=Stage.ANSWERS).exists()
    waits = trial.questions_written.filter(state=QuestionState.WAITING).exists()
    return _unanswered(early).exists() or waits or not (has_begun_answers or _has_no_other_pairs(trial))


def _has_no_other_pairs(trial: Trial) -> bool:
    return not trial.pairs.filter(is_for_writers=False).exists()


def wait_of(trial: Trial, stage: str) -> str:
    """Why a stage has no sheets yet: what it waits for, or what staff can do if nothing will come by itself."""
    return WAITS[Stage(stage)](trial) if Stage(stage) in WAITS else ""


def _before_writing(trial: Trial) -> str:
    if left := trial.objects_found.filter(state=ObjectState.WAITING).count():
        return f"opens by itself after {left} more clip{pluralize(left)}"
    accepted = trial.objects_found.filter(state=ObjectState.KEPT).count()
    return f"can't open: a pair needs {FEWEST} kept clips, there {pluralize(accepted, 'is,are')} {accepted}. {AGAIN}"


def _before_answers(trial: Trial) -> str:
    tasks, written = trial.tasks.filter(stage=Stage.QUESTIONS), trial.questions_written
    if not tasks.exists():
        return "opens after the stage before it"
    if left := _unanswered(tasks).count():
        return f"opens by itself after {left} more answer{pluralize(left)} in the stage before it"
    if left := written.filter(state=QuestionState.WAITING).count():
        return f"opens when you have looked at {left} question{pluralize(left)}"
    if _has_no_other_pairs(trial):
        return "is left out: every pair had its own writers"
    return f"can't open: no question was taken that its pairs could be asked. {AGAIN}"


def _before_checks(trial: Trial) -> str:
    if is_before_checks(trial):
        fewest = facts_of(Stage.CHECKS).a_sheet
        return f"opens by itself when {fewest} pairs have first answers, or the stages before it are over"
    return f"can't open: no question has a first answer that could be checked. {AGAIN}"


AGAIN = "Send answers of the stage before it back, so that others are asked."
WAITS = {Stage.QUESTIONS: _before_writing, Stage.ANSWERS: _before_answers, Stage.CHECKS: _before_checks}


def _unanswered(tasks: QuerySet[Task]) -> QuerySet[Task]:
    return tasks.annotate(counted=Count("answers", filter=Q(answers__counts=True))).filter(counted=0)
