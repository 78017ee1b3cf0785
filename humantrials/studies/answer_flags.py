"""Named flags of participants, each with its statistic: something for a person to look at, never a rejection."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from scipy.special import bdtr

from humantrials.models import Judgment, Participant, ParticipantKind, Trial
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Protocol
from humantrials.studies.viewing_evidence import doubts_of, has_evidence

STRAIGHT_LINING, ALTERNATION, BELOW_CHANCE, PAGE_NOT_SENT = (
    "straight-lining",
    "alternation",
    "below-chance",
    "page-not-sent",
)
ENOUGH = 8  # answers: with fewer, such patterns come up by chance
RARE = 0.01  # one-sided probability of as few right answers from somebody who guesses


@dataclass(frozen=True)
class AnswerFlag:
    """One flag of one participant, and the figure behind it."""

    name: str
    says: str


def flags_of(trial: Trial, people: Iterable[int] | None = None) -> dict[int, list[AnswerFlag]]:
    """The flags of each participant (all of the trial's, or these) who has any."""
    wanted = None if people is None else list(people)
    found: dict[int, list[AnswerFlag]] = defaultdict(list)
    for flags in (_of_viewing(trial, wanted), _of_patterns(trial, wanted)):
        for person, own in flags.items():
            found[person] += own
    return {person: own for person, own in found.items() if own}


def people_by_flag(trial: Trial) -> tuple[tuple[str, int], ...]:
    """The number of participants with each flag, most first."""
    return tuple(Counter(flag.name for own in flags_of(trial).values() for flag in own).most_common())


def _of_viewing(trial: Trial, people: list[int] | None) -> dict[int, list[AnswerFlag]]:
    if not has_evidence(trial):
        return {}
    doubts = doubts_of(trial, people)
    answered = Counter(Judgment.objects.filter(participant__in=doubts).values_list("participant", flat=True))
    unsent = set(Participant.objects.filter(pk__in=doubts, clips_sent_at=None).values_list("pk", flat=True))
    return {
        person: [
            *(AnswerFlag(why, f"{n} of {answered[person]} answers") for why, n in Counter(own.values()).items()),
            *([AnswerFlag(PAGE_NOT_SENT, f"{answered[person]} answers")] if person in unsent else []),
        ]
        for person, own in doubts.items()
    }


def _of_patterns(trial: Trial, people: list[int] | None) -> dict[int, list[AnswerFlag]]:
    protocol = find_protocol(trial.protocol)
    rows = Judgment.objects.filter(trial=trial, participant__kind=ParticipantKind.PERSON)
    if people is not None:
        rows = rows.filter(participant__in=people)
    given: dict[int, list[tuple[str, str | None]]] = defaultdict(list)
    ordered = rows.order_by("participant", "slot__position").exclude(answer=protocol.analysis.abstain)
    for person, answer, expected in ordered.values_list("participant", "answer", "item__expected"):
        given[person].append((answer, expected))
    return {person: patterns(own, protocol) for person, own in given.items()}


def patterns(given: Sequence[tuple[str, str | None]], protocol: Protocol) -> list[AnswerFlag]:
    """The flags of (answer, expected answer) in the order of the sheet; none below `ENOUGH` answers."""
    answers, right = [one for one, _ in given], [expected for _, expected in given]
    if len(answers) < ENOUGH or (protocol.analysis.has_right_answers and answers == right):
        return []
    flags = []
    if len(set(answers)) == 1:
        flags.append(AnswerFlag(STRAIGHT_LINING, f"all {len(answers)} answers the same"))
    elif len(set(answers)) == 2 and all(one != after for one, after in pairwise(answers)):
        flags.append(
            AnswerFlag(ALTERNATION, f"another answer than before {len(answers) - 1} times of {len(answers) - 1}")
        )
    return flags + _below_chance(answers, right, protocol)


def _below_chance(answers: list[str], right: list[str | None], protocol: Protocol) -> list[AnswerFlag]:
    """The flag of who is right less often than guessing explains; it tells no number of right answers."""
    if not protocol.analysis.has_right_answers or protocol.player.has_own_options or None in right:
        return []
    hits = sum(one == wanted for one, wanted in zip(answers, right, strict=True))
    p = float(bdtr(hits, len(answers), 1 / len(protocol.player.options)))
    return [AnswerFlag(BELOW_CHANCE, f"p = {p:.2g} from guessing, {len(answers)} answers")] if p < RARE else []
