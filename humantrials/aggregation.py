"""Judgments to votes. Pure: what most people said about an item, and whether they were right."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from measures.agreement import majority


@dataclass(frozen=True)
class ItemVote:
    """The counted answers to one item. A tie has no majority, and so has an item that nobody answered."""

    item_id: int
    counts: dict[str, int]
    majority: str | None
    is_tie: bool
    n: int


def votes_of(answers: Iterable[tuple[int, str]], items: Iterable[int]) -> list[ItemVote]:
    """(item, answer) pairs to one vote an item, in the order of `items`."""
    given: dict[int, list[str]] = defaultdict(list)
    for item_id, answer in answers:
        given[item_id].append(answer)
    return [_vote(item_id, given[item_id]) for item_id in items]


def _vote(item_id: int, answers: list[str]) -> ItemVote:
    most = majority(answers)
    return ItemVote(item_id, dict(most.counts), most.answer, most.is_tie, len(answers))
