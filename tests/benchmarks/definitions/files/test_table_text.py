"""Tables of others: a line ends where files end it, and every mistake names its line."""

import re
from pathlib import Path

import pytest

from benchmarks.definitions.files.schema import BadDefinition
from benchmarks.definitions.files.table_text import csv_table, json_rows

ODD = "one\u2028two\u2029three\u0085four"  # and, in CSV, the control characters that JSON forbids
ODDER = f"{ODD}\x0bfive\x1csix"
ROOT = Path(__file__).resolve().parents[4]


def test_odd_separators_belong_to_their_cell():
    assert list(json_rows("items.jsonl", f'{{"id": "{ODD}"}}\n')) == [(1, {"id": ODD})]
    columns, rows = csv_table("items.csv", f"id,question\na,{ODDER}\n\nb,x\n")
    assert columns == ["id", "question"]
    assert list(rows) == [(2, {"id": "a", "question": ODDER}), (4, {"id": "b", "question": "x"})]


@pytest.mark.parametrize(
    ("text", "line"),
    [("id;question\na;b, c\n", 2), ("sep=;\nid;question\na;b, c\n", 3), ("id\tquestion\na\tb, c\n", 2)],
)
def test_the_separators_of_excel_are_read(text, line):
    assert list(csv_table("items.csv", text)[1]) == [(line, {"id": "a", "question": "b, c"})]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("id,question\na,b\nc,d,e\n", 3),
        ('id,question\na,"b\nc"\nd,"never closed\n', 4),
        ("id,id\n", 1),
        ('sep=;\nid;question\na;"b" c\n', 3),
    ],
)
def test_a_mistake_names_the_line_where_its_row_begins(text, line):
    with pytest.raises(BadDefinition) as refused:
        list(csv_table("items.csv", text)[1])
    assert [one.line for one in refused.value.mistakes] == [line]


@pytest.mark.parametrize("line", ['{"a": ', "[1]", "[" * 5000, '{"a": ' + "9" * 5000 + "}"])
def test_a_line_that_is_no_object_is_named(line):
    with pytest.raises(BadDefinition) as refused:
        list(json_rows("items.jsonl", f'{{"a": 1}}\n\n{line}\n'))
    assert refused.value.mistakes[0].line == 3


def test_no_second_place_decides_where_a_line_of_a_table_ends():
    """`splitlines` ends lines at U+2028 and vertical tabs, and csv's own readers stop at 131,072 letters."""
    folders = ("benchmarks/definitions/files", "benchmarks/packs", "evaluation/submissions", "evaluation/referees")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    own = re.compile(r"csv\.(?:Dict)?[rR]eader\(|enumerate\(.*splitlines\(")
    found = [path.relative_to(ROOT).as_posix() for path in paths if own.search(path.read_text())]
    assert found == ["benchmarks/definitions/files/table_text.py"]
