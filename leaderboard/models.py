"""Tables of the leaderboards. Standings are computed when answers change, never per page view."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from django.db import models
from django.db.models.fields.json import KeyTransform
from django.urls import reverse

from accounts.models import User
from benchmarks import leasing
from benchmarks.models import Clip, Pack
from evaluation.models import Run
from humantrials.models import Trial
from leaderboard.row_kinds import OF_STANDINGS, RowKind
from measures.estimate import Matrix, with_untested
from measures.figures import Interval


class EvidenceTier(models.TextChoices):
    """How far this site verified a row, from the least to the most."""

    REPORTED = "reported"  # a paper prints it
    UPLOADED = "uploaded"  # uploaded answers, which the senders parsed; compared with our key
    RESCORED = "rescored"  # uploaded replies, parsed and scored here
    RUN = "run"  # run here; people: a study of this site
    REPEATED = "repeated"  # run here twice, with the same answer to every question


class StandingQuerySet(models.QuerySet["Standing"]):
    def touch(self, **lookups: Any) -> None:
        """Set `computed_at` to now, and any other fields given, so that cached boards are rendered again."""
        self.update(computed_at=leasing.database_now(), **lookups)

    def with_cells(self, *facets: str) -> Iterator["Standing"]:
        """The standings one by one, with only the cells of these facets: all are many kilobytes of JSON per row."""
        paths = {f"cells_{place}": KeyTransform(name, "cells") for place, name in enumerate(facets)}
        for one in self.defer("cells").annotate(**paths).iterator(chunk_size=10):
            values = [one.__dict__.pop(path) for path in paths]
            one.cells = {name: value for name, value in zip(facets, values, strict=True) if value is not None}
            yield one


class Standing(models.Model):
    """One row of one board: a run or a trial on the items of one split. Scores in cells are shares, 0 to 1."""

    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="standings")
    kind = models.CharField(max_length=10, choices=OF_STANDINGS)
    run = models.ForeignKey(Run, null=True, blank=True, on_delete=models.CASCADE, related_name="standings")
    trial = models.ForeignKey(Trial, null=True, blank=True, on_delete=models.CASCADE, related_name="standings")
    name = models.CharField(max_length=120)
    revision = models.CharField(max_length=64, blank=True)
    split = models.CharField(max_length=20)
    strategy = models.CharField(max_length=40)
    condition = models.CharField(max_length=20)
    identity = models.CharField(max_length=64)
    cells = models.JSONField(default=dict)  # facet -> value -> {"score", "n", "low", "high", "unread", …}
    overall = models.JSONField(default=dict)
    tier = models.CharField(
        max_length=10, choices=EvidenceTier.choices, blank=True, default="", db_default=""
    )  # '' = not yet
    source_version = models.PositiveIntegerField()  # the answers_version it was computed from
    computed_at = models.DateTimeField(auto_now=True)

    objects = StandingQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "split"], name="one_standing_a_run", condition=models.Q(run__isnull=False)
            ),
            models.UniqueConstraint(
                fields=["trial", "split", "condition"],
                name="one_standing_a_trial",
                condition=models.Q(trial__isnull=False),
            ),
            models.CheckConstraint(
                condition=models.Q(run__isnull=False, trial=None) | models.Q(run=None, trial__isnull=False),
                name="a_run_or_a_trial",
            ),
        ]
        indexes = [
            models.Index(fields=["pack", "split", "strategy", "condition"], name="standings_of_a_board"),
            # Every board request asks for the latest time; the index answers without reading rows of many kilobytes.
            models.Index(fields=["pack", "computed_at"], name="standings_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.name} on {self.pack}"

    @property
    def row_kind(self) -> RowKind:
        return RowKind(self.kind)


class Extremes(models.Model):
    """The lowest and highest score of a run on each of its items, over all splits, as packed bytes."""

    standing = models.OneToOneField(Standing, on_delete=models.CASCADE, primary_key=True)  # on the run's own split
    packed = models.BinaryField()  # leaderboard/standings/item_scores.py reads and writes it

    def __str__(self) -> str:
        return f"scores by item of {self.standing_id}"


class ItemScores(models.Model):
    """A run's number of replies and sum of scores on each of its items, over all splits, as packed bytes."""

    standing = models.ForeignKey(Standing, on_delete=models.CASCADE, related_name="item_scores")  # on its own split
    dimension = models.CharField(max_length=40, blank=True)  # '' = the mean over dimensions, or scored by rule
    packed = models.BinaryField()  # leaderboard/standings/item_scores.py reads and writes it

    class Meta:
        constraints = [models.UniqueConstraint(fields=["standing", "dimension"], name="one_row_of_scores_a_dimension")]

    def __str__(self) -> str:
        return f"{self.dimension or 'scores'} by item of {self.standing_id}"


