"""The rows of each answerer under several conditions, and the items that two rows share."""

from collections.abc import Sequence
from dataclasses import replace

from leaderboard.board.board_row import BoardRow
from leaderboard.board.column_blocks import BlockRow, lines_of
from leaderboard.board.query import View
from leaderboard.board.rows import rows_of_standings
from leaderboard.items.item_list import source_of
from leaderboard.standings.paired_differences import Pair, paired

WITH, WITHOUT = "audio", "no-audio"


def lines_under(view: View, conditions: Sequence[str]) -> list[BlockRow]:
    """A line for each answerer of the view, with its row under each of these conditions."""
    return lines_of((one, rows_of_standings(replace(view, condition=one))) for one in conditions)


def pairs_between(view: View, first: BoardRow, second: BoardRow) -> list[Pair]:
    """The items of the view's level and split that both answered; the key of people's rows names the condition."""
    found = paired(*(source_of(view.benchmark, row.key).answers(view.split) for row in (first, second)))
    return [
        pair
        for pair in found
        if view.split in pair.item.facet_values("split") and view.level.number in pair.item.facet_values("level")
    ]
