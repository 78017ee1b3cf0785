"""Looks up a trial by its slug."""

from benchmarks.commands import CallerMistake
from humantrials.models import Trial


def find_trial(slug: str) -> Trial:
    trial = Trial.objects.select_related("pack").filter(slug=slug).first()
    if trial is None:
        names = ", ".join(Trial.objects.values_list("slug", flat=True)) or "none"
        raise CallerMistake(f"there is no trial {slug!r}; there is: {names}")
    return trial
