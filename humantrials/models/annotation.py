"""Making a data set in PACS' format: objects on clips, pairs of them, questions written and answered; and who did it.

What people sent is a `TaskAnswer`, kept as it was sent. The states of objects, questions and candidates are worked out
from the answers that count (annotation/settling.py), so that a withdrawal can take any of them back.
"""

from django.db import models
from django.db.models import Q

from benchmarks.models import Clip
from humantrials.models.people import Participant
from humantrials.models.sheets import Sheet
from humantrials.models.trials import Trial

SIDES = ((0, "object 1"), (1, "object 2"))  # labels, as PACS counts them


class Stage(models.TextChoices):
    """The four stages of the paper, section 6 of the fact sheet, in their order."""

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
    reason = models.CharField(max_length=40, blank=True)  # why it was dropped (annotation/vocabulary.py)
    name = models.CharField(max_length=80, blank=True)
    box = models.JSONField(null=True, blank=True)
    materials = models.JSONField(default=list, blank=True)
    confidence = models.PositiveSmallIntegerField(null=True, blank=True)  # 1 to 5, after sight and sound
    split = models.CharField(max_length=8, blank=True)  # drawn when every clip of the trial is settled

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["trial", "clip"], name="one_object_a_clip"),
            models.UniqueConstraint(fields=["trial", "number"], name="one_object_a_number"),
        ]

    def __str__(self) -> str:
        return f"object {self.number} of {self.trial_id}"


class AnnotationPair(models.Model):
    """Two objects of one split, in the order of the pair's key: label 0 is the first."""

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
    """One answer wanted of an annotator: a slot of stages whose subjects are no items of a pack.

    Of stage A it is about a clip, else about a pair. `questions` are those that it asks. `attention` is the answer that
    an instruction in place of one question wants, or ''.
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
    """What somebody sent for one task, as the page of its stage reads it. At most one a task counts."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="answers")
    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="task_answers")
    epoch = models.PositiveIntegerField()
    counts = models.BooleanField(default=False)
    is_surplus = models.BooleanField(default=False)
    content = models.JSONField(default=dict)
    is_complete = models.BooleanField(default=True)  # of stage A there are three steps
    missed_attention = models.BooleanField(default=False)
    seconds = models.FloatField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

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
    place = models.PositiveSmallIntegerField(default=0)  # first or second of what was written at once
    text = models.CharField(max_length=300)
    as_written = models.CharField(max_length=300, blank=True)  # before the first pass mended it; '' = as it is
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
    """A question about a pair that may become a datapoint: accepted once three different people gave one answer."""

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
    """What somebody sent to be let into a stage, and how it was graded. `participant` is the person's first sitting."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="rounds")
    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="rounds")
    stage = models.CharField(max_length=10, choices=Stage.choices)
    number = models.PositiveSmallIntegerField(default=1)  # round 1 or 2
    attempt = models.PositiveSmallIntegerField(default=1)  # first, or the one second attempt
    content = models.JSONField(default=dict)
    grades = models.JSONField(default=list, blank=True)  # 1 to 4 each
    score = models.FloatField(null=True, blank=True)  # mean grade, or share that was right
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
