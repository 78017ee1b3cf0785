"""The server's evidence of viewing: compares the time of sending each clip with the answers' arrival and claims.

An answer that comes late (a slow network, a reload, a second device) is never in doubt: everything here is a lower
limit of the time that the claimed viewing takes.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from django.db.models import Count, F, Max, Min, QuerySet, Sum
from django.utils import timezone

from benchmarks.models import ItemMedia
from benchmarks.packs.twins import twins_among
from humantrials.assignment.prepared_queries import ONE, OR_NOTHING, SMALL, TWO, PreparedInsert, PreparedQuery
from humantrials.models import ClipFetch, Judgment, Participant, ParticipantKind, Trial
from humantrials.protocols import find_protocol
from humantrials.protocols.stills import stills_per_clip
from humantrials.protocols.trial_types import WATCHED
from humantrials.studies.registered_rules import SEEN

NOT_FETCHED, TOO_FAST, IMPOSSIBLE = "clip-not-fetched", "faster-than-clip", "impossible-claim"
SLACK = 1.0  # seconds: clocks of several servers differ, and players round
LEAST = 0.9  # share of the claimed viewing that must fit into the time
LARGEST_SHARE = 1.005  # share of a clip that a page may claim; pages send at most 1
WITHOUT_EVIDENCE = (ParticipantKind.PREVIEW, ParticipantKind.PILOT)


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

    @property
    def needs(self) -> float:
        """The least time in seconds between the fetch and the answer."""
        return LEAST * min(self.watched, 1.0) * self.length - SLACK


def fetches(person: int, item: int, place: int) -> QuerySet[ClipFetch]:
    return ClipFetch.objects.filter(participant=person, item=item, place=place)


SHARE = PreparedQuery(lambda: fetches(ONE, TWO, SMALL).values_list("share"), ONE, TWO, SMALL)
FIRST_FETCH = PreparedInsert(ClipFetch, OR_NOTHING)


def note_fetch(person: Participant, item: int, place: int, share: float = 1.0) -> None:
    """Store when the participant first asked for this clip, and the share of its file requested since.

    Once the whole file was requested, further requests only read.
    """
    if person.kind in WITHOUT_EVIDENCE or not person.has_evidence:
        return
    known = SHARE.rows(person.pk, item, place)
    if not known:
        FIRST_FETCH.store(ClipFetch(participant_id=person.pk, item_id=item, place=place, share=share))
    elif known[0][0] < 1:
        fetches(person.pk, item, place).update(share=F("share") + share)


def note_delivery(person: Participant) -> None:
    """Store when the first page with clips was sent to the participant."""
    if person.clips_sent_at is None:
        Participant.objects.filter(pk=person.pk, clips_sent_at=None).update(clips_sent_at=timezone.now())


def has_evidence(trial: Trial) -> bool:
    """Whether the server noted what it sent: not in studies of words alone, nor in older ones, nor for a simulation.

    Pictures are noted since studies of pictures register the rule about it.
    """
    player = find_protocol(trial.protocol).player
    is_noted = player.is_watched or (player.has_media and SEEN in dict(trial.registered_rules or ()))
    return is_noted and trial.has_evidence


def doubts_of(trial: Trial, people: Iterable[int] | None = None) -> dict[int, dict[int, str]]:
    """For each participant with evidence: judgment -> why it can't rest on a view of the clip."""
    return {person: doubts(own) for person, own in _answers(trial, people).items()}


def doubts(own: Iterable[ClipAnswer]) -> dict[int, str]:
    """The answers of one participant that can't rest on a view of the clip, and why."""
    answers = list(own)
    found = {one.pk: TOO_FAST for one in _too_fast(answers)}
    found |= {one.pk: IMPOSSIBLE for one in answers if _claims_too_much(one)}
    return found | {one.pk: NOT_FETCHED for one in answers if not _was_fetched(one)}


