"""Named flags of participants, each with its statistic: a reason for staff to look, never a rejection."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median, pstdev
from typing import Any

from benchmarks.disclosure import with_expected
from humantrials.assignment.viewing_evidence import doubts_of, has_evidence
from humantrials.judging.attention_checks import attention_records
from humantrials.judging.programs import ENOUGH, copies, signs_of
from humantrials.models import Judgment, Participant, ParticipantKind, Trial
from humantrials.permissions import results_reader
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Protocol
from humantrials.protocols.rule_limits import LIMITS
from measures.estimate import at_most_by_chance

STRAIGHT_LINING, ALTERNATION, BELOW_CHANCE = "straight-lining", "alternation", "below-chance"
TOO_EVEN, TOO_FAST, LEFT, PROBLEMS = "too-even", "too-fast", "left-the-page", "problem-reports"
PAGE_NOT_SENT, NO_HEARTBEAT = "page-not-sent", "no-heartbeat"
SAME_DEVICE, SAME_ADDRESS, SEVERAL_BROWSERS = "same-device", "same-address", "several-browsers"
PROGRAM = "program"
SILENT_SECONDS = 300.0  # seconds of answers without a heartbeat, which a visible page sends every 20 seconds
Answers = Sequence[tuple[str, str | None]]  # (answer, expected answer or None) in the order of the sheet


@dataclass(frozen=True)
class AnswerFlag:
    """One flag of one participant, and the figure behind it."""

    name: str
    says: str
    figure: float = 1.0  # compared with the limit of a rule about this flag


def flags_of(trial: Trial, people: Iterable[int] | None = None) -> dict[int, list[AnswerFlag]]:
    """The flags of each participant (all of the trial's, or these) who has any.

    They tell nothing of right answers that are withheld or that another study seals.
    """
    wanted = None if people is None else list(people)
    found: dict[int, list[AnswerFlag]] = defaultdict(list)
    for flags in (_of_viewing(trial, wanted), _of_answers(trial, wanted), _of_visits(trial, wanted)):
        for person, own in flags.items():
            found[person] += own
    return {person: own for person, own in found.items() if own}


def people_by_flag(trial: Trial) -> tuple[tuple[str, int], ...]:
    """The number of participants with each flag, most first."""
    return tuple(Counter(flag.name for own in flags_of(trial).values() for flag in own).most_common())


def _of_viewing(trial: Trial, people: list[int] | None) -> dict[int, list[AnswerFlag]]:
    """Flags of what the server noted: clips that were not sent, a page that was not sent, no heartbeat."""
    if not has_evidence(trial):
        return {}
    doubts = doubts_of(trial, people)
    answered = Counter(Judgment.objects.filter(participant__in=doubts).values_list("participant", flat=True))
    sent = {participant.pk: participant for participant in Participant.objects.filter(pk__in=doubts)}
    spans = _spans(doubts)
    return {
        person: [
            *(AnswerFlag(why, f"{n} of {answered[person]} answers") for why, n in Counter(own.values()).items()),
            *([AnswerFlag(PAGE_NOT_SENT, f"{answered[person]} answers")] if not sent[person].clips_sent_at else []),
            *_unheard(sent[person].beats, spans.get(person, 0.0)),
        ]
        for person, own in doubts.items()
    }


def _spans(people: Iterable[int]) -> dict[int, float]:
    """Seconds between the first and the last answer that a script timed, by participant."""
    timed = Judgment.objects.filter(participant__in=people, seconds__isnull=False).order_by("created_at")
    times: dict[int, list[float]] = defaultdict(list)
    for person, at in timed.values_list("participant", "created_at"):
        times[person].append(at.timestamp())
    return {person: own[-1] - own[0] for person, own in times.items()}


def _unheard(beats: int, span: float) -> list[AnswerFlag]:
    return [AnswerFlag(NO_HEARTBEAT, f"none in {span:.0f} s of answers")] if not beats and span > SILENT_SECONDS else []


def _of_answers(trial: Trial, people: list[int] | None) -> dict[int, list[AnswerFlag]]:
    protocol = find_protocol(trial.protocol)
    rows = Judgment.objects.filter(trial=trial, participant__kind=ParticipantKind.PERSON)
    if people is not None:
        rows = rows.filter(participant__in=people)
    answers: dict[int, list[tuple[str, str | None]]] = defaultdict(list)
    played: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    ordered = with_expected(rows, to=results_reader(trial), item="item").order_by("participant", "slot__position")
    columns = ("participant", "answer", "expected", "seconds", "playback")
    for person, answer, expected, seconds, playback in ordered.values_list(*columns):
        played[person].append({**playback, "seconds": seconds})
        if answer != protocol.analysis.abstain:
            answers[person].append((answer, expected))
    copied = copies(_times(trial)) if played else {}
    checks = attention_records(trial, people)
    return {
        person: [
            *patterns(answers[person], protocol),
            *habits(own, has_clips=protocol.player.is_watched),
            *_program([*signs_of([*own, *checks.get(person, ())]), *([copied[person]] if person in copied else [])]),
        ]
        for person, own in played.items()
    }


def _times(trial: Trial) -> dict[int, list[float | None]]:
    """The times of everybody's answers in the order of their sheet."""
    rows = Judgment.objects.filter(trial=trial, participant__kind=ParticipantKind.PERSON)
    times: dict[int, list[float | None]] = defaultdict(list)
    for person, seconds in rows.order_by("participant", "slot__position").values_list("participant", "seconds"):
        times[person].append(seconds)
    return times


def _program(signs: Sequence[str]) -> list[AnswerFlag]:
    return [AnswerFlag(PROGRAM, "; ".join(signs), float(len(signs)))] if signs else []


def patterns(own: Answers, protocol: Protocol) -> list[AnswerFlag]:
    """The flags of answers in sheet order; none below `ENOUGH` answers or if all answers are right."""
    answers, right = [one for one, _ in own], [expected for _, expected in own]
    if len(answers) < ENOUGH or protocol.analysis.by_moment:
        return []
    if protocol.analysis.has_right_answers and answers == right:
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
    """The flag of somebody who is right less often than guessing explains; it reveals no number of right answers."""
    if not protocol.analysis.has_right_answers or protocol.player.has_own_options or None in right:
        return []
    hits = sum(one == wanted for one, wanted in zip(answers, right, strict=True))
    p = at_most_by_chance(hits, len(answers), 1 / len(protocol.player.options))
    found = AnswerFlag(BELOW_CHANCE, f"p = {p:.2g} from guessing, {len(answers)} answers", p)
    return [found] if p < (LIMITS[BELOW_CHANCE].usual or 0) else []


def habits(played: Sequence[Mapping[str, Any]], *, has_clips: bool) -> list[AnswerFlag]:
    """The flags of how somebody answered, from the pages' recordings; none below `ENOUGH` answers.

    The time of a decision is counted from the clip's end, or from the page where there is no clip.
    """
    if len(played) < ENOUGH:
        return []
    times = [one.get("after_end" if has_clips else "seconds") for one in played]
    known, n = [float(time) for time in times if time is not None], len(played)
    flags = []
    if len(known) >= ENOUGH:
        spread, middle = pstdev(known), median(known)
        flags.append(AnswerFlag(TOO_EVEN, f"times spread by {spread:.3f} s, {len(known)} answers", spread))
        flags.append(AnswerFlag(TOO_FAST, f"median {middle:.2f} s, {len(known)} answers", middle))
    left, with_problem = (sum(bool(one.get(name)) for one in played) for name in ("leaves", "problem"))
    flags.append(AnswerFlag(LEFT, f"during {left} of {n} answers", left / n))
    flags.append(AnswerFlag(PROBLEMS, f"{with_problem} of {n} clips", with_problem / n))
    return [flag for flag in flags if is_beyond(flag, LIMITS[flag.name].usual)]


def is_beyond(flag: AnswerFlag, limit: float | None) -> bool:
    """Whether the figure of the flag lies beyond this limit of its rule; a rule without a number takes every flag."""
    if limit is None or LIMITS[flag.name].usual is None:
        return True
    return flag.figure < limit if LIMITS[flag.name].is_most else flag.figure > limit


def _of_visits(trial: Trial, people: list[int] | None) -> dict[int, list[AnswerFlag]]:
    """Flags of people who share an address, or also a browser, and of those with several browsers."""
    visitors = trial.participants.filter(kind=ParticipantKind.PERSON, consented_at__isnull=False, traces__isnull=False)
    traces = {pk: trace for pk, trace in visitors.values_list("pk", "traces") if trace}
    by_address: dict[str, list[int]] = defaultdict(list)
    for person, trace in traces.items():
        by_address[trace["address"]].append(person)
    wanted = traces if people is None else [person for person in people if person in traces]
    return {person: list(_of_traces(person, traces, by_address)) for person in wanted}


def _of_traces(
    person: int, traces: Mapping[int, Mapping[str, Any]], by_address: Mapping[str, list[int]]
) -> Iterator[AnswerFlag]:
    own = set(traces[person]["browsers"])
    beside = [other for other in by_address[traces[person]["address"]] if other != person]
    alike = sum(bool(own & set(traces[other]["browsers"])) for other in beside)
    if alike:
        yield AnswerFlag(SAME_DEVICE, f"address and browser of {alike} other {'person' if alike == 1 else 'people'}")
    elif beside:
        yield AnswerFlag(SAME_ADDRESS, f"address of {len(beside)} other {'person' if len(beside) == 1 else 'people'}")
    if len(own) > 1:
        yield AnswerFlag(SEVERAL_BROWSERS, f"{len(own)} browsers")
