"""A board's figure as a mark of a strip: how it looks, and where its interval ends."""

from benchmarks.strips import StripPoint
from leaderboard.board.board_row import BoardCell, BoardRow


def look_of(row: BoardRow) -> str:
    """How the marks of a row are drawn: of simulated people, hollow if others made the answers, or of a baseline."""
    if row.kind.is_simulated:
        return "sim"
    if row.kind.is_hollow:
        return "hollow"
    return "base" if row.is_baseline else ""


def key_of_mark(row: BoardRow) -> str:
    """The entry of a drawing's key that the marks of a row have."""
    return f"{'people' if row.is_people else 'model'} {look_of(row)}".strip()


def mark_of(cell: BoardCell, look: str, *, is_people: bool = False, label: str = "") -> StripPoint:
    """The mark of a figure with its interval; a rounded one is a bar over its range."""
    low, high = (None if end is None else 100 * end for end in cell.range or (cell.low, cell.high))
    return StripPoint(100 * (cell.share or 0.0), low, high, is_people, look, label, is_range=bool(cell.range))
