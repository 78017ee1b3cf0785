"""The tables of an annotation study in PACS' format: objects on clips, pairs of objects, questions and their answers.

A `TaskAnswer` keeps what a participant sent, unchanged. The states of objects, questions and candidates are computed
from the answers that count (annotation/outcomes.py), so a withdrawal can undo any of them.
"""

from django.db import models
from django.db.models import Q

from benchmarks.models import Clip
from humantrials.models.participants import Participant
from humantrials.models.sheets import Sheet
from humantrials.models.trials import Trial

SIDES = ((0, "object 1"), (1, "object 2"))  # labels 0 and 1, as in PACS


class Stage(models.TextChoices):
    """The paper's four stages (fact sheet, section 6), in order."""

    OBJECTS = "objects"
    QUESTIONS = "questions"
    ANSWERS = "answers"
    CHECKS = "checks"


class ObjectState(models.TextChoices):
    WAITING = "waiting"
    KEPT = "kept"
    DROPPED = "dropped"


class AnnotationObject(models.Model):
    """The object of focus of one clip: `box` is (left, top, right, bottom) in the clip's own pixels."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="objects_found")
    clip = models.ForeignKey(Clip, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=ObjectState.choices, default=ObjectState.WAITING)
    reason = models.CharField(max_length=40, blank=True)  # why it was dropped (protocols/annotation_vocabulary.py)
    name = models.CharField(max_length=80, blank=True)
    box = models.JSONField(null=True, blank=True)
    materials = models.JSONField(default=list, blank=True)
    confidence = models.PositiveSmallIntegerField(null=True, blank=True)  # 1 to 5, after sight and sound
    split = models.CharField(max_length=8, blank=True)  # drawn once every clip is settled

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["trial", "clip"], name="one_object_a_clip"),
            models.UniqueConstraint(fields=["trial", "number"], name="one_object_a_number"),
        ]

    def __str__(self) -> str:
        return f"object {self.number} of {self.trial_id}"


class AnnotationPair(models.Model):
    """Two objects of one split in the order of the pair's key; label 0 is the first object."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="pairs")
    number = models.PositiveIntegerField()
    first = models.ForeignKey(AnnotationObject, on_delete=models.CASCADE, related_name="pairs_as_first")
    second = models.ForeignKey(AnnotationObject, on_delete=models.CASCADE, related_name="pairs_as_second")
    split = models.CharField(max_length=8)
    is_for_writers = models.BooleanField(default=False)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["trial", "number"], name="one_pair_a_number"),
            models.UniqueConstraint(fields=["trial", "first", "second"], name="one_pair_of_two_objects"),
            models.CheckConstraint(condition=~Q(first=models.F("second")), name="a_pair_has_two_objects"),
        ]

    def __str__(self) -> str:
        return f"pair {self.number} of {self.trial_id}"

    @property
    def both(self) -> tuple[AnnotationObject, AnnotationObject]:
        return self.first, self.second


class Task(models.Model):
    """One answer wanted from an annotator: the slot of an annotation study, whose subjects are not a pack's items.

    A task of stage A is about a clip, other tasks are about a pair. `questions` are the questions it asks. `attention`
    is the answer wanted by the instruction that replaces one question, or ''.
    """

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="tasks")
    sheet = models.ForeignKey(Sheet, on_delete=models.CASCADE, related_name="tasks")
    stage = models.CharField(max_length=10, choices=Stage.choices)
    subject = models.PositiveIntegerField()  # number of the object, or of the pair
    object = models.ForeignKey(AnnotationObject, null=True, blank=True, on_delete=models.CASCADE, related_name="tasks")
    pair = models.ForeignKey(AnnotationPair, null=True, blank=True, on_delete=models.CASCADE, related_name="tasks")
    questions: models.ManyToManyField = models.ManyToManyField("WrittenQuestion", blank=True, related_name="tasks")
    replicate = models.PositiveSmallIntegerField(default=0)
    position = models.PositiveSmallIntegerField()
    attention = models.CharField(max_length=10, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["trial", "stage", "subject", "replicate"], name="exactly_k_tasks"),
            models.UniqueConstraint(fields=["sheet", "position"], name="one_task_a_position"),
            models.UniqueConstraint(fields=["sheet", "stage", "subject"], name="no_subject_twice_on_a_sheet"),
            models.CheckConstraint(
                condition=Q(object__isnull=False, pair__isnull=True) | Q(object__isnull=True, pair__isnull=False),
                name="a_task_is_about_one_thing",
            ),
        ]

    def __str__(self) -> str:
        return f"task {self.pk}"


