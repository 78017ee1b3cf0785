import csv
import io
import json

from openpyxl import load_workbook

from leaderboard.exports import writers
from leaderboard.exports.table import Table

TABLE = Table("A & B", ("Who", "Score %", "n"), (("=1+1|x_y", 49.6, 12), ("b", None, 0)), notes=("A note\nof 50 %",))


def test_csv_reads_back():
    rows = list(csv.reader(io.StringIO(writers.as_csv(TABLE).decode())))
    assert rows == [["Who", "Score %", "n"], ["'=1+1|x_y", "49.6", "12"], ["b", "", "0"]]


def test_json_keeps_numbers_as_numbers():
    assert json.loads(writers.as_json(TABLE))["rows"][1] == {"Who": "b", "Score %": None, "n": 0}


def test_markdown_escapes_the_bars():
    lines = writers.as_markdown(TABLE).decode().splitlines()
    assert lines[2:6] == ["| Who | Score % | n |", "|---|---:|---:|", "| =1+1\\|x_y | 49.6 | 12 |", "| b | – | 0 |"]


def test_latex_is_a_booktabs_table_with_everything_escaped():
    text = writers.as_latex(TABLE).decode()
    assert "\\toprule" in text
    assert "=1+1$|$x\\_y & 49.6 & 12 \\\\" in text
    assert "A \\& B" in text
    assert "A note of 50 \\%" in text


def test_the_spreadsheet_holds_numbers_and_its_notes():
    book = load_workbook(io.BytesIO(writers.as_xlsx(TABLE)))
    assert [[cell.value for cell in row] for row in book["Table"].iter_rows(min_row=2)] == [
        ["'=1+1|x_y", 49.6, 12],
        ["b", None, 0],
    ]
    assert book["Notes"]["A1"].value == "A & B"


def test_a_name_with_control_characters_makes_no_broken_file():
    table = Table("t", ("Who",), (("a\x00b\x1f",),))
    assert load_workbook(io.BytesIO(writers.as_xlsx(table)))["Table"]["A2"].value == "a b "


def test_columns_of_words_are_told_from_columns_of_numbers():
    rows = (("binary", "Video-LLaMA2 7B", 50.0, None), ("open", "GPT-4", "50.9 ± 0.6", None))
    table = Table("t", ("Strategy", "Model", "Shape", "Color"), rows)
    assert [is_text for _, is_text in table.print_columns] == [True, True, False, False]
    assert Table("empty", ("Model",), ()).print_columns == (("Model", False),)
