"""From judgments to votes. Pure: the majority answer to each item."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from measures.scores.scoring import majority, majority_score


@dataclass(frozen=True)
class ItemVote:
    """The counted answers to one item; there is no majority if they tie or if there are none."""

    item_id: int
    counts: dict[str, int]
    majority: str | None
    is_tie: bool
    n: int

    def score(self, expected: str | None) -> float:
        """The score of the majority answer, 0 to 1; a tie counts half."""
        return majority_score(self.counts, expected)


def votes_of(answers: Iterable[tuple[int, str]], items: Iterable[int]) -> list[ItemVote]:
    """Turn (item, answer) pairs into one vote per item, in the order of `items`."""
    by_item: dict[int, list[str]] = defaultdict(list)
    for item_id, answer in answers:
        by_item[item_id].append(answer)
    return [_vote(item_id, by_item[item_id]) for item_id in items]


def _vote(item_id: int, answers: list[str]) -> ItemVote:
    most = majority(answers)
    return ItemVote(item_id, dict(most.counts), most.answer, most.is_tie, len(answers))