def _was_fetched(one: ClipAnswer) -> bool:
    """Whether the clip was requested before the answer came, and nearly all of it if a full watch is claimed."""
    is_whole = one.watched < WATCHED or one.share >= LEAST
    return one.fetched is not None and one.fetched[1] <= one.arrived + SLACK and is_whole


def _claims_too_much(one: ClipAnswer) -> bool:
    return one.watched > LARGEST_SHARE or one.seconds > one.arrived - one.agreed + SLACK


def _too_fast(answers: Iterable[ClipAnswer]) -> Iterator[ClipAnswer]:
    """Answers whose clips, together with all that were fetched later, don't fit into the time until the last answer.

    So neither one fast answer passes, nor a wait after which all answers come at once.
    """
    later: list[ClipAnswer] = []
    for one in sorted(filter(_was_fetched, answers), key=lambda one: one.fetched or (), reverse=True):
        later.append(one)
        since, until = (one.fetched or (0.0,))[0], max(each.arrived for each in later)
        if one.needs > one.arrived - since:
            yield one
        elif sum(each.needs + SLACK for each in later) - SLACK > until - since:
            yield from later


def _answers(trial: Trial, people: Iterable[int] | None) -> dict[int, list[ClipAnswer]]:
    columns = ("pk", "participant", "item", "created_at", "watched", "seconds", "participant__consented_at")
    known = {"participant__has_evidence": True, "participant__kind": ParticipantKind.PERSON}
    rows = Judgment.objects.filter(trial=trial, participant__consented_at__isnull=False, **known)
    if people is not None:
        rows = rows.filter(participant__in=list(people))
    fetched, lengths = first_requests(trial), _lengths(trial)
    found: dict[int, list[ClipAnswer]] = defaultdict(list)
    for pk, person, item, at, watched, seconds, agreed in rows.values_list(*columns):
        (first, last, share), length = fetched.get((person, item), (None, None, 1.0)), lengths.get(item, 0.0)
        times = None if first is None or last is None else (first, last)
        claimed = (watched or 0.0, length, seconds or 0.0)
        found[person].append(ClipAnswer(pk, at.timestamp(), times, *claimed, agreed.timestamp(), share=share))
    return found


def first_requests(trial: Trial) -> dict[tuple[int, int], tuple[float, float, float]]:
    """(participant, item) -> when its first and its last clip or picture were first asked for, where all were.

    The third value is the requested share of the file, the lowest if there are several.
    """
    counts = media_counts(trial)
    rows = ClipFetch.objects.filter(participant__trial=trial).order_by().values_list("participant", "item")
    every = rows.annotate(first=Min("at"), last=Max("at"), n=Count("pk"), share=Min("share"))
    return {
        (who, item): (first.timestamp(), last.timestamp(), share)
        for who, item, first, last, n, share in every
        if n >= counts.get(item, 1)
    }


def media_counts(trial: Trial) -> Mapping[int, int]:
    """Item -> the number of clips or pictures that its page shows."""
    player, items = find_protocol(trial.protocol).player, trial.pack.items.filter(slots__trial=trial).order_by()
    if player.is_watched:
        return dict.fromkeys(items.values_list("pk", flat=True), player.clips)
    if player.shows_frames:
        return {
            pk: stills_per_clip(trial.settings, frames) for pk, frames in items.values_list("pk", "media__clip__frames")
        }
    return dict(items.annotate(n=Count("media", distinct=True)).values_list("pk", "n"))


def _lengths(trial: Trial) -> dict[int, float]:
    uses = ItemMedia.objects.filter(item__in=trial.slots.order_by().values("item")).order_by()
    own = dict(uses.values_list("item").annotate(length=Sum("clip__seconds")))
    if not find_protocol(trial.protocol).player.has_twin:
        return own
    twins = twins_among(trial.pack, trial.pack.items.filter(pk__in=own))
    return {item: length + own[twins[item].pk] for item, length in own.items() if item in twins}
