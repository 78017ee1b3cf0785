"""The influence of one answer on a majority, and the majority's interval over people and items."""

from dataclasses import replace

import pytest

from measures.estimate import figure_of_votes
from measures.shares.majorities import VotedItem, Voter, majority_effect, swing, voters_of
from tools.bench.trials.dependence_coverage import held_by, majorities_of


def votes(wrong, n=40, people=3):
    """Votes on n items; two of three people err on so many of them, nobody on the others."""

    def voters(number):
        is_right = [number >= wrong] * 2 + [True]
        return tuple(
            Voter(f"p{(number + who) % people}", float(right), float(number < wrong))
            for who, right in enumerate(is_right)
        )

    return [VotedItem(float(number >= wrong), voters(number), number) for number in range(n)]


def test_the_interval_is_that_of_nothing_without_votes_and_of_all_items_without_errors():
    assert (figure_of_votes([]).interval.low, figure_of_votes([]).interval.high) == (0, 1)
    assert majority_effect(votes(0)) == 1
    assert figure_of_votes(votes(0, people=500)).interval.high == 1


def test_the_ends_are_monotone_up_to_all_right():
    found = [figure_of_votes(votes(wrong, people=30)).interval for wrong in range(4)]
    assert [one.low for one in found] == sorted((one.low for one in found), reverse=True)
    assert [one.high for one in found] == sorted((one.high for one in found), reverse=True)


def test_an_effect_below_1_of_ties_reaches_no_less_far_than_all_right():
    tied = [VotedItem(0.5, (Voter("a", 1.0, 0.5), Voter("b", 0.0, 0.5)), number) for number in range(39)]
    rest = [VotedItem(1.0, (Voter("c", 1.0, 0.5),), 40 + number) for number in range(39)]
    found = figure_of_votes([*tied[:1], *rest]).interval
    assert found.low <= figure_of_votes([replace(one, score=1.0) for one in tied]).interval.low


@pytest.mark.parametrize("world", [majorities_of(24, 64, 0.9, items=0.5), majorities_of(12, 40, 0.7, votes=2)])
def test_people_and_items_are_samples(world):
    found = held_by(world, 300, seed=2)
    assert 0.92 <= found.share <= 0.985
    assert found.simple < 0.9


@pytest.mark.parametrize("expected", ["yes", "no", None])
def test_people_who_answer_alike_swing_alike_whatever_was_expected_of_another_item(expected):
    counts = {"yes": 2, "no": 1}
    given = [("a", "yes"), ("b", "no"), ("c", "yes")]
    assert voters_of(given, counts, expected) == tuple(
        Voter(person, float(answer == expected), swing(counts, answer, expected or "")) for person, answer in given
    )
