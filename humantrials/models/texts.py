"""What the author of a trial wrote (plan, texts, questions, in all versions), and people's answers to the questions."""

from django.db import models

from humantrials.models.participants import Participant
from humantrials.models.trials import Trial


class TextPart(models.TextChoices):
    AIMS = "aims"
    INFORMATION = "information"
    CONSENT = "consent"
    BEFORE = "before"
    INSTRUCTIONS = "instructions"
    QUIZ = "quiz"
    AFTER = "after"
    DEBRIEF = "debrief"


class AuthoredText(models.Model):
    """One version of one part in one language. A change is a new version, so that what somebody read stays known."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="texts")
    part = models.CharField(max_length=12, choices=TextPart.choices)
    language = models.CharField(max_length=8)
    version = models.PositiveSmallIntegerField()
    body = models.TextField(blank=True)  # Markdown, or questions; "" = the protocol's own again
    by = models.ForeignKey("accounts.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["part", "language", "version"]
        constraints = [
            models.UniqueConstraint(fields=["trial", "part", "language", "version"], name="one_text_a_version")
        ]

    def __str__(self) -> str:
        return f"{self.part} {self.language} {self.version}"


class QuestionnaireAnswer(models.Model):
    """A participant's answer to one of the author's questions, and the version that was shown."""

    participant = models.ForeignKey(Participant, on_delete=models.CASCADE, related_name="questionnaire_answers")
    shown = models.ForeignKey(AuthoredText, on_delete=models.PROTECT, related_name="+")
    part = models.CharField(max_length=12, choices=TextPart.choices)
    name = models.CharField(max_length=30)
    answer = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["participant", "part", "name"], name="one_answer_a_question")]

    def __str__(self) -> str:
        return f"answer {self.pk}"


class Preregistration(models.Model):
    """Design, sample, exclusions and analysis of a trial as they were when it was first opened; never changed."""

    trial = models.OneToOneField(Trial, on_delete=models.CASCADE, related_name="preregistration")
    content = models.JSONField()
    digest = models.CharField(max_length=64)  # SHA-256 of the content's canonical JSON
    frozen_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.digest[:12]


class SecondRound(models.Model):
    """How many further answers each item gets, drawn once when the first round was complete; never changed."""

    trial = models.OneToOneField(Trial, on_delete=models.CASCADE, related_name="second_round")
    sizes = models.JSONField()  # draw key of the item -> further answers
    first_sheet = models.PositiveIntegerField()  # the order of its first sheet
    design_hash = models.CharField(max_length=64)
    drawn_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.design_hash[:12]
