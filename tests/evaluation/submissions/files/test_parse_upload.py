"""Uploaded bytes are parsed into rows or problems; nothing is skipped and nothing raises."""

import io
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.submissions.files.archives import LINE_BYTES
from evaluation.submissions.files.parse_upload import AnswerRow, read_upload
from evaluation.submissions.files.problems import Problem, Unreadable
from evaluation.submissions.files.strict_json import parsed
from measures.scores.parsed_answers import CUT_OFF
from tests.evaluation.submissions.uploads import CODES, gzipped, json_lines, unzipped, workbook, zipped

HEADER = '{"benchmark": "grasp"}'
TABLE = "item,reply,seed"


def found(content: bytes) -> list[AnswerRow | Problem]:
    return list(read_upload(io.BytesIO(content)).rows)


def code_of(row: AnswerRow | Problem) -> str:
    return row.code if isinstance(row, Problem) else "a row"


def code(content: bytes) -> str:
    with pytest.raises(Unreadable) as refusal:
        found(content)
    assert refusal.value.problem.code in CODES
    return refusal.value.problem.code


def test_a_good_line_is_a_row():
    for line, row in (
        ('{"item": "a", "answer": "yes"}', AnswerRow(2, "a", "answer", "yes")),
        ('{"item": "a", "reply": "Yes, it is.", "seed": 2}', AnswerRow(2, "a", "reply", "Yes, it is.", 2)),
        ('{"item": "a", "reply": ""}', AnswerRow(2, "a", "reply", "")),
        ('{"item": "a", "reply": "No.", "thoughts": "Red?"}', AnswerRow(2, "a", "reply", "No.", thoughts="Red?")),
        (
            f'{{"item": "{"a" * 170}", "reply": "Well", "ended": "{CUT_OFF}"}}',
            AnswerRow(2, "a" * 170, "reply", "Well", finish=CUT_OFF),
        ),
        ('{"reply": "ja \\u00fc \\ud83d\\ude00", "item": "a"}\r', AnswerRow(2, "a", "reply", "ja ü 😀")),
    ):
        assert found(json_lines(HEADER, line)) == [row]


ODD_LINES = [
    ("yes", "not-json"),
    ('"yes"', "not-json"),
    ('["a", "yes"]', "not-json"),
    ('{"item": "a", "answer": "yes"', "not-json"),
    ('{"item": "a", "item": "b", "answer": "yes"}', "not-json"),
    ('{"item": "a", "answer": "yes", "seed": NaN}', "seed"),
    ('{"item": "a", "answer": "yes", "seed": ' + "9" * 5000 + "}", "not-json"),
    ("[" * 50_000, "not-json"),
    ('{"a":' * 10_000, "not-json"),
    ('{"answer": "yes"}', "value"),
    ('{"item": "", "answer": "yes"}', "value"),
    ('{"item": 7, "answer": "yes"}', "value"),
    ('{"item": "' + "a" * 199 + '", "answer": "yes"}', "value"),
    ('{"item": "a"}', "fields"),
    ('{"item": "a", "answer": "yes", "reply": "Yes."}', "fields"),
    ('{"item": "a", "answer": "yes", "confidence": 1}', "fields"),
    ('{"item": "a", "answer": "yes", "thoughts": "Hm."}', "fields"),
    ('{"item": "a", "reply": "Yes.", "thoughts": 1}', "fields"),
    (f'{{"item": "a", "answer": "yes", "ended": "{CUT_OFF}"}}', "fields"),
    ('{"item": "a", "reply": "Yes.", "ended": "by itself"}', "fields"),
    ('{"item": "' + "a" * 171 + '", "reply": "Yes.", "thoughts": "Hm."}', "value"),
    ('{"item": "a", "answer": true}', "value"),
    ('{"item": "a", "answer": null}', "value"),
    ('{"item": "a", "answer": {"is": "yes"}}', "value"),
    *(
        (f'{{"item": "a", "answer": "yes", "seed": {seed}}}', "seed")
        for seed in ("-1", "1.0", '"1"', "true", "1e999", "4294967296")
    ),
    ('{"item": "a", "reply": "\\ud800"}', "encoding"),
    ('{"item": "a", "reply": "\\u0000"}', "encoding"),
    ('{"item": "a", "reply": "' + "x" * LINE_BYTES + '"}', "line-too-long"),
]


def test_an_odd_line_is_one_problem_and_the_next_line_is_read():
    for line, problem in ODD_LINES:
        odd, good = found(json_lines(HEADER, line, {"item": "b", "answer": "no"}))
        assert (code_of(odd), odd.line, good) == (problem, 2, AnswerRow(3, "b", "answer", "no")), line[:80]


def test_json_that_is_nested_too_deeply_is_refused_in_these_words():
    with pytest.raises(ValueError, match="nested too deeply"):
        parsed("[" * 50_000)


def test_bytes_that_are_no_text_are_a_problem_of_their_line():
    for raw in (b'{"item": "\xff"}', b'{"item": "a\x00", "answer": "yes"}'):
        (odd,) = found(HEADER.encode() + b"\n" + raw)
        assert (code_of(odd), odd.line) == ("encoding", 2)


