"""A participant's progress: their answers, whether they hold the sheet that they look at, and their own score."""

from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from benchmarks.disclosure import PUBLIC, Fact, known_answers, open_to, with_expected
from humantrials.assignment.prepared_queries import ONE, WORD, PreparedQuery
from humantrials.assignment.sheets import judged_slots, slots_of
from humantrials.judging.attention_checks import attention_count
from humantrials.models import Judgment, Participant, Trial
from humantrials.permissions import results_reader
from humantrials.protocols import find_protocol

SOONEST = timedelta(seconds=0.5)  # between answers by forms alone: a double click; static/js/trial-guard.js, too
A_TRIAL = Trial(slug=WORD)  # stands for the person's own in a prepared query
PREVIEWED = "trials-"  # a preview leaves no answers, so its step remembers how many clips were shown


def is_too_soon(person: Participant) -> bool:
    """Whether the last answer was stored so lately that nobody has seen the page after it: a double click."""
    now = timezone.now()
    rows = (person.judgments, person.attention_answers, person.pilot_answers, person.follow_ups)
    return any(kind.filter(created_at__range=(now - SOONEST, now)).exists() for kind in rows)


def answered_positions(person: Participant) -> set[int]:
    if person.is_preview:
        return set(range(int(person.step.removeprefix(PREVIEWED)))) if person.step.startswith(PREVIEWED) else set()
    if person.is_pilot:
        return set(person.pilot_answers.values_list("position", flat=True))
    judged = judged_slots(person)
    answered = {slot.position for slot in slots_of(person) if slot.pk in judged}
    if attention_count(person.trial):
        answered |= set(person.attention_answers.values_list("position", flat=True))
    return answered


FEWEST = 5  # questions: with fewer, a share tells single answers and is mostly luck


OPEN_ANSWERS = PreparedQuery(
    lambda: (
        with_expected(Judgment.objects.filter(participant=ONE), to=PUBLIC, item="item")
        .exclude(answer=WORD)
        .filter(expected__isnull=False)
        .values_list("answer", "expected")
    ),
    *(ONE, WORD),
)
SEALED_HERE = PreparedQuery(
    lambda: (
        Judgment.objects.filter(known_answers("item"), participant=ONE)
        .filter(open_to(results_reader(A_TRIAL), Fact.ANSWER, "item"))
        .exclude(open_to(PUBLIC, Fact.ANSWER, "item"))
        .values_list("pk")
    ),
    *(ONE, A_TRIAL.seal_name),
)


@dataclass(frozen=True)
class OwnScore:
    """Right answers of one participant, and the questions that they are counted over."""

    right: int
    n: int

    @property
    def share(self) -> float:
        return self.right / self.n


def own_score(person: Participant) -> OwnScore | None:
    """The person's score over the items whose answers anybody may know; None if these are fewer than five.

    An open study seals its items: then even a sum would tell answers to people who come back under other names.
    """
    if not _is_scored(person.trial):
        return None
    abstain = find_protocol(person.trial.protocol).analysis.abstain
    right = [answer == expected for answer, expected in OPEN_ANSWERS.rows(person.pk, abstain)]
    return OwnScore(sum(right), len(right)) if len(right) >= FEWEST else None


def comes_with_the_close(person: Participant) -> bool:
    """Whether only seals of this study keep the score back: its page shows it once the study is closed."""
    return _is_scored(person.trial) and len(SEALED_HERE.rows(person.pk, person.trial.seal_name)) >= FEWEST


def _is_scored(trial: Trial) -> bool:
    """Whether an answer is right or wrong by itself: neither a moment, a number nor a rating."""
    protocol = find_protocol(trial.protocol)
    return protocol.analysis.has_right_answers and not (protocol.player.has_moments or protocol.player.has_numbers)
