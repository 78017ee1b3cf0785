"""What may be claimed of a figure against chance, and of people against a model: the rules of every sentence."""

from dataclasses import dataclass

from leaderboard.board.board_row import BoardCell
from leaderboard.board.cell_display import is_tentative
from leaderboard.standings.paired_differences import Distance
from measures.estimate import excludes, lies_below, stands

ABOVE, NO_CLAIM = "above chance", "no different from chance"


def claim_of(cell: BoardCell, chance: float | None, p: float | None) -> str:
    """Above chance, below, or no different, as the board tints the cell; few clips say nothing."""
    if chance is None or cell.score is None or cell.rounded_to:
        return ""
    if is_tentative(cell):
        return "too few clips to tell from chance"
    is_apart, side = excludes(cell.low, cell.high, chance), "above" if cell.score > chance else "below"
    if is_apart if p is None else stands(p):
        return f"{side} chance"
    return f"{side} chance by itself, not once corrected for all cells" if is_apart else NO_CLAIM


@dataclass(frozen=True)
class Lead:
    """People's share minus a model's, -1 to 1, and whether it may be claimed; without n: two figures of one paper."""

    value: float
    stands: bool
    n: int | None = None  # questions that both answered


def tested_lead(distance: Distance) -> Lead:
    """People's lead over a row of a board: a claim where its test, corrected over the board's rows, stands."""
    return Lead(-distance.value, stands(distance.p), distance.n)


def printed_lead(people: BoardCell, model: BoardCell) -> Lead:
    """The lead that one paper prints: a claim, which is the paper's, unless the intervals that it prints overlap."""
    value, ends, others = round((people.share or 0.0) - (model.share or 0.0), 4), people.interval, model.interval
    is_apart = not (ends and others) or lies_below(ends, others) or lies_below(others, ends)
    return Lead(value, is_apart and value != 0)
