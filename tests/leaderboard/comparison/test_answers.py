"""Sentences that answer: a claim stands only with an interval or a corrected p that allows it."""

import pytest

from leaderboard.board.board_row import BoardRow
from leaderboard.comparison.answers import (
    ChangedRow,
    ScoredRow,
    against_chance,
    between_models,
    changed,
    depends,
    scored,
)
from leaderboard.comparison.report_section import ReportLine, ReportSection
from leaderboard.row_kinds import RowKind


def row(name, kind=RowKind.RUN, **more):
    return BoardRow(name.lower(), name, kind, {}, None, **more)


def result(name, value, low=None, high=None, kind=RowKind.RUN, **more):
    return ScoredRow(row(name, kind, **more), value, low, high)


PEOPLE = result("People", 90.6, 75, 97, RowKind.HUMAN)


def plain(text):
    return str(text).replace("<bdi>", "").replace("</bdi>", "")


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([], ""),
        ([PEOPLE], "People: 90.6 % (75–97)."),
        ([result("Robot", 80, 70, 90, RowKind.SIMULATED)], ""),
        ([result("A", 53.1, 35.6, 69.9)], "A is above chance (25 %): 53.1 % (35.6–69.9)."),
        ([result("A", 30, 20, 40)], "A is no different from chance (25 %): 30 % (20–40)."),
        ([result("A", 5, 1, 20)], "A is below chance (25 %): 5 % (1–20)."),
        # a figure without an interval, as of a paper, claims nothing
        ([result("A", 99)], "A is no different from chance (25 %): 99 %."),
        (
            [result("A", 30, 20, 40), result("B", 28, 18, 38)],
            "None of 2 model results is different from chance (25 %).",
        ),
        (
            [result("A", 60, 50, 70), result("B", 5, 1, 20), result("C", 26, 10, 40), PEOPLE],
            "Of 3 model results, 1 is above and 1 is below chance (25 %); highest: A, 60 % (50–70)."
            " People: 90.6 % (75–97).",
        ),
        # the highest figure is named only if it is above chance itself
        ([result("A", 5, 1, 20), result("B", 90, 10, 99)], "Of 2 model results, 1 is below chance (25 %)."),
        (
            [result("A", 60, 50, 70), result("B", 60, 52, 68)],
            "Of 2 model results, 2 are above chance (25 %); highest: A and B, 60 %.",
        ),
        (
            [result(name, 60, 50, 70) for name in "ABC"],
            "Of 3 model results, 3 are above chance (25 %); 3 share the highest, 60 %.",
        ),
        # a baseline is never named without the word
        (
            [result("Yes", 60, 50, 70, is_baseline=True), result("B", 26, 10, 40)],
            "Of 2 model results, 1 is above chance (25 %); highest: Yes (baseline), 60 % (50–70).",
        ),
    ],
)
def test_results_stand_against_chance(rows, sentence):
    assert plain(against_chance(rows, 25)) == sentence


def test_a_figure_without_chance_says_its_range():
    rows = [result("A", 300), result("B", 3), PEOPLE]
    assert plain(between_models(rows, "Tokens", "")) == "Tokens: from B, 3, to A, 300. People: 90.6 (75–97)."
    assert plain(between_models(rows[:1], "Tokens", "")) == "Tokens: 300 for A."
    assert between_models([], "Tokens") == ""


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ([], ""),
        ([("A", 0.2, 0.2)], "Sound is not shown to change the accuracy of A."),
        ([("A", 0.2, None), ("B", 0.3, 0.05)], "Sound is not shown to change the accuracy of any of 2 rows."),
        ([("A", -0.125, 0.001)], "Sound changes the accuracy of A by −12.5 points."),
        (
            [("A", 0.1, 0.01), ("B", -0.3, 0.04), ("C", 0.9, 0.5)],
            "Sound changes the accuracy of 2 of 3 rows; most: B, −30.0 points.",
        ),
    ],
)
def test_a_change_is_claimed_by_its_corrected_p(changes, sentence):
    rows = [ChangedRow(row(name), value, p) for name, value, p in changes]
    assert plain(changed(rows, "Sound", "accuracy")) == sentence


def test_a_spread_is_claimed_where_its_interval_is_above_nought():
    assert depends([], "the wording") == ""
    assert plain(depends([result("A", 3, 0, 7)], "the wording")) == "No result is shown to depend on the wording."
    rows = [result("A", 3, 0, 7), result("B", 6, 1, 9)]
    expected = "1 of 2 results depends on the wording; most: B, standard deviation 6 points (1–9)."
    assert plain(depends(rows, "the wording")) == expected


def test_names_are_isolated_and_escaped():
    assert "<bdi>&lt;b&gt;</bdi>" in against_chance([result("<b>", 5, 1, 20)], 25)


def test_a_section_has_intervals_beside_figures_and_the_whole_before_its_parts():
    lines = [
        ReportLine(row("A"), ("zero-shot", "all"), (4, 50.0, 20.0, 80.0)),
        ReportLine(row("A"), ("zero-shot", "Gravity"), (2, -0.5, -1.5, 0.5)),
        ReportLine(row("A"), ("zero-shot", "Collision"), (2, None, None, None)),
    ]
    heads = ("Prompting", "Test", "n", "Score", "low", "high")
    section = ReportSection("badge", "Title", heads, lines)
    assert [one.head for one in section.columns] == ["n", "Score"]
    assert [(words, cells) for ((_, words, cells),) in section.whole] == [
        (("zero-shot",), [("n", "4", ""), ("Score", "50", "20–80")])
    ]
    ((gravity, collision),) = section.parts
    assert gravity[2] == [("n", "2", ""), ("Score", "−0.5", "−1.5 to 0.5")]
    assert collision[2] == [("n", "2", ""), ("Score", "–", "")]
    assert (section.whole_heads, section.part_label) == (("Prompting",), "Title by test")
    assert [one.value for one in scored(lines, (1, 2, 3), "all")] == [50.0]
    assert [one.value for one in scored(lines, (1, 2, 3))] == [50.0, -0.5]
    # a section without parts has all of its lines and words
    alone = ReportSection("badge", "Title", heads, lines[1:])
    assert (alone.parts, alone.whole_heads, len(alone.whole)) == ([], ("Prompting", "Test"), 2)
