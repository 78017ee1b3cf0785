"""Exclusion from the results: named rules, and three ways to apply them that readers choose between.

*primary* is the protocol's choice, which the board shows; *none* and *strict* show how much the numbers depend on it.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from django.db.models import Count, Q
from django.utils.translation import gettext_lazy as _

from humantrials.errors import UnknownExclusion
from humantrials.models import Judgment, Trial
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Protocol, Text
from humantrials.protocols.trial_types import WATCHED
from humantrials.studies.attention_checks import missed
from humantrials.studies.viewing_evidence import doubts_of, has_evidence

UNWATCHED = 0.2  # share of a participant's answers


@dataclass(frozen=True)
class ExclusionRule:
    """One reason to exclude people; `says` completes a sentence that begins with "whoever"."""

    name: str
    finds: Callable[[Trial], list[int]]
    says: Text


@dataclass(frozen=True)
class Exclusion:
    """One way to exclude: the rules to apply, given the protocol."""

    name: str
    title: Text
    rules: Callable[[Protocol], tuple[ExclusionRule, ...]]


def answered_too_few(trial: Trial) -> list[int]:
    """Participants with a smaller share of answers than the protocol demands; "not clear" is not an answer."""
    protocol = find_protocol(trial.protocol)
    given = Count("pk", filter=~Q(answer=protocol.analysis.abstain))
    return _whose(trial, given, lambda share: share < protocol.analysis.least_answered)


def missed_attention(trial: Trial) -> list[int]:
    """Participants who missed more attention items than the protocol tolerates."""
    most = find_protocol(trial.protocol).screening.attention_slips
    return sorted(person for person, wrong in missed(trial).items() if wrong > most)


def missed_any_attention(trial: Trial) -> list[int]:
    return sorted(person for person, wrong in missed(trial).items() if wrong)


def watched_too_little(trial: Trial) -> list[int]:
    """People who often answered before watching the clip once; an unknown watch time (no JavaScript) counts as none."""
    unwatched = Count("pk", filter=Q(watched=None) | Q(watched__lt=WATCHED))
    return _whose(trial, unwatched, lambda share: share > UNWATCHED)


def saw_too_little(trial: Trial) -> list[int]:
    """People with counted answers of which too many can't rest on a view of the clip, as far as the server knows."""
    counted = Counter(trial.judgments.filter(counts=True).values_list("participant", flat=True))
    found = {person: len(why) for person, why in doubts_of(trial, counted).items()}
    return sorted(person for person, n in found.items() if n > UNWATCHED * counted[person])


def _whose(trial: Trial, some: Count, is_out: Callable[[float], bool]) -> list[int]:
    """Participants whose share of counted answers matching `some` satisfies `is_out`."""
    rows = trial.judgments.filter(counts=True).order_by().values("participant").annotate(all=Count("pk"), some=some)
    return sorted(row["participant"] for row in rows if is_out(row["some"] / row["all"]))


RULES = {
    rule.name: rule
    for rule in (
        ExclusionRule("answered-too-few", answered_too_few, _("found too many questions not clear enough to answer")),
        ExclusionRule("missed-attention", missed_attention, _("missed more attention items than may be a slip")),
        ExclusionRule("missed-any-attention", missed_any_attention, _("missed an attention item")),
        ExclusionRule(
            "clip-not-seen", saw_too_little, _("answered more than a fifth before the clip can have been seen")
        ),
        ExclusionRule("watched-too-little", watched_too_little, _("answered more than a fifth without one full watch")),
    )
}


def _own(protocol: Protocol) -> tuple[ExclusionRule, ...]:
    return tuple(RULES[name] for name in protocol.analysis.excludes)


def _strict(protocol: Protocol) -> tuple[ExclusionRule, ...]:
    """The protocol's own rules plus stricter ones."""
    beyond = ["missed-any-attention"] if protocol.screening.attention_items else []
    return (*_own(protocol), *(RULES[name] for name in (*beyond, "watched-too-little")))


PRIMARY, NOBODY = "primary", "none"
EXCLUSIONS = {
    exclusion.name: exclusion
    for exclusion in (
        Exclusion(PRIMARY, _("As the protocol says"), _own),
        Exclusion(NOBODY, _("Nobody"), lambda protocol: ()),
        Exclusion("strict", _("Strictly"), _strict),
    )
}


def find_exclusion(name: str) -> Exclusion:
    """The exclusion of this name; else the error lists those that exist."""
    if name not in EXCLUSIONS:
        raise UnknownExclusion(f"there is no exclusion {name[:20]!r}; there is: {', '.join(EXCLUSIONS)}")
    return EXCLUSIONS[name]


def rules_of(trial: Trial, exclusion: str = PRIMARY) -> tuple[ExclusionRule, ...]:
    """The rules of this exclusion; all but "none" have `clip-not-seen` where the server noted which clips it sent."""
    rules = find_exclusion(exclusion).rules(find_protocol(trial.protocol))
    return (*rules, RULES["clip-not-seen"]) if exclusion != NOBODY and has_evidence(trial) else rules


def people_out(trial: Trial, exclusion: str = PRIMARY) -> set[int]:
    """Participants excluded by any of the rules."""
    return {person for rule in rules_of(trial, exclusion) for person in rule.finds(trial)}


def left_out(trial: Trial, exclusion: str = PRIMARY) -> dict[str, int]:
    """The number of participants with counted answers that each rule excludes; several rules may exclude one person."""
    rules = rules_of(trial, exclusion)
    if not rules:
        return {}
    people = set(Judgment.objects.filter(trial=trial, counts=True).values_list("participant", flat=True))
    return {rule.name: len(people.intersection(rule.finds(trial))) for rule in rules}
