"""Applies the planned exclusion rules to the pilots: rules that leave out all of them are a mistake.

Rules about what the server notes of clips and visits judge no pilot, since it notes none of it for them. Answers to
items whose right answer is secret are neither right nor wrong.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from benchmarks.disclosure import open_answers
from humantrials.judging.answer_flags import AnswerFlag, habits, is_beyond, patterns
from humantrials.judging.exclusion_rules import Limits, planned
from humantrials.models import ParticipantKind, ParticipantState, PilotAnswer, Trial
from humantrials.permissions import desk_reader
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Protocol
from humantrials.protocols.trial_types import WATCHED

Pilot = Sequence[PilotAnswer]
MISSES = ("missed-attention", "missed-any-attention")


def what_pilots_say(trial: Trial, limits: Limits | None = None) -> str:
    """A sentence if these rules, else all planned ones, would leave out everybody of the pilot; else ""."""
    wanted = planned(trial) if limits is None else limits
    out = [_rules_against(pilot, trial, wanted) for pilot in _finished(trial)]
    if not out or not all(out):
        return ""
    names = " ".join(sorted(set().union(*out)))
    people = "the one person" if len(out) == 1 else f"all {len(out)} people"
    return f"{names}: this would leave out {people} of the pilot."


def _finished(trial: Trial) -> list[list[PilotAnswer]]:
    """The answers of each pilot who went through the whole study."""
    whole = {"participant__trial": trial, "participant__kind": ParticipantKind.PILOT, "item__isnull": False}
    found: dict[int, list[PilotAnswer]] = defaultdict(list)
    for one in PilotAnswer.objects.filter(participant__state=ParticipantState.FINISHED, **whole):
        found[one.participant_id].append(one)
    return list(found.values())


def _answered_too_few(pilot: Pilot, protocol: Protocol, limit: float) -> bool:
    return _share([one.answer != protocol.analysis.abstain for one in pilot]) < limit


def _watched_too_little(pilot: Pilot, protocol: Protocol, limit: float) -> bool:
    return _share([one.watched is None or one.watched < WATCHED for one in pilot]) > limit


SHARES = {"answered-too-few": _answered_too_few, "watched-too-little": _watched_too_little}


def _rules_against(every: Pilot, trial: Trial, limits: Limits) -> set[str]:
    """The rules that would leave this pilot out."""
    protocol, items = find_protocol(trial.protocol), set(trial.slots.values_list("item_id", flat=True))
    answers = [one for one in every if one.item_id in items]
    opened = open_answers((one.item_id for one in every if one.item_id), to=desk_reader(trial))
    known = {pk: answer.expected for pk, answer in opened.items() if answer.expected is not None}
    missed = sum(one.answer != known[one.item_id] for one in every if one.item_id in known.keys() - items)
    flags = {flag.name: flag for flag in _flags(answers, known, protocol)}
    found = {name for name, limit in limits.items() if name in MISSES and missed > (limit or 0)}
    found |= {name for name, limit in limits.items() if name in SHARES and SHARES[name](answers, protocol, limit or 0)}
    return found | {name for name, limit in limits.items() if name in flags and is_beyond(flags[name], limit)}


def _flags(pilot: Pilot, known: Mapping[int, str | None], protocol: Protocol) -> list[AnswerFlag]:
    abstain = protocol.analysis.abstain
    answers = [(one.answer, known.get(one.item_id)) for one in pilot if one.item_id and one.answer != abstain]
    played = [{**one.playback, "seconds": one.seconds} for one in pilot]
    return [*patterns(answers, protocol), *habits(played, has_clips=protocol.player.is_watched)]


def _share(some: Sequence[bool]) -> float:
    return sum(some) / len(some) if some else 0.0
