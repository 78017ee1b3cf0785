"""The review queue of Charades: activities proposed by the three steps, judged by experts (three in the paper)."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from django.db import models, transaction

from benchmarks.models.pattern_drafts import DraftState

if TYPE_CHECKING:
    from benchmarks.upstream.charades import ActivityCut

EXPERTS = 3  # acceptances needed before a draft becomes an item, as in the paper


class ActivityDraft(models.Model):
    """An activity proposed by the three steps from a Charades video, for experts to review."""

    key = models.SlugField("video", max_length=40, unique=True)
    context = models.TextField(help_text="what is seen before the cut, in whole sentences")
    target = models.TextField(help_text="what happens then, as a sentence")
    code = models.CharField("action", max_length=10)
    starts = models.FloatField("cut at", help_text="seconds; the video is cut here")
    proposed = models.JSONField(default=dict, help_text="as the three steps left it")
    state = models.CharField(max_length=10, choices=DraftState.choices, default=DraftState.WAITING)
    note = models.TextField(blank=True)
    file = models.CharField(max_length=500, blank=True, help_text="where the video lies on the server")
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = "drafted activity"
        verbose_name_plural = "drafted activities"
        ordering = ["key"]
        constraints = [models.CheckConstraint(condition=models.Q(starts__gt=0), name="something_comes_before_the_cut")]

    def __str__(self) -> str:
        return self.key

    @property
    def content(self) -> str:
        """A hash of the text and the cut; an expert's acceptance counts only for this version."""
        return hashlib.sha256(f"{self.context}\n{self.target}\n{self.starts:g}".encode()).hexdigest()

    def verdicts(self) -> dict[str, str]:
        """Expert -> verdict on the current text and cut; reads the prefetched reviews."""
        return {one.expert: one.verdict for one in self.reviews.all() if one.content == self.content}

    def agreed(self, experts: int = EXPERTS) -> str:
        """Refused if any expert refused, accepted if at least `experts` accepted, else waiting."""
        verdicts = list(self.verdicts().values())
        if DraftState.REFUSED in verdicts:
            return DraftState.REFUSED
        return DraftState.ACCEPTED if verdicts.count(DraftState.ACCEPTED) >= experts else DraftState.WAITING


class ActivityReview(models.Model):
    """One expert's verdict on one version of a draft, identified by its hash."""

    draft = models.ForeignKey(ActivityDraft, on_delete=models.CASCADE, related_name="reviews")
    expert = models.CharField(max_length=150, help_text="the account's name")
    verdict = models.CharField(max_length=10, choices=DraftState.choices[1:])
    content = models.CharField(max_length=64, help_text="hash of the text and the cut that were judged")
    at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["at"]
        constraints = [models.UniqueConstraint(fields=["draft", "expert"], name="one_review_an_expert")]

    def __str__(self) -> str:
        return f"{self.draft}: {self.expert}, {self.verdict}"


@transaction.atomic
def review(*, draft: ActivityDraft, expert: str = "", verdict: str = "") -> None:
    """Store this expert's verdict, if any, and update the draft's state."""
    draft = ActivityDraft.objects.select_for_update().get(pk=draft.pk)
    if verdict:
        verdict_and_content = {"verdict": verdict, "content": draft.content}
        ActivityReview.objects.update_or_create(draft=draft, expert=expert, defaults=verdict_and_content)
    draft.state = draft.agreed()
    draft.save(update_fields=["state", "updated_at"])


@transaction.atomic
def propose(cuts: Iterable["ActivityCut"], videos: dict[str, Path]) -> tuple[int, int]:
    """Add the proposed activities, and the available videos, to the queue; return (new, already there)."""
    new = stood = 0
    for cut in cuts:
        values = {"context": cut.context, "target": cut.target, "code": cut.code, "starts": cut.starts}
        proposed = values | {"notes": list(cut.notes)}
        draft, is_new = ActivityDraft.objects.get_or_create(
            key=cut.key, defaults=values | {"proposed": proposed, "note": "; ".join(cut.notes)}
        )
        if cut.key in videos:
            ActivityDraft.objects.filter(pk=draft.pk).update(file=videos[cut.key])
        new, stood = new + is_new, stood + (not is_new)
    return new, stood
