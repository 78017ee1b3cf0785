"""Responses of models, stored unchanged, with the readings and scores derived from them."""

from django.db import models
from django.db.models import F, Q

from benchmarks.disclosure import PUBLIC, Fact, open_to
from benchmarks.models import Item, Response
from evaluation.models.runs import Cell, Run
from evaluation.replies import RawReply, SpokenReply, reply_of


class ModelResponse(Response):
    """A model's reply, with the whole conversation and the frames it saw."""

    cell = models.OneToOneField(Cell, on_delete=models.CASCADE, related_name="response")
    turns = models.JSONField(default=list)  # [{"role", "text", "thoughts", "frames": n}]
    thoughts = models.TextField(blank=True, default="", db_default="")  # of the last reply, not part of its text
    ended = models.CharField(max_length=20, blank=True, default="", db_default="")  # an Ending of evaluation.replies
    frames_hash = models.CharField(max_length=64, blank=True)
    frame_indices = models.JSONField(default=list, blank=True)
    frame_times = models.JSONField(default=list, blank=True)  # seconds
    seconds = models.FloatField(default=0.0)
    tokens_in = models.PositiveIntegerField(null=True, blank=True)  # read in all turns; None = not counted
    tokens_out = models.PositiveIntegerField(null=True, blank=True)  # written in all turns, thoughts included
    margin = models.FloatField(null=True, blank=True)  # log-odds of the item's first option, if the reply has numbers

    def __str__(self) -> str:
        return self.raw[:60]

    @property
    def spoken(self) -> SpokenReply:
        """The reply as parsers, referees and raters get it."""
        return reply_of(RawReply(self.raw, self.thoughts, self.ended or None))

    def reading_for(self, run: Run) -> "Reading | None":
        """The reading by the run's own parser and version, taken from the prefetched readings."""
        wanted = (run.parser, run.parser_version)
        return next((row for row in self.readings.all() if (row.parser, row.version) == wanted), None)


class Reading(models.Model):
    """The answer that one version of a parser read in a reply; parsing again adds rows."""

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

    def points(self, referee: str) -> float | None:
        """The referee's score, "" for that by rule: the mean over its dimensions; None without one."""
        found = [score.value for score in self.scores.all() if score.referee == referee]
        return sum(found) / len(found) if found else None


class Briefing(models.Model):
    """What a referee learns about an item besides the reply: gold texts, captions, attributes. Never served."""

    item = models.OneToOneField(Item, on_delete=models.CASCADE, related_name="briefing")
    facts = models.JSONField()  # {slot: text}; the slots of the item's rubric

    def __str__(self) -> str:
        return f"briefing of {self.item_id}"


class ScoreQuerySet(models.QuerySet["Score"]):
    def of_run(self, run: Run) -> "ScoreQuerySet":
        """The scores that count for this run: by its own parser, version and referee."""
        return self.filter(
            reading__response__cell__run=run,
            reading__parser=run.parser,
            reading__version=run.parser_version,
            referee=run.referee,
        )

    def on_public_items(self) -> "ScoreQuerySet":
        """Scores on public items: neither sealed nor with a withheld answer."""
        public = Item.objects.filter(open_to(PUBLIC, Fact.ANSWER)).order_by()
        return self.filter(reading__response__cell__item__in=public)

    def counting(self) -> "ScoreQuerySet":
        """The scores that count for their own run, like `of_run` but for many runs."""
        run = "reading__response__cell__run__"
        return self.filter(
            reading__parser=F(run + "parser"), reading__version=F(run + "parser_version"), referee=F(run + "referee")
        )


class Score(models.Model):
    """The score of a reading, 0 to 1, on one dimension, by one referee or by rule."""

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
