"""Exclusion from the results: named rules with limits, and three ways to apply them that readers choose between.

*primary* is what the trial registered when it opened (else the protocol's choice), which the board shows; *none* and
*strict* show how much the numbers depend on it.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from django.db.models import Count, Q

from humantrials.assignment.viewing_evidence import doubts_of, has_evidence
from humantrials.errors import TrialError
from humantrials.judging.answer_flags import flags_of, is_beyond
from humantrials.judging.attention_checks import attention_count, missed
from humantrials.models import Judgment, ParticipantState, Trial
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Text
from humantrials.protocols.rule_limits import LIMITS, SEEN, rules_as_text
from humantrials.protocols.trial_types import WATCHED

Limits = Mapping[str, float | None]


def planned(trial: Trial) -> Limits:
    """The protocol's rules, `clip-not-seen` where clips or pictures are shown, then those of the settings as typed."""
    protocol, typed = find_protocol(trial.protocol), dict(trial.settings.get("rules", ()))
    names = (*protocol.analysis.excludes, *([SEEN] if protocol.player.has_media else ()))
    return {**{name: LIMITS[name].usual for name in names if name not in typed}, **typed}


def register(*, trial: Trial) -> str:
    """Store the planned rules, and return their digest; "" if rules are registered already."""
    rules = [[name, limit] for name, limit in planned(trial).items()]
    first = Trial.objects.filter(pk=trial.pk, registered_rules__isnull=True)
    return digest(rules_as_text(rules)) if first.update(registered_rules=rules) else ""


def registered(trial: Trial) -> Limits:
    """The rules as they were registered; those planned while nothing is registered."""
    return planned(trial) if trial.registered_rules is None else dict(trial.registered_rules)


def registration(trial: Trial) -> str:
    """The registered rules in one line with its digest; "" if there are none."""
    if trial.registered_rules is None:
        return ""
    text = rules_as_text(trial.registered_rules)
    return f"{text or 'no rule'} (SHA-256 {digest(text)})"


def digest(text: str) -> str:
    """The first 16 digits of the hash of the rules' text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class ExclusionRule:
    """One reason to exclude people; `says` completes a sentence that begins with "people who"."""

    name: str
    finds: Callable[[Trial, float], list[int]]  # the trial, the limit
    says: Text
    limit: float

    def people(self, trial: Trial) -> list[int]:
        """The participants that this rule leaves out."""
        return self.finds(trial, self.limit)


def answered_too_few(trial: Trial, limit: float) -> list[int]:
    """Participants with a smaller share of answers than the limit; "not clear" is not an answer."""
    protocol = find_protocol(trial.protocol)
    answered = Count("pk", filter=~Q(answer=protocol.analysis.abstain))
    return _whose(trial, answered, lambda share: share < limit)


def missed_attention(trial: Trial, limit: float) -> list[int]:
    """Participants who missed more attention items than the limit."""
    return sorted(person for person, wrong in missed(trial).items() if wrong > limit)


def watched_too_little(trial: Trial, limit: float) -> list[int]:
    """People who often answered before watching the clip once; an unknown watch time (no JavaScript) counts as none."""
    unwatched = Count("pk", filter=Q(watched=None) | Q(watched__lt=WATCHED))
    return _whose(trial, unwatched, lambda share: share > limit)


def saw_too_little(trial: Trial, limit: float) -> list[int]:
    """People who finished, of whose answers too many don't count since nothing was presented."""
    if not has_evidence(trial):
        return []
    finished = trial.judgments.filter(participant__state=ParticipantState.FINISHED)
    answers = Counter(finished.values_list("participant", flat=True))
    found = {person: len(why) for person, why in doubts_of(trial, answers).items()}
    return sorted(person for person, n in found.items() if n > limit * answers[person])


def with_flag(name: str) -> Callable[[Trial, float], list[int]]:
    """People with this flag whose figure lies beyond the limit."""

    def finds(trial: Trial, limit: float) -> list[int]:
        found = flags_of(trial).items()
        return sorted(who for who, own in found if any(one.name == name and is_beyond(one, limit) for one in own))

    return finds


def _whose(trial: Trial, some: Count, is_out: Callable[[float], bool]) -> list[int]:
    """Participants whose share of counted answers matching `some` satisfies `is_out`."""
    rows = trial.judgments.filter(counts=True).order_by().values("participant").annotate(all=Count("pk"), some=some)
    return sorted(row["participant"] for row in rows if is_out(row["some"] / row["all"]))


