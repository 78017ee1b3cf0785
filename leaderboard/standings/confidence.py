"""How well people's confidence tells right answers apart, under the key of models' margins."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import NamedTuple

from humantrials.results.judgments import JudgmentRow
from leaderboard.standings.stored_cells import StoredCell, rounded
from measures.estimate import area_of_confidence

MARGIN = "margin"  # of a stored cell
YES_NO = ("yes", "no")


class ConfidentAnswer(NamedTuple):
    """One answer of a person: whether yes is right, the confidence (negative for no), the person and the item."""

    is_yes: bool
    rating: int
    person: str
    item: int


def add_confidence(cells: dict[str, dict[str, StoredCell]], answers: Sequence[ConfidentAnswer]) -> None:
    """Add to the levels the area of people's confidence: a sure yes ranks above an unsure one, a sure no below."""
    if len({is_yes for is_yes, *_ in answers}) < 2:
        return
    area = area_of_confidence(*zip(*answers, strict=True))
    for cell in cells.get("level", {}).values():
        cell[MARGIN] = rounded({"n": len(answers), "area": asdict(area)})


def confident_answers(rows: Iterable[JudgmentRow], expected: Mapping[int, str | None]) -> list[ConfidentAnswer]:
    """The yes/no answers of people who said how sure they were, to items with a public answer."""
    return [
        ConfidentAnswer(
            expected[row.item_id] == "yes",
            row.confidence if row.answer == "yes" else -row.confidence,
            row.participant_code,
            row.item_id,
        )
        for row in rows
        if row.confidence is not None and row.answer in YES_NO and expected.get(row.item_id) in YES_NO
    ]
