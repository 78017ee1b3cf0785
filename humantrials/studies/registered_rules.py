"""The exclusion rules that a trial registers when it opens for the first time: names, limits and their hash.

Nothing changes them afterwards, neither an author who has seen answers nor a later version of this software.
"""

import hashlib
from collections.abc import Mapping

from humantrials.models import Trial
from humantrials.models.trials import REGISTERED
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Protocol
from humantrials.protocols.rule_limits import LIMITS

Limits = Mapping[str, float | None]
SEEN = "clip-not-seen"


def planned(trial: Trial) -> Limits:
    """The rules of the protocol and of the trial's settings, and `clip-not-seen` where clips or pictures are shown."""
    protocol = find_protocol(trial.protocol)
    limits = {name: _usual(name, protocol) for name in protocol.analysis.excludes}
    if protocol.player.has_media:
        limits[SEEN] = LIMITS[SEEN].usual
    return {**limits, **trial.settings.get("rules", {})}


def newly_registered(trial: Trial) -> str:
    """The text about rules for the note of the trial's opening; "" if they are registered already."""
    text = as_text(planned(trial))
    return f"{REGISTERED}{digest(text)} {text}".strip() if trial.registered_rules is None else ""


def registered(trial: Trial) -> Limits:
    """The rules as they were registered; those planned while nothing is registered, as in older studies."""
    text = trial.registered_rules
    return planned(trial) if text is None else _read(text)


def registration(trial: Trial) -> str:
    """The registered text with its hash; "" if there is none."""
    text = trial.registered_rules
    return "" if text is None else f"{text or 'no rule'} (SHA-256 {digest(text)})"


def as_text(limits: Limits) -> str:
    """The rules in one line that `_read` reads, in order of their names."""
    return " ".join(name if limit is None else f"{name}={limit:g}" for name, limit in sorted(limits.items()))


def digest(text: str) -> str:
    """The first 16 digits of the hash of the rules' text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _read(text: str) -> Limits:
    words = (word.partition("=") for word in text.split())
    return {name: float(limit) if limit else None for name, _, limit in words if name in LIMITS}


def _usual(name: str, protocol: Protocol) -> float | None:
    own = {"answered-too-few": protocol.analysis.least_answered, "missed-attention": protocol.screening.attention_slips}
    return own.get(name, LIMITS[name].usual)
