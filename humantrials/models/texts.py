"""Texts and questions that the author of a trial wrote, in all versions, and people's answers to the questions."""

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
