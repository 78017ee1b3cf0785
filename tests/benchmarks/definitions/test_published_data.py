"""The figures of the four papers, cell by cell; computation confirms their contradictions."""

from decimal import Decimal

import pytest
from scipy.stats import kendalltau

from benchmarks.definitions.published_data import published_tables
from benchmarks.definitions.registry import BENCHMARKS
from tests.benchmarks import published_tables as known

CRAFT, PACS, GIRAFFE = (BENCHMARKS[slug] for slug in ("craft", "pacs", "giraffe"))
PEOPLE = ["83.00", "77.10", "86.96", "72.36", "79.71", "80.37"]


def table(name):
    slug, _, rest = name.partition("-")
    return next(one for one in BENCHMARKS[slug].tables if one.name == rest)


@pytest.mark.parametrize("name", known.NAMES)
def test_every_cell_is_as_printed(name):
    rows, count = table(name).rows, known.labels(name)
    typed = known.read(name)
    shown = [list(row.cells) for row in rows]
    if name == "craft-table-1":
        assert shown.pop() == PEOPLE * 2, "one row for both settings"
    assert shown == [row[count:] for row in typed]
    names = [" ".join(row.labels).replace(" (text only)", "").casefold() for row in rows[: len(typed)]]
    assert names == [" ".join(row[:count]).casefold() for row in typed]


def averages(printed):
    """Yield (row, title of the average, printed, mean of its dimensions) for every average with dimensions."""
    for row in printed.rows:
        dimensions: list[Decimal] = []
        for column, cell in zip(printed.columns, row.cells, strict=True):
            if column.figure == "average":
                if dimensions:
                    yield row, column.title, Decimal(cell), sum(dimensions) / len(dimensions)
                dimensions = []
            elif cell:
                dimensions.append(Decimal(cell))


@pytest.mark.parametrize("number", [1, 2, 3, 9, 10, 11])
def test_averages_that_are_none_are_marked_and_no_others(number):
    for row, title, printed, mean in averages(table(f"giraffe-table-{number}")):
        half = Decimal("0.5").scaleb(printed.as_tuple().exponent)
        is_marked = "mean of the printed dimensions" in row.marks.get(title, "")
        assert is_marked == (abs(printed - mean) > max(half, Decimal("0.0101"))), (row.name, title)


def test_two_tables_of_one_run_agree_but_where_they_are_marked():
    """Table 7 holds the averages of Tables 9 to 11 once more."""
    differing = set()
    seven = {row.name: row for row in table("giraffe-table-7").rows}
    for number, temperature in ((9, "0.2"), (10, "0.7"), (11, "1.0")):
        again = table(f"giraffe-table-{number}")
        for row in again.rows:
            for short, long in (("H", "Human"), ("A", "Automated")):
                first = table("giraffe-table-7").cell(seven[row.name], f"{long} {temperature}")
                if Decimal(first) != Decimal(again.cell(row, f"{short} Avg.")):
                    differing.add((row.name, f"{long} {temperature}"))
    assert differing == {("MiniGPT-4", "Human 0.2")}
    assert seven["MiniGPT-4"].marks == {"Human 0.2": "Table 9 prints 7.13"}


def test_the_row_of_table_9_that_is_a_copy_is_marked():
    """At temperature 0.2 MiniGPT-4's human half is that of 1.0, and the printed tau follows from another figure."""
    rows = {number: {row.name: row for row in table(f"giraffe-table-{number}").rows} for number in (9, 11)}
    copied = {name for name, row in rows[9].items() if row.cells[:4] == rows[11][name].cells[:4]}
    assert copied == {"MiniGPT-4"}
    marks = rows[9]["MiniGPT-4"].marks
    assert list(marks) == ["H Acc.", "H Logic.", "H Spec.", "H Avg."]
    assert all("copied from the row at temperature 1.0" in mark for mark in marks.values())
    models = [row for row in table("giraffe-table-7").rows if row.kind == "model"]
    cold, usual = ([float(table("giraffe-table-7").cell(row, f"Human {t}")) for row in models] for t in ("0.2", "1.0"))
    with_copy = [7.13 if value == 6.33 else value for value in cold]
    taus = [kendalltau(values, usual).statistic for values in (cold, with_copy)]
    assert taus == pytest.approx([0.857, 0.837], abs=0.001)


def test_the_note_on_half_precision_is_right_to_the_figure():
    (note,) = [note for note in table("pacs-table-1").notes if "half precision" in note]
    assert "counts 596 right, this site 600 (50.0 and 50.3 %)" in note
    assert (round(596 / 11.92, 1), round(600 / 11.92, 1)) == (50.0, 50.3)


def test_crafts_ranges_are_broken_where_it_is_marked():
    """The text: 23.5 to 44.9 % for Descriptive, 29.7 to 57.1 % for the others, Random and AT-Random left out."""
    for row in table("craft-table-1").rows[2:-1]:
        for column, cell in zip(table("craft-table-1").columns[:5], row.cells, strict=False):
            low, high = (23.5, 44.9) if column.column == "Descriptive" else (29.7, 57.15)
            assert (column.title in row.marks) == (not low <= float(cell) <= high), (row.name, column.title)


def test_roboset_accuracies_are_whole_numbers_of_301_items_but_for_the_marked_one():
    printed = table("giraffe-table-3")
    for row in printed.rows:
        items = 301 * float(printed.cell(row, "RoboSet Acc.")) / 100
        assert ("RoboSet Acc." in row.marks) == (abs(items - round(items)) > 0.02), row.name


def test_no_figure_reaches_a_board_twice_and_ablations_reach_none():
    for benchmark in (CRAFT, PACS, GIRAFFE):
        places = [
            (row.name, row.level, row.strategy, row.condition, row.split, row.dimension, cell.column)
            for row in benchmark.published
            for cell in row.cells
        ]
        assert len(places) == len(set(places))
    assert {row.source for row in GIRAFFE.published} == {"Table 1", "Table 2", "Table 3"}


@pytest.mark.parametrize("row", [{"name": "a", "cells": []}, {"name": "a", "cells": ["1"], "marks": {"B": "odd"}}])
def test_a_row_that_does_not_fit_its_table_is_refused(row):
    told = {"name": "t", "source": "T", "title": "T", "columns": [{"title": "A"}], "rows": [row]}
    with pytest.raises(ValueError, match="row 'a' has other columns than A"):
        published_tables([told])


def test_the_printed_taus_of_giraffe_are_those_of_its_printed_averages():
    """Its Table 7 against its Table 1, over the eight models."""
    seven, one = table("giraffe-table-7"), table("giraffe-table-1")
    for short, long in (("H", "Human"), ("A", "Automated")):
        usual = [float(one.cell(row, f"{short} Avg.")) for row in one.rows]
        for temperature in ("0.2", "0.7", "1.0"):
            *models, printed = [float(seven.cell(row, f"{long} {temperature}")) for row in seven.rows]
            assert kendalltau(models, usual).statistic == pytest.approx(printed, abs=0.005)
