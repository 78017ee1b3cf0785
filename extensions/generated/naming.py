"""Decides when the public may know who made a clip: pages of prompts and of sets, files and exports all ask here."""

from django.db.models import Q, QuerySet

from benchmarks.disclosure import PUBLIC, Fact, open_to
from extensions.generated.models import GeneratedClip, RatedClip
from humantrials.models import OVER, Trial


def are_named(clips: QuerySet[GeneratedClip]) -> bool:
    """Whether no study under way could still ask about any of these clips.

    Every round that asks about one must have had a study, and none of its studies may be under way, nor any of its
    questions sealed. Simulated people are swayed by no name, so theirs may be under way.
    """
    questions = RatedClip.objects.filter(clip__in=clips)
    studies = Trial.objects.filter(pack__rating_round__in=questions.values("round"))
    if studies.filter(is_simulated=False).exclude(state__in=OVER).exists():
        return False
    had = studies.filter(Q(state__in=OVER) | Q(is_simulated=True)).values("pack")
    is_waited_for = questions.exclude(round__questions__in=had)
    return not (is_waited_for | questions.exclude(open_to(PUBLIC, Fact.EXISTENCE, "item"))).exists()
