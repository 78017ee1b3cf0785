"""Whether an answer counts: its clip, picture or sound was presented, as the page says and the server can tell.

The page says what it presented; the server compares it with the time of sending each clip and of the answer. An answer
that comes late (a slow network, a reload, a second device) is never in doubt: everything here is a lower limit of the
time that the claimed viewing takes. A page without script says nothing, so the server's times alone decide.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db.models import Count, F, Max, Min, Q, QuerySet, Sum
from django.db.models.functions import Now

from benchmarks.models import Item, ItemMedia
from benchmarks.packs.twins import twins_among
from humantrials.assignment.prepared_queries import ONE, OR_NOTHING, SMALL, TWO, PreparedInsert, PreparedQuery
from humantrials.kinds import kind_of
from humantrials.models import ClipFetch, Judgment, Participant, ParticipantKind, Trial
from humantrials.protocols import find_protocol
from humantrials.protocols.protocol import Protocol
from humantrials.protocols.settings import stills_per_clip
from humantrials.protocols.trial_types import WATCHED

NOT_FETCHED, TOO_FAST, IMPOSSIBLE = "clip-not-fetched", "faster-than-clip", "impossible-claim"
NOT_SHOWN, SOUND_OFF, TOO_SOON = "not-shown", "sound-off", "too-soon"
READING = 0.15  # seconds from the moment the question could be read: before it, a double click answers
FASTEST = 2.0  # times its own speed that a clip may be played at
SILENT = "no-audio"  # the condition in which nothing can be heard
SLACK = 1.0  # seconds: clocks of several servers differ, and players round
LEAST = 0.9  # share of the claimed viewing that must fit into the time
LARGEST_SHARE = 1.005  # share of a clip that a page may claim; pages send at most 1


@dataclass(frozen=True)
class ClipAnswer:
    """One answer about a clip; times in seconds since 1970."""

    pk: int
    arrived: float
    fetched: tuple[float, float] | None  # first request of its first and its last clip; None if one was never fetched
    share: float = field(kw_only=True, default=1.0)  # requested share of the file; the smaller one of two files
    watched: float  # claimed share of the clip, 0 if nothing is claimed
    length: float  # seconds of its clips together
    seconds: float  # claimed time of the answer
    agreed: float  # when the participant agreed
    reported: str = ""  # why it can't count by what its page recorded

    @property
    def is_timed(self) -> bool:
        """Whether times say anything: not if the machine's clock was set back since the consent."""
        return self.arrived >= self.agreed - SLACK

    @property
    def needs(self) -> float:
        """The least time in seconds between the fetch and the answer."""
        return LEAST * min(self.watched, 1.0) * self.length / FASTEST - SLACK


def fetches(person: int, item: int, place: int) -> QuerySet[ClipFetch]:
    return ClipFetch.objects.filter(participant=person, item=item, place=place)


Requests = Mapping[tuple[int, int], tuple[float, float, float]]  # (participant, item) -> see `first_requests`
SHARE = PreparedQuery(lambda: fetches(ONE, TWO, SMALL).values_list("share"), ONE, TWO, SMALL)
FIRST_FETCH = PreparedInsert(ClipFetch, OR_NOTHING)


def note_fetch(person: Participant, item: int, place: int, share: float = 1.0) -> None:
    """Store when the participant first asked for this clip, and the share of its file requested since.

    Once the whole file was requested, further requests only read.
    """
    if person.is_apart or not person.has_evidence:
        return
    known = SHARE.rows(person.pk, item, place)
    if not known:
        FIRST_FETCH.store(ClipFetch(participant_id=person.pk, item_id=item, place=place, share=share))
    elif known[0][0] < 1:
        fetches(person.pk, item, place).update(share=F("share") + share)


def note_delivery(person: Participant) -> None:
    """Store when the first page with clips was sent to the participant."""
    if person.clips_sent_at is None:
        Participant.objects.filter(pk=person.pk, clips_sent_at=None).update(clips_sent_at=Now())


def has_evidence(trial: Trial) -> bool:
    """Whether answers are judged here: not those of a simulation, nor other work than judgments."""
    return trial.has_evidence and kind_of(trial).answers.are_judgments


