"""Evidence tiers of rows: uploaded, scored here, run here, or run here twice with equal answers."""

import hashlib

from evaluation.models import Reading, Run, RunKind
from leaderboard.models import EvidenceTier, RowKind, Standing


def refresh() -> None:
    """Set the tier of every row without one, and again of rows with the same identity."""
    rows = Standing.objects.filter(tier="").exclude(kind=RowKind.SIMULATED)
    for pack, kind, identity in set(rows.values_list("pack_id", "kind", "identity")):
        alike = Standing.objects.filter(pack=pack, kind=kind, identity=identity)
        if RowKind(kind).is_measured_people:
            alike.touch(tier=EvidenceTier.RUN)
        else:
            _decide(list(Run.objects.filter(standings__in=alike).distinct().order_by("pk")))


def forget_twins_of(departing: list[int]) -> None:
    """Clear the tiers of rows that share their identity with these standings, which leave the board."""
    identities = Standing.objects.filter(pk__in=departing, tier=EvidenceTier.REPEATED).values("identity")
    Standing.objects.filter(identity__in=identities).update(tier="")


def _decide(runs: list[Run]) -> None:
    tiers = {run.pk: tier_alone(run) for run in runs}
    own = [run for run in runs if tiers[run.pk] == EvidenceTier.RUN]
    if len(own) > 1:
        digests = {run.pk: answers_digest(run) for run in own}
        seen = list(digests.values())
        tiers |= {pk: EvidenceTier.REPEATED for pk, digest in digests.items() if seen.count(digest) > 1}
    for pk, tier in tiers.items():
        Standing.objects.filter(run=pk).exclude(tier=tier).touch(tier=tier)


def tier_alone(run: Run) -> EvidenceTier:
    """The tier of a run, ignoring other runs with its identity."""
    if run.kind != RunKind.UPLOADED:
        return EvidenceTier.RUN
    return EvidenceTier.RESCORED if run.card.get("given") == "reply" else EvidenceTier.UPLOADED


def answers_digest(run: Run) -> str:
    """SHA-256 over the parsed answer to each question and seed; over the replies themselves if they are refereed."""
    own = Reading.objects.filter(response__cell__run=run, parser=run.parser, version=run.parser_version)
    field = "response__raw" if run.referee else "answer"
    rows = own.order_by("response__cell__item", "response__cell__seed")
    digest = hashlib.sha256()
    for row in rows.values_list("response__cell__item", "response__cell__seed", field, "problem").iterator():
        digest.update(repr(row).encode())
    return digest.hexdigest()