FINDERS: Mapping[str, Callable[[Trial, float], list[int]]] = {
    "answered-too-few": answered_too_few,
    "missed-attention": missed_attention,
    "missed-any-attention": missed_attention,
    SEEN: saw_too_little,
    "watched-too-little": watched_too_little,
}
SAYS: Mapping[str, Text] = {
    "answered-too-few": "found too many questions not clear enough to answer",
    "missed-attention": "missed more attention items than may be a slip",
    "missed-any-attention": "missed an attention item",
    SEEN: "gave more than a fifth of their answers without having been shown the video or pictures",
    "watched-too-little": "answered more than a fifth without one full watch",
    "straight-lining": "gave the same answer to every question",
    "alternation": "gave another answer each time",
    "below-chance": "answered correctly less often than guessing explains",
    "too-even": "answered at times too even for a person",
    "too-fast": "answered too soon after the clip's end for a decision",
    "left-the-page": "left the page during too many clips",
    "problem-reports": "reported a problem with too many clips",
    "program": "showed signs of a program",
    "no-heartbeat": "sent answers from a page that was never in view",
    "page-not-sent": "sent answers without having had the page",
    "same-device": "shared address and browser with another participant",
}
# Each at its usual limit.
RULES = {
    name: ExclusionRule(name, FINDERS.get(name) or with_flag(name), says, LIMITS[name].usual or 0.0)
    for name, says in SAYS.items()
}
PRIMARY, NOBODY, STRICT = "primary", "none", "strict"
EXCLUSIONS = {PRIMARY: "As planned", NOBODY: "Nobody", STRICT: "Strictly"}


def registered_rules(trial: Trial) -> tuple[ExclusionRule, ...]:
    """All rules that the trial registers, whether or not anybody came that they could judge."""
    return tuple(_limited(name, limit) for name, limit in registered(trial).items())


def rules_of(trial: Trial, exclusion: str = PRIMARY) -> tuple[ExclusionRule, ...]:
    """The rules of this exclusion with their limits; "strict" adds rules to those of "primary"."""
    if exclusion not in EXCLUSIONS:
        raise TrialError(f"there is no exclusion {exclusion[:20]!r}; there is: {', '.join(EXCLUSIONS)}")
    if exclusion == NOBODY:
        return ()
    rules = list(registered_rules(trial))
    if exclusion == STRICT:
        added = ("missed-any-attention", "watched-too-little") if attention_count(trial) else ("watched-too-little",)
        rules += [RULES[name] for name in added if name not in registered(trial)]
    return tuple(rule for rule in rules if rule.name != SEEN or has_evidence(trial))  # which it judges by


def _limited(name: str, limit: float | None) -> ExclusionRule:
    rule = RULES[name]
    if limit is None or limit == rule.limit:
        return rule
    return replace(rule, says=f"fell under the rule {name} ({LIMITS[name].of} {limit:g})", limit=limit)


def people_out(trial: Trial, exclusion: str = PRIMARY) -> set[int]:
    """Participants excluded by any of the rules."""
    return {person for rule in rules_of(trial, exclusion) for person in rule.people(trial)}


def people_by_rule(trial: Trial, exclusion: str = PRIMARY) -> dict[str, set[int]]:
    """Rule -> the participants with counted answers that it excludes; several rules may exclude one person."""
    rules = rules_of(trial, exclusion)
    if not rules:
        return {}
    people = set(Judgment.objects.filter(trial=trial, counts=True).values_list("participant", flat=True))
    return {rule.name: people.intersection(rule.people(trial)) for rule in rules}


def left_out(trial: Trial, exclusion: str = PRIMARY) -> dict[str, int]:
    """The number of participants with counted answers that each rule excludes."""
    return {name: len(people) for name, people in people_by_rule(trial, exclusion).items()}


def answers_in_doubt(trial: Trial, exclusion: str = PRIMARY) -> int:
    """The number of answers of included people who finished that don't count because nothing was presented."""
    if not has_evidence(trial):
        return 0
    out = people_out(trial, exclusion)
    finished = trial.participants.filter(state=ParticipantState.FINISHED).exclude(pk__in=out)
    return sum(map(len, doubts_of(trial, finished.values_list("pk", flat=True)).values()))