def doubts_of(trial: Trial, people: Iterable[int] | None = None) -> dict[int, dict[int, str]]:
    """For each participant with evidence: judgment -> why it can't count. The one rule of assignment and results."""
    return {person: doubts(own) for person, own in _answers(trial, people).items()}


ANSWERS = PreparedQuery(lambda: Judgment.objects.filter(participant=ONE).select_related("slot").order_by(), ONE)
FETCHES = PreparedQuery(lambda: ClipFetch.objects.filter(participant=ONE).order_by(), ONE)


def doubts_of_one(person: Participant) -> dict[int, str]:
    """`doubts_of` for somebody who finishes, while others wait for the lock."""
    if not person.has_evidence or person.kind != ParticipantKind.PERSON or person.consented_at is None:
        return {}
    answers = ANSWERS.models(person.pk)
    for one in answers:
        one.agreed, one.condition = person.consented_at, one.slot.condition
    protocol = find_protocol(person.trial.protocol)
    requests = _requests_of(person, {answer.item_id for answer in answers}) if protocol.player.has_media else None
    return doubts(_clip_answers(person.trial, answers, requests))


def _requests_of(person: Participant, items: Collection[int]) -> Requests:
    """`first_requests` of one participant."""
    counts, by_item = media_counts(person.trial, items), defaultdict(list)
    for fetch in FETCHES.models(person.pk):
        by_item[fetch.item_id].append(fetch)
    found = {}
    for item, own in by_item.items():
        if len(own) >= counts.get(item, 1):
            times = sorted(one.at.timestamp() for one in own)
            found[person.pk, item] = (times[0], times[-1], min(one.share for one in own))
    return found


def doubts(own: Iterable[ClipAnswer]) -> dict[int, str]:
    """The answers of one participant that can't count, and why."""
    answers = list(own)
    found = {one.pk: TOO_FAST for one in _too_fast(one for one in answers if one.is_timed)}
    found |= {answer.pk: IMPOSSIBLE for answer in answers if _claims_too_much(answer)}
    found |= {one.pk: one.reported for one in answers if one.reported}
    return found | {one.pk: NOT_FETCHED for one in answers if not _was_fetched(one)}


def by_record(protocol: Protocol, one: Any) -> str:
    """Why an answer can't count by what its page recorded; "" if it can. `one` is a judgment with its `condition`."""
    if one.seconds is not None and one.seconds < READING:
        return TOO_SOON
    is_unseen = protocol.player.is_watched and one.watched is not None and one.watched < WATCHED
    if is_unseen or one.playback.get("problem") == "picture":
        return NOT_SHOWN
    has_sound = protocol.screening.has_sound and one.condition != SILENT
    is_off = one.playback.get("muted") == 1 or one.playback.get("volume") == 0
    return SOUND_OFF if has_sound and is_off else ""


def _was_fetched(one: ClipAnswer) -> bool:
    """Whether the clip was requested before the answer came, and nearly all of it if a full watch is claimed."""
    is_whole = one.watched < WATCHED or one.share >= LEAST
    is_before = one.fetched is not None and (one.fetched[1] <= one.arrived + SLACK or not one.is_timed)
    return is_before and is_whole


def _claims_too_much(one: ClipAnswer) -> bool:
    return one.watched > LARGEST_SHARE or (one.is_timed and one.seconds > one.arrived - one.agreed + SLACK)


def _too_fast(answers: Iterable[ClipAnswer]) -> Iterator[ClipAnswer]:
    """Answers whose clips, together with all that were fetched later, don't fit into the time until the last answer.

    So neither one fast answer passes, nor a wait after which all answers come at once.
    """
    later: list[ClipAnswer] = []
    for one in sorted(filter(_was_fetched, answers), key=lambda answer: answer.fetched or (), reverse=True):
        later.append(one)
        since, until = (one.fetched or (0.0,))[0], max(each.arrived for each in later)
        if one.needs > one.arrived - since:
            yield one
        elif sum(each.needs + SLACK for each in later) - SLACK > until - since:
            yield from later


