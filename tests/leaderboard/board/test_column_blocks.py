"""Rows of several views joined by answerer."""

from leaderboard.board.assemble import BoardRow, ColumnBlock
from leaderboard.board.column_blocks import BoardBlock, lines_of
from leaderboard.row_kinds import RowKind


def part(name, *rows):
    """A block with a row for each (answerer, frame sampler)."""
    made = [
        BoardRow(f"{name}-{at}", who, RowKind.RUN, {}, None, answerer=who, sampler=how)
        for at, (who, how) in enumerate(rows)
    ]
    return BoardBlock(ColumnBlock(name, name, name, None), (), None, made)


def test_an_answerer_stands_in_one_line_and_frames_sampled_otherwise_in_another():
    parts = [part("a", ("Both", "uniform-16"), ("One", "")), part("b", ("Both", "uniform-4"), ("One", "uniform-4"))]
    lines = [{block: row.key for block, row in line.rows.items()} for line in lines_of(parts)]
    assert lines == [{"a": "a-0"}, {"b": "b-0"}, {"a": "a-1", "b": "b-1"}]
