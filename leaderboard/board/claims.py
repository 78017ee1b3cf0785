"""What a figure may claim against chance: the rule of every sentence that says so."""

from leaderboard.board.board_row import BoardCell
from leaderboard.board.cell_display import is_tentative
from measures.estimate import excludes, stands

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
