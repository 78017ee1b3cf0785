"""The exclusion rules that a trial registers when it opens for the first time: names, limits and their hash.

Nothing changes them afterwards, neither an author who has seen answers nor a later version of this software.
"""

import hashlib
from collections.abc import Mapping

from humantrials.models import Trial
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Protocol
from humantrials.protocols.rule_limits import LIMITS, SEEN, rules_as_text

Limits = Mapping[str, float | None]


def planned(trial: Trial) -> Limits:
    """The protocol's rules, `clip-not-seen` where clips or pictures are shown, then those of the settings as typed."""
    protocol, typed = find_protocol(trial.protocol), dict(trial.settings.get("rules", ()))
    limits = {name: _usual(name, protocol) for name in protocol.analysis.excludes}
    if protocol.player.has_media:
        limits[SEEN] = LIMITS[SEEN].usual
    return {**{name: limit for name, limit in limits.items() if name not in typed}, **typed}


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


def _usual(name: str, protocol: Protocol) -> float | None:
    own = {"answered-too-few": protocol.analysis.least_answered, "missed-attention": protocol.screening.attention_slips}
    return own.get(name, LIMITS[name].usual)
