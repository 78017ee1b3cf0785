"""Who is left out of the results: rules by name, and three ways to apply them that readers choose between.

*primary* is the protocol's own choice and what the board shows; *none* and *strict* say how far the figures hang on it.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.db.models import Count, Q
from django.utils.translation import gettext_lazy as _

from humantrials.attention import missed
from humantrials.errors import UnknownExclusion
from humantrials.models import Judgment, Trial
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Protocol, Text
from humantrials.trial_types import WATCHED

UNWATCHED = 0.2  # share of somebody's answers


@dataclass(frozen=True)
class Rule:
    """One reason to leave people out; `says` goes on from "whoever"."""

    name: str
    finds: Callable[[Trial], list[int]]
    says: Text


@dataclass(frozen=True)
class Exclusion:
    """One way to apply rules: which ones, given the protocol."""

    name: str
    title: Text
    rules: Callable[[Protocol], tuple[Rule, ...]]


def answered_too_few(trial: Trial) -> list[int]:
    """Who finished with fewer answers than the protocol asks of a person to be included; "not clear" is none."""
    protocol = find_protocol(trial.protocol)
    given = Count("pk", filter=~Q(answer=protocol.abstain))
    return _whose(trial, given, lambda share: share < protocol.least_answered)


def missed_attention(trial: Trial) -> list[int]:
    """Who missed more attention items than the protocol takes for a slip."""
    most = find_protocol(trial.protocol).attention_slips
    return sorted(person for person, wrong in missed(trial).items() if wrong > most)


def missed_any_attention(trial: Trial) -> list[int]:
    return sorted(person for person, wrong in missed(trial).items() if wrong)


def watched_too_little(trial: Trial) -> list[int]:
    """Who answered too often before one full watch; where nothing told it, as without the script, it was none."""
    unwatched = Count("pk", filter=Q(watched=None) | Q(watched__lt=WATCHED))
    return _whose(trial, unwatched, lambda share: share > UNWATCHED)


def _whose(trial: Trial, some: Count, is_out: Callable[[float], bool]) -> list[int]:
    """The people of whose counted answers this is the share that those are which are counted as `some`."""
    rows = trial.judgments.filter(counts=True).order_by().values("participant").annotate(all=Count("pk"), some=some)
    return sorted(row["participant"] for row in rows if is_out(row["some"] / row["all"]))


RULES = {
    rule.name: rule
    for rule in (
        Rule("answered-too-few", answered_too_few, _("found too many questions not clear enough to answer")),
        Rule("missed-attention", missed_attention, _("missed more attention items than may be a slip")),
        Rule("missed-any-attention", missed_any_attention, _("missed an attention item")),
        Rule("watched-too-little", watched_too_little, _("answered more than a fifth without one full watch")),
    )
}


def _own(protocol: Protocol) -> tuple[Rule, ...]:
    return tuple(RULES[name] for name in protocol.excludes)


def _strict(protocol: Protocol) -> tuple[Rule, ...]:
    """The protocol's own rules and those that are stricter."""
    beyond = ["missed-any-attention"] if protocol.attention_items else []
    return (*_own(protocol), *(RULES[name] for name in (*beyond, "watched-too-little")))


PRIMARY = "primary"
EXCLUSIONS = {
    exclusion.name: exclusion
    for exclusion in (
        Exclusion(PRIMARY, _("As the protocol says"), _own),
        Exclusion("none", _("Nobody"), lambda protocol: ()),
        Exclusion("strict", _("Strictly"), _strict),
    )
}


def find_exclusion(name: str) -> Exclusion:
    """The way of this name; else the error names those that exist."""
    if name not in EXCLUSIONS:
        raise UnknownExclusion(f"there is no exclusion {name[:20]!r}; there is: {', '.join(EXCLUSIONS)}")
    return EXCLUSIONS[name]


def rules_of(trial: Trial, exclusion: str = PRIMARY) -> tuple[Rule, ...]:
    return find_exclusion(exclusion).rules(find_protocol(trial.protocol))


def people_out(trial: Trial, exclusion: str = PRIMARY) -> set[int]:
    """Who is left out, whichever rule it is by."""
    return {person for rule in rules_of(trial, exclusion) for person in rule.finds(trial)}


def left_out(trial: Trial, exclusion: str = PRIMARY) -> dict[str, int]:
    """Rule -> how many people whose sheets count it leaves out; somebody may be left out by several."""
    rules = rules_of(trial, exclusion)
    if not rules:
        return {}
    people = set(Judgment.objects.filter(trial=trial, counts=True).values_list("participant", flat=True))
    return {rule.name: len(people.intersection(rule.finds(trial))) for rule in rules}
