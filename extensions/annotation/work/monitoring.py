"""Monitoring of an annotation trial: progress of each stage, quality of each worker, and spot checks."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Q

from extensions.annotation.models import CandidateState, ObjectState, QuestionState, Stage, TaskAnswer
from extensions.annotation.protocol.stages import facts_of
from extensions.annotation.protocol.vocabulary import REASONS
from extensions.annotation.work.stage_transitions import wait_of
from humantrials.models import SheetState, Trial
from humantrials.protocols.designs.balanced import lot

SPOT_CHECKS = 20  # answers for a check by hand; the paper's staff checked every three days


@dataclass
class Worker:
    """One person over all their sheets."""

    code: str
    is_simulated: bool
    state: str
    answers: int = 0
    counted: int = 0
    missed: int = 0
    questions: Counter = field(default_factory=Counter)  # the questions they wrote, by state
    agreed: int = 0  # their checks that match the settled label of the candidate
    compared: int = 0
    stages: set[str] = field(default_factory=set)

    @property
    def written(self) -> list[tuple[str, int]]:
        """The items of `questions`: a template would look up a state named `items` in the counter itself."""
        return list(self.questions.items())

    @property
    def agreement(self) -> float | None:
        return self.agreed / self.compared if self.compared else None


def stage_lines(trial: Trial) -> list[dict[str, Any]]:
    """Each stage's sheets and tasks, and how many are done; `wait` says why it has none yet."""
    sheets, done = defaultdict(set), defaultdict(set)
    for stage, sheet, state in trial.tasks.values_list("stage", "sheet", "sheet__state").distinct():
        sheets[stage].add(sheet)
        if state == SheetState.DONE:
            done[stage].add(sheet)
    counted = Count("answers", filter=Q(answers__counts=True))
    tasks = {
        row["stage"]: row
        for row in trial.tasks.order_by().values("stage").annotate(wanted=Count("pk", distinct=True), counted=counted)
    }
    nothing = {"wanted": 0, "counted": 0}
    return [
        {
            "title": facts_of(stage).title,
            "sheets": len(sheets[stage]),
            "sheets_done": len(done[stage]),
            "wait": "" if stage in tasks else wait_of(trial, stage),
            **tasks.get(stage, nothing),
        }
        for stage in Stage.values
    ]


def tallies(trial: Trial) -> list[dict[str, Any]]:
    """The number of things in each state, and of dropped ones by reason."""
    return [
        _tally("Clips", trial.objects_found, ObjectState, ObjectState.DROPPED),
        _tally("Questions", trial.questions_written, QuestionState, ""),
        _tally("Questions about pairs", trial.candidates, CandidateState, CandidateState.DROPPED),
    ]


def _tally(name: str, rows, states, dropped: str) -> dict[str, Any]:
    counts = Counter(rows.order_by().values_list("state", flat=True))
    reasons = Counter(rows.filter(state=dropped).order_by().values_list("reason", flat=True)) if dropped else Counter()
    return {
        "name": name,
        "states": [(state, counts[state]) for state in states.values],
        "reasons": [(REASONS.get(reason, reason), count) for reason, count in reasons.most_common()],
    }


def workers(trial: Trial) -> list[Worker]:
    """Everybody who sent something; first those who missed instructions, then those with little agreement."""
    found: dict[int, Worker] = {}
    people = trial.participants.filter(task_answers__isnull=False).distinct().select_related("first")
    of = {person.pk: person.first or person for person in people}
    labels = {
        (pair, question): label
        for pair, question, label, state in trial.candidates.values_list("pair", "question", "label", "state")
        if state in (CandidateState.ACCEPTED, CandidateState.DROPPED)
    }
    answers = TaskAnswer.objects.filter(task__trial=trial).select_related("task")
    for answer in answers:
        root = of[answer.participant_id]
        one = found.setdefault(root.pk, Worker(root.code, root.kind == "simulated", root.state))
        one.answers += 1
        one.counted += answer.counts
        one.missed += answer.missed_attention
        one.stages.add(answer.task.stage)
        if answer.task.stage == Stage.CHECKS:
            for question, own in answer.content["answers"].items():
                label = labels.get((answer.task.pair_id or 0, int(question)))
                if label is not None:
                    one.compared += 1
                    one.agreed += own["choice"] == str(label)
    for writer, state in trial.questions_written.values_list("source__participant", "state"):
        found[of[writer].pk].questions[state] += 1
    return sorted(found.values(), key=lambda one: (-one.missed, one.agreement if one.agreement is not None else 2))


def spot_checks(trial: Trial, draw: str) -> list[TaskAnswer]:
    """A small random sample of counted answers; the same `draw` gives the same sample."""
    pks = TaskAnswer.objects.filter(task__trial=trial, counts=True).values_list("pk", flat=True)
    sample = sorted(pks, key=lambda pk: lot(f"{trial.draw_seed}/spot/{draw}", pk))[:SPOT_CHECKS]
    found = TaskAnswer.objects.filter(pk__in=sample).select_related("task__object", "task__pair", "participant")
    return list(found.order_by("task__stage", "pk"))