def test_a_table_gives_rows_with_the_lines_where_they_begin():
    long = "Yes, I\nthink so.\n\nReally."
    for lines, *rows in (
        ("a,Yes.,0", AnswerRow(2, "a", "reply", "Yes.")),
        (f' a ,"{long}",1\nb,No.,1', AnswerRow(2, "a", "reply", long, 1), AnswerRow(6, "b", "reply", "No.", 1)),
        ("\n\na,Yes.,0\r\n\n", AnswerRow(4, "a", "reply", "Yes.")),
    ):
        assert found(f"{TABLE}\n{lines}".encode()) == rows
    by_semicolons = "item;reply\na;Yes, it is.\n".encode("utf-8-sig")  # as Excel does
    assert found(by_semicolons) == [AnswerRow(2, "a", "reply", "Yes, it is.")]


def test_an_odd_line_of_a_table_is_one_problem_and_the_next_is_read():
    for line, problem in (
        ("a,Yes.", "cells"),
        ("a,Yes.,0,more", "cells"),
        ('a,"Yes" no,0', "cells"),
        *((f"a,Yes.,{seed}", "seed") for seed in ("", "-1", "1.0", "²", "99999999999999999999")),
        (",Yes.,0", "value"),
    ):
        odd, good = found(f"{TABLE}\n{line}\nb,No.,0\n".encode())
        assert (code_of(odd), odd.line, good) == (problem, 2, AnswerRow(3, "b", "reply", "No.")), line
    never_closed = f'{TABLE}\na,"Yes.,0\nb,No.,0\n'.encode()
    assert [(code_of(row), row.line) for row in found(never_closed)] == [("cells", 2)]


def test_a_table_must_name_its_columns():
    bad = ("item", "answer", "item,answer,reply", "item,answer,answer", "item,answer,note", "hello", '"item')
    assert {code(f"{columns}\na,yes\n".encode()) for columns in bad} == {"columns"}
    assert code(b"item;window;surprise;surprise\na;0;1.0;1.0\n") == "columns"
    assert [code_of(row) for row in found(b"item;window;surprise\na;0;1.0\na;1;2.0\n")] == ["a row"]


def test_the_first_sheet_of_a_workbook_is_a_table_whose_lines_are_its_rows():
    rows = [("item", "reply", "seed"), ("a", "=1, or\nso", 1), (), ("b", "No.", 0), ("c", "Yes.", None)]
    first, second, odd = found(workbook(rows))
    assert first == AnswerRow(2, "a", "reply", "=1, or\nso", 1)
    assert second == AnswerRow(4, "b", "reply", "No.")
    assert (code_of(odd), odd.line) == ("seed", 5)


def test_an_empty_cell_of_a_workbook_is_the_empty_text_that_it_is_in_a_table():
    rows = [{"item": "a", "seed": 0}, {"item": "b", "reply": "", "answer": "", "seed": 1}]
    for columns in ("item reply", "reply item", "item reply seed", "item answer"):
        table = [columns.split(), *([row.get(name) for name in columns.split()] for row in rows)]
        text = "\n".join(",".join("" if cell is None else str(cell) for cell in row) for row in table)
        of_workbook = found(workbook(table))
        assert of_workbook == found(text.encode())
        assert [row.text for row in of_workbook] == ["", ""]


def test_a_damaged_or_swollen_workbook_is_one_sentence():
    whole = workbook([("item", "reply"), ("a", "Yes.")])
    damaged = {name: content for name, content in unzipped(whole).items() if name != "xl/worksheets/sheet1.xml"}
    swollen = unzipped(whole) | {"xl/sharedStrings.xml": b"<sst>" + b" " * 30_000_000}
    assert [code(zipped(members)) for members in (damaged, swollen)] == ["broken-archive", "too-much-inside"]


ROW = json_lines(HEADER, {"item": "a", "answer": "yes"})


def test_plain_marked_windows_and_packed_files_are_read_alike():
    marked = (b"\xef\xbb\xbf" + ROW, b"\n\n" + ROW, ROW.replace(b"\n", b"\r\n"), ROW.rstrip())
    for content in (ROW, *marked, gzipped(ROW), zipped({"answers.jsonl": ROW})):
        upload = read_upload(io.BytesIO(content))
        assert upload.header == {"benchmark": "grasp"}
        assert [row.item for row in upload.rows] == ["a"]
    without_header = read_upload(io.BytesIO(json_lines({"item": "a", "answer": "yes"})))
    assert without_header.header is None
    assert list(without_header.rows) == [AnswerRow(1, "a", "answer", "yes")]


@given(st.binary(max_size=400))
def test_whatever_bytes_come_nothing_raises_but_a_sentence(content):
    rows = []
    with suppress(Unreadable):
        rows = found(content)
    assert all(isinstance(row, AnswerRow) or row.code in CODES for row in rows)


LINES = st.text(st.characters(exclude_characters="\n\r\x00", codec="utf-8"), max_size=60).filter(str.strip)


@given(st.lists(LINES, max_size=20))
def test_every_line_of_json_lines_and_of_a_table_is_accounted_for(lines):
    of_table = [line.replace('"', "'") for line in lines]
    for content in (json_lines(HEADER, *lines), "\n".join([TABLE, *of_table]).encode()):
        assert [row.line for row in found(content)] == list(range(2, len(lines) + 2))