class TaskAnswer(models.Model):
    """The answer to one task, as its stage's page sent it. At most one answer a task counts."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="answers")
    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="task_answers")
    epoch = models.PositiveIntegerField()
    counts = models.BooleanField(default=False)
    is_surplus = models.BooleanField(default=False)
    content = models.JSONField(default=dict)
    is_complete = models.BooleanField(default=True)  # stage A is sent in three steps
    missed_attention = models.BooleanField(default=False)
    seconds = models.FloatField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    # Staff's look at the answer: when, who, and why it was sent back ('' if it was accepted).
    looked_at = models.DateTimeField(null=True, blank=True)
    # Without an index: the table grows with answers, and no query filters by this field.
    looked_at_by = models.ForeignKey(
        "accounts.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+", db_index=False
    )
    sent_back = models.CharField(max_length=200, blank=True, db_default="")

    class Meta:
        ordering = ["task__position", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["task"], name="one_counted_task_answer", condition=Q(counts=True)),
            models.UniqueConstraint(fields=["participant", "task"], name="one_task_once_a_person"),
            models.CheckConstraint(condition=~Q(counts=True, is_surplus=True), name="task_counted_or_surplus"),
            models.CheckConstraint(condition=~Q(counts=True, is_complete=False), name="complete_answers_count"),
        ]

    def __str__(self) -> str:
        return f"answer {self.pk} to task {self.task_id}"


class QuestionState(models.TextChoices):
    WAITING = "waiting"  # for the first pass
    ACCEPTED = "accepted"
    BAD = "bad"


class WrittenQuestion(models.Model):
    """A question that an annotator wrote for a pair, with the answer and the properties that decide it."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="questions_written")
    number = models.PositiveIntegerField()
    pair = models.ForeignKey(AnnotationPair, on_delete=models.CASCADE, related_name="questions_written")
    source = models.ForeignKey(TaskAnswer, on_delete=models.CASCADE, related_name="questions_written")
    place = models.PositiveSmallIntegerField(default=0)  # 0 or 1: the first or second question sent together
    text = models.CharField(max_length=300)
    as_written = models.CharField(max_length=300, blank=True)  # text before the first pass corrected it, or ''
    statement = models.CharField(max_length=300, blank=True)  # the question as a statement, such as "An object that …"
    answer = models.PositiveSmallIntegerField(choices=SIDES)
    properties = models.JSONField(default=list)
    state = models.CharField(max_length=8, choices=QuestionState.choices, default=QuestionState.WAITING)
    reason = models.CharField(max_length=200, blank=True)
    looked_at_by = models.ForeignKey(
        "accounts.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["trial", "number"], name="one_question_a_number"),
            models.UniqueConstraint(fields=["source", "place"], name="one_question_a_place"),
        ]

    def __str__(self) -> str:
        return f"question {self.number} of {self.trial_id}"


class CandidateState(models.TextChoices):
    WAITING = "waiting"  # for its first answer
    CHECKING = "checking"
    ACCEPTED = "accepted"
    DROPPED = "dropped"


class CandidateOrigin(models.TextChoices):
    WRITTEN = "written"
    ASSIGNED = "assigned"


class Candidate(models.Model):
    """A question about a pair that may become a datapoint: accepted once three people give the same answer."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="candidates")
    pair = models.ForeignKey(AnnotationPair, on_delete=models.CASCADE, related_name="candidates")
    question = models.ForeignKey(WrittenQuestion, on_delete=models.CASCADE, related_name="candidates")
    origin = models.CharField(max_length=8, choices=CandidateOrigin.choices)
    label = models.PositiveSmallIntegerField(null=True, blank=True, choices=SIDES)
    state = models.CharField(max_length=8, choices=CandidateState.choices, default=CandidateState.WAITING)
    reason = models.CharField(max_length=40, blank=True)

    class Meta:
        ordering = ["pair__number", "question__number"]
        constraints = [models.UniqueConstraint(fields=["pair", "question"], name="one_candidate_a_question_and_pair")]

    def __str__(self) -> str:
        return f"candidate {self.pk}"


class RoundState(models.TextChoices):
    WAITING = "waiting"
    PASSED = "passed"
    FAILED = "failed"


class QualificationRound(models.Model):
    """One qualification attempt for a stage and its grades. `participant` is the person's first sitting."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="rounds")
    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="rounds")
    stage = models.CharField(max_length=10, choices=Stage.choices)
    number = models.PositiveSmallIntegerField(default=1)  # round 1 or 2
    attempt = models.PositiveSmallIntegerField(default=1)  # 1, or 2 for the only second attempt
    content = models.JSONField(default=dict)
    grades = models.JSONField(default=list, blank=True)  # 1 to 4 each
    score = models.FloatField(null=True, blank=True)  # mean grade, or share of correct answers
    feedback = models.TextField(blank=True)
    state = models.CharField(max_length=8, choices=RoundState.choices, default=RoundState.WAITING)
    by = models.ForeignKey("accounts.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    sent_at = models.DateTimeField(auto_now_add=True)
    graded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["sent_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["participant", "stage", "number", "attempt"], name="one_round_an_attempt")
        ]

    def __str__(self) -> str:
        return f"round {self.number}.{self.attempt} of {self.stage}"