def _answers(trial: Trial, people: Iterable[int] | None) -> dict[int, list[ClipAnswer]]:
    known = {"participant__has_evidence": True, "participant__kind": ParticipantKind.PERSON}
    rows = Judgment.objects.filter(trial=trial, participant__consented_at__isnull=False, **known)
    if people is not None:
        people = list(people)
        rows = rows.filter(participant__in=people)
    rows = rows.annotate(agreed=F("participant__consented_at"), condition=F("slot__condition"))
    answers = list(rows.only("participant", "item", "created_at", "seconds", "watched", "playback"))
    has_media = find_protocol(trial.protocol).player.has_media
    requests = first_requests(trial, people, {one.item_id for one in answers}) if has_media else None
    found: dict[int, list[ClipAnswer]] = defaultdict(list)
    for one, answer in zip(answers, _clip_answers(trial, answers, requests), strict=True):
        found[one.participant_id].append(answer)
    return found


def _clip_answers(trial: Trial, answers: Sequence[Any], requests: Requests | None) -> list[ClipAnswer]:
    """The judgments as they are judged here, in their order; each has `agreed` and `condition` beside its columns."""
    protocol = find_protocol(trial.protocol)
    lengths = _lengths(trial, trial.created_at) if protocol.player.is_watched else {}
    return [_clip_answer(answer, protocol, requests, lengths.get(answer.item_id, 0.0)) for answer in answers]


def _clip_answer(one: Any, protocol: Protocol, fetches_of: Requests | None, length: float) -> ClipAnswer:
    """The judgment as it is judged here. A page without a script claims nothing, and is taken to have shown it all."""
    arrived = one.created_at.timestamp()
    found = (arrived, arrived, 1.0) if fetches_of is None else fetches_of.get((one.participant_id, one.item_id))
    return ClipAnswer(
        pk=one.pk,
        arrived=arrived,
        fetched=found and found[:2],
        share=found[2] if found else 1.0,
        watched=(1.0 if one.watched is None else one.watched) if protocol.player.is_watched else 0.0,
        length=length,
        seconds=one.seconds or 0.0,
        agreed=one.agreed.timestamp(),
        reported=by_record(protocol, one),
    )


def first_requests(trial: Trial, people: Iterable[int] | None = None, items: Collection[int] | None = None) -> Requests:
    """(participant, item) -> when its first and its last clip or picture were first asked for, where all were.

    The third value is the requested share of the file, the lowest if there are several.
    """
    counts = media_counts(trial, items)
    rows = ClipFetch.objects.filter(participant__trial=trial).order_by().values_list("participant", "item")
    if people is not None:
        rows = rows.filter(participant__in=people)
    every = rows.annotate(first=Min("at"), last=Max("at"), n=Count("pk"), share=Min("share"))
    return {
        (who, item): (first.timestamp(), last.timestamp(), share)
        for who, item, first, last, n, share in every
        if n >= counts.get(item, 1)
    }


def media_counts(trial: Trial, items: Collection[int] | None = None) -> Mapping[int, int]:
    """Item -> the number of clips or pictures that its page shows; of these items, or of all that the trial asks."""
    player = find_protocol(trial.protocol).player
    if player.is_watched and items is not None:
        return dict.fromkeys(items, player.clips)
    of_trial = Item.objects.filter(slots__trial=trial).distinct()
    displayed = (of_trial if items is None else Item.objects.filter(pk__in=items)).order_by()
    if player.is_watched:
        return dict.fromkeys(displayed.values_list("pk", flat=True), player.clips)
    if player.shows_frames:
        return {
            pk: stills_per_clip(trial.settings, frames)
            for pk, frames in displayed.values_list("pk", "media__clip__frames")
        }
    return dict(displayed.annotate(n=Count("media", distinct=True)).values_list("pk", "n"))


@lru_cache(maxsize=128)
def _lengths(trial: Trial, _made_at: datetime) -> dict[int, float]:
    """Item of the trial -> seconds of the clips that its page shows together; clips stay as they were imported.

    `_made_at` distinguishes trials of different databases that share a number.
    """
    items = trial.pack.items.filter(slots__trial=trial).order_by().distinct()
    twins = twins_among(trial.pack, items) if find_protocol(trial.protocol).player.has_twin else {}
    displayed = Q(item__in=items.values("pk")) | Q(item__in=[twin.pk for twin in twins.values()])
    uses = ItemMedia.objects.filter(displayed).order_by().values_list("item")
    own = dict(uses.annotate(length=Sum("clip__seconds")))
    return {item: length + (own[twins[item].pk] if item in twins else 0.0) for item, length in own.items()}
