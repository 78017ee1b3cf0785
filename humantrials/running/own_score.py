"""How often a participant was right, told on the last page where that tells nothing that is hidden."""

from dataclasses import dataclass

from benchmarks.disclosure import PUBLIC, Fact, known_answers, open_to, with_expected
from humantrials.models import Judgment, Participant, Trial
from humantrials.permissions import results_reader
from humantrials.protocols import find_protocol

FEWEST = 5  # questions: with fewer, a share tells single answers and is mostly luck


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
    answered = with_expected(Judgment.objects.filter(participant=person), to=PUBLIC, item="item")
    abstain = find_protocol(person.trial.protocol).analysis.abstain
    pairs = answered.exclude(answer=abstain).filter(expected__isnull=False).values_list("answer", "expected")
    right = [answer == expected for answer, expected in pairs]
    return OwnScore(sum(right), len(right)) if len(right) >= FEWEST else None


def comes_with_the_close(person: Participant) -> bool:
    """Whether only seals of this study keep the score back: its page shows it once the study is closed."""
    own = Judgment.objects.filter(known_answers("item"), participant=person)
    waiting = own.filter(open_to(results_reader(person.trial), Fact.ANSWER, "item"))
    return _is_scored(person.trial) and waiting.exclude(open_to(PUBLIC, Fact.ANSWER, "item")).count() >= FEWEST


def _is_scored(trial: Trial) -> bool:
    """Whether an answer is right or wrong by itself: neither a moment, a number nor a rating."""
    protocol = find_protocol(trial.protocol)
    return protocol.analysis.has_right_answers and not (protocol.player.has_moments or protocol.player.has_numbers)