class RankTest(models.Model):
    """Which row of a ranking lies below which other, all pairs tested together (measures.estimate.evidence)."""

    pack = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="rank_tests")
    split = models.CharField(max_length=20)
    strategy = models.CharField(max_length=40)
    condition = models.CharField(max_length=20)
    level = models.CharField(max_length=10)
    caution = models.CharField(max_length=3)  # in or out, as in the address of a board
    dimension = models.CharField(max_length=40, blank=True)
    referee = models.CharField(max_length=60, blank=True)
    source = models.CharField(max_length=64)  # hash of the standings behind it
    runs = models.JSONField()  # ids, in the order of the matrix
    packed = models.BinaryField()  # the matrix in bits, row by row

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["pack", "split", "strategy", "condition", "level", "caution", "dimension", "referee"],
                name="one_rank_test_a_ranking",
            )
        ]

    def __str__(self) -> str:
        return f"ranks of {len(self.runs)} rows, {self.strategy}, {self.condition}, {self.split}"

    @property
    def places(self) -> dict[str, int]:
        """Key of each row, as on boards -> its place in the matrix."""
        return {f"run-{run}": place for place, run in enumerate(self.runs)}

    def below(self, intervals: Mapping[str, Interval]) -> Matrix:
        """Which of these rows lie below which: as tested, others by whether their intervals overlap."""
        number, places = len(self.runs), self.places
        bits = np.unpackbits(np.frombuffer(bytes(self.packed), np.uint8), count=number**2)
        tested = bits.astype(bool).reshape(number, number)
        return with_untested(tested, [places.get(key) for key in intervals], [*intervals.values()])


class Comparison(models.Model):
    """The difference between two rows of one pack, paired by the items that both answered."""

    first = models.ForeignKey(Standing, on_delete=models.CASCADE, related_name="comparisons_as_first")
    second = models.ForeignKey(Standing, on_delete=models.CASCADE, related_name="comparisons_as_second")
    n = models.PositiveIntegerField()
    difference = models.FloatField()
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    p = models.FloatField(null=True)
    test = models.CharField(max_length=40)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["first", "second"], name="one_comparison_a_pair")]

    def __str__(self) -> str:
        return f"{self.first_id} against {self.second_id}"


class BlindAudit(models.Model):
    """Results of classifiers that answered a pack without its clips; items that leak have the facet caution=leak."""

    pack = models.OneToOneField(Pack, on_delete=models.CASCADE, related_name="blind_audit")
    probes = models.JSONField(default=list)  # see leaderboard/audits/blind.py
    skipped = models.JSONField(default=list)  # [{"kind", "why"}]
    leaks = models.PositiveIntegerField(default=0)  # how many items
    made_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"blind audit of {self.pack}"


class SealedRound(models.Model):
    """Fresh clips of a benchmark on a date; the hash of seed and definition is public before it, the seed after it.

    The definition has benchmark, version, pack, manifest, date, source of the public value, count, only, size, fps and
    profile.
    """

    public = models.ForeignKey(Pack, on_delete=models.CASCADE, related_name="rounds")  # clips that models may have seen
    fresh = models.OneToOneField(Pack, null=True, blank=True, on_delete=models.SET_NULL, related_name="round")
    definition = models.JSONField()
    commitment = models.CharField(max_length=64, unique=True)
    date = models.DateField()
    value = models.CharField(max_length=200, blank=True)  # what the source printed on the date; '' = not opened
    seed = models.CharField(max_length=128, blank=True)  # '' = not revealed
    committed_at = models.DateTimeField(auto_now_add=True)
    opened_at = models.DateTimeField(null=True, blank=True)
    revealed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["date", "pk"]

    def __str__(self) -> str:
        return f"round {self.pk} of {self.public.benchmark}"

    @property
    def withdrawn(self) -> "models.QuerySet[Clip]":
        """Fresh clips that were withdrawn after they were made, which no longer count."""
        return Clip.objects.filter(pack=self.fresh_id, withdrawn_at__isnull=False).order_by("withdrawn_at", "pk")


class Snapshot(models.Model):
    """A board frozen under a citable id: its table, the per-item data and their hashes."""

    slug = models.SlugField(max_length=60, unique=True)
    benchmark = models.SlugField(max_length=40)
    content = models.JSONField()
    sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.slug

    def get_absolute_url(self) -> str:
        return reverse("snapshot", args=[self.slug])


class PublishedResultQuerySet(models.QuerySet["PublishedResult"]):
    def checked(self) -> "PublishedResultQuerySet":
        """Results that a second person has read in their source."""
        return self.exclude(checked_by="")


class PublishedResult(models.Model):
    """One figure about this benchmark from a later paper, with its place on a board and its source."""

    benchmark = models.SlugField(max_length=40)
    level = models.CharField(max_length=10)
    strategy = models.CharField(max_length=40, blank=True)  # '' = beside every strategy
    condition = models.CharField(max_length=20, blank=True)  # '' = the strategy's own
    split = models.CharField(max_length=20, blank=True)  # '' = the paper tells no splits apart
    row = models.CharField(max_length=120)
    cell = models.CharField(max_length=60, default="overall")  # a value of the level's first group, or "overall"
    figure = models.CharField(max_length=20)  # per cent as printed
    source = models.CharField(max_length=300)  # the citation, with page or table
    link = models.URLField(max_length=300, blank=True)
    date = models.CharField(max_length=10, blank=True)  # of the paper: 2025, 2025-06 or 2025-06-30
    entered_by = models.ForeignKey(
        User, null=True, blank=True, editable=False, on_delete=models.SET_NULL, related_name="+"
    )
    checked_by = models.CharField(max_length=120, blank=True, editable=False)  # '' = waits for a second reader
    updated_at = models.DateTimeField(auto_now=True)

    objects = PublishedResultQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["benchmark", "level", "strategy", "condition", "split", "row", "cell", "source"],
                name="one_figure_a_place_and_source",
            )
        ]

    def __str__(self) -> str:
        return f"{self.row}, {self.cell}: {self.figure} ({self.source})"
