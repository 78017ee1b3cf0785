"""Drafts of Giraffe-Bench patterns, written in the admin site."""

from typing import TYPE_CHECKING

from django.db import models

if TYPE_CHECKING:
    from scenes.giraffe.puzzle import Puzzle


class DraftState(models.TextChoices):
    WAITING = "waiting"
    ACCEPTED = "accepted"
    REFUSED = "refused"


class PatternDraft(models.Model):
    """A pattern written in the admin site; `prepare_giraffe edited` draws the accepted ones."""

    name = models.SlugField(max_length=40, unique=True, help_text="letters, digits and hyphens")
    changes = models.JSONField(default=list, help_text="which of the paper's four dimensions of patterns change")
    images = models.TextField(help_text="three to five, one a line, such as: ball red @20,50 *18; star blue /45")
    following = models.TextField("next picture", help_text="in the same notation, on one line")
    wrong = models.TextField(
        "near misses", help_text="three wrong pictures, one a line, each with what is wrong: ball red : it stays"
    )
    pattern = models.TextField(help_text="what each image shows, and the rule")
    pred = models.TextField("prediction", help_text="what the next image shows; begins with “In the next image,”")
    state = models.CharField(max_length=10, choices=DraftState.choices, default=DraftState.WAITING)
    note = models.TextField(blank=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    @property
    def puzzle(self) -> "Puzzle":
        """The draft as a `Puzzle` for rendering; raises ValueError that names the mistake."""
        from scenes.giraffe.hand import composed

        return composed(self.name, tuple(self.changes), self.lines)

    @property
    def lines(self) -> dict[str, list[str]]:
        """The draft in the form of a block of `data/hand.txt`."""
        return {
            "P": [" ".join(self.pattern.split())],
            "N": [" ".join(self.pred.split())],
            "=": [" | ".join(filled(self.images))],
            ">": filled(self.following),
            "x": filled(self.wrong),
        }


def filled(text: str) -> list[str]:
    """The stripped, non-empty lines of the text."""
    return [line.strip() for line in text.splitlines() if line.strip()]
