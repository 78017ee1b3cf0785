"""Answers of items, and the seals on them: two tables that `benchmarks.disclosure` alone opens."""

from django.db import models

from benchmarks.models.items import Item

LONGEST_ANSWER = 200


class ItemAnswer(models.Model):
    """What is known here of one item's answer; an item without a row has an answer that was withheld.

    No relation leads here from the item, so no query and no template reaches an answer past the gate.
    """

    item = models.OneToOneField(Item, on_delete=models.CASCADE, primary_key=True, related_name="+")
    expected = models.CharField(max_length=LONGEST_ANSWER, null=True, blank=True)
    # For referees, and for the page once a reader requests the answer: `pattern`, `pred`, `captions`, `truth`, …;
    # `next` is the key of the following clip.
    reference = models.JSONField(default=dict, blank=True)

    def __str__(self) -> str:
        return f"answer of {self.item_id}"


class ItemSeal(models.Model):
    """A seal on an item: a study's hides it from gallery, item pages and API; WITHHELD hides only its answer."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="+")
    by = models.CharField(max_length=80)  # "trial:<slug>"

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "by"], name="one_seal_a_study")]

    def __str__(self) -> str:
        return self.by
