"""The sentences under the titles of audits, of referees and of Figure 3: counts of what stands, with edge cases."""

from types import SimpleNamespace

import pytest

from leaderboard.charts.grasp_figure_3 import AnswererBar, Figure3, answer_of
from leaderboard.models import BlindAudit
from leaderboard.pages.audits import answer_of_referees, answer_of_rounds, answer_without_looking
from leaderboard.row_kinds import RowKind


@pytest.mark.parametrize(
    ("leaks", "sentence"),
    [
        ([], ""),
        ([False, False], "None of 2 classifiers that see only a part is shown to beat chance."),
        ([True, False], "1 of 2 classifiers beats chance without the clip."),
        ([True, True], "2 of 2 classifiers beat chance without the clip."),
    ],
)
def test_classifiers_beat_chance_by_their_corrected_test(leaks, sentence):
    assert answer_without_looking(BlindAudit(probes=[{"leaks": one} for one in leaks])) == sentence


def fresh(*flags):
    """Rows of a round; None is a model with too few clips."""
    return [SimpleNamespace(gap=one is not None, is_flagged=bool(one)) for one in flags]


@pytest.mark.parametrize(
    ("rounds", "sentence"),
    [
        ([], ""),
        ([fresh(None)], ""),
        ([fresh(False, None)], "None of 1 model results is shown to be worse on fresh clips."),
        ([fresh(True, False)], "1 of 2 model results is worse on fresh clips."),
        # the last round with results, though a newer one has none yet
        ([fresh(False), fresh(True, True), fresh()], "2 of 2 model results are worse on fresh clips."),
    ],
)
def test_models_fall_on_fresh_clips_by_their_corrected_test(rounds, sentence):
    assert answer_of_rounds(rounds) == sentence


def validation(referee, *discriminates):
    parts = [
        SimpleNamespace(separation=None if one is None else SimpleNamespace(discriminates=one)) for one in discriminates
    ]
    return SimpleNamespace(referee=referee, parts=parts)


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        ([], ""),
        ([validation("a", None)], ""),
        (
            [validation("a", True, False)],
            "No referee is shown to tell right answers from answers beside the point on every data set.",
        ),
        (
            [validation("a", True, None), validation("b", True), validation("b", False)],
            "1 of 2 referees tells right answers from answers beside the point on every data set.",
        ),
    ],
)
def test_referees_tell_answers_apart_on_every_data_set(found, sentence):
    assert answer_of_referees(found) == sentence


def figure(*bars):
    return Figure3("", tuple(bars), (), 0.5, view=None)


def bar(name, mean, kind=RowKind.RUN, **more):
    return AnswererBar(name, kind, mean, **more)


@pytest.mark.parametrize(
    ("bars", "sentence"),
    [
        ([], ""),
        ([bar("People", 0.9, RowKind.HUMAN, of_people=True)], ""),
        ([bar("Simulated", 0.9, RowKind.SIMULATED), bar("A", 0.5)], "Highest average: <bdi>A</bdi>, 50.0 %."),
        ([bar("A", 0.5), bar("B", 0.5)], "Highest average: <bdi>A</bdi> and <bdi>B</bdi>, 50.0 %."),
        (
            [bar("People", 0.9, RowKind.HUMAN, of_people=True), bar("<A>", 0.7, range=(0.65, 0.75))],
            "Highest average: <bdi>&lt;A&gt;</bdi>, 65.0–75.0 %; people 90.0 %.",
        ),
    ],
)
def test_figure_3_names_the_highest_average_without_a_claim(bars, sentence):
    assert answer_of(figure(*bars)) == sentence
