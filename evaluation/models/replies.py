"""What models said and what is made of it: a reply is kept, readings and scores are rows that can be made again."""

from django.db import models
from django.db.models import F, Q

from benchmarks.models import Item, Response
from evaluation.models.runs import Run
from evaluation.models.shards import Cell


class ModelResponse(Response):
    """What the model said, with the conversation as it went and the frames it saw."""

    cell = models.OneToOneField(Cell, on_delete=models.CASCADE, related_name="response")
    turns = models.JSONField(default=list)  # [{"role", "text", "frames": n}]
    frames_hash = models.CharField(max_length=64, blank=True)
    frame_indices = models.JSONField(default=list, blank=True)
    frame_times = models.JSONField(default=list, blank=True)  # seconds
    seconds = models.FloatField(default=0.0)

    def __str__(self) -> str:
        return self.raw[:60]


class Reading(models.Model):
    """What one version of one parser read in a reply; reading again adds rows."""

    response = models.ForeignKey(ModelResponse, on_delete=models.CASCADE, related_name="readings")
    parser = models.CharField(max_length=40)
    version = models.CharField(max_length=20)
    answer = models.CharField(max_length=200, blank=True)
    problem = models.CharField(max_length=20, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["response", "parser", "version"], name="one_reading_a_parser"),
            models.CheckConstraint(condition=Q(answer="") | Q(problem=""), name="read_or_a_problem"),
        ]

    def __str__(self) -> str:
        return self.answer or self.problem


class Briefing(models.Model):
    """What a referee is told of one item besides the reply: gold texts, captions, attributes. Never served."""

    item = models.OneToOneField(Item, on_delete=models.CASCADE, related_name="briefing")
    facts = models.JSONField()  # {slot: text}; the slots are those of the item's rubric

    def __str__(self) -> str:
        return f"briefing of {self.item_id}"


class ScoreQuerySet(models.QuerySet["Score"]):
    def of_run(self, run: Run) -> "ScoreQuerySet":
        """The scores that count for this run: by its own parser, version and referee."""
        return self.filter(
            reading__response__cell__run=run, reading__parser=run.parser, reading__version=run.parser_version,
            referee=run.referee,
        )  # fmt: skip

    def counting(self) -> "ScoreQuerySet":
        """The same for many runs at once."""
        run = "reading__response__cell__run__"
        return self.filter(
            reading__parser=F(run + "parser"), reading__version=F(run + "parser_version"), referee=F(run + "referee")
        )


class Score(models.Model):
    """How good a reading is, 0 to 1, on one dimension, by one referee or by rule."""

    reading = models.ForeignKey(Reading, on_delete=models.CASCADE, related_name="scores")
    dimension = models.CharField(max_length=40, default="accuracy")
    referee = models.CharField(max_length=60, blank=True)
    value = models.FloatField()

    objects = ScoreQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["reading", "dimension", "referee"], name="one_score_a_dimension"),
            models.CheckConstraint(condition=Q(value__gte=0, value__lte=1), name="score_is_a_share"),
        ]

    def __str__(self) -> str:
        return f"{self.dimension} {self.value:g}"
