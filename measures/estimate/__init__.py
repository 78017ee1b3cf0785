"""The only door to intervals, tests and ranks: whoever shows a figure hands over answers, and gets it.

So a board, the page of a run and their files print one figure. An import contract keeps every app out of the modules
behind this door.
"""

from measures.estimate.answers import Column, estimate, pair_labels, share_of
from measures.estimate.differences import ESTIMATOR, PairedScores, consistency, difference
from measures.estimate.evidence import family, stands
from measures.estimate.people import (
    figure_of_answers,
    figure_of_votes,
    interval_of_answers,
    interval_of_votes,
    mean_of_ratings,
)
from measures.estimate.rankings import lower_rows, ranks, with_untested
from measures.majorities import VotedItem, Voter, voters_of
from measures.rank_sets import Matrix

__all__ = [
    "ESTIMATOR",
    "Column",
    "Matrix",
    "PairedScores",
    "VotedItem",
    "Voter",
    "consistency",
    "difference",
    "estimate",
    "family",
    "figure_of_answers",
    "figure_of_votes",
    "interval_of_answers",
    "interval_of_votes",
    "lower_rows",
    "mean_of_ratings",
    "pair_labels",
    "ranks",
    "share_of",
    "stands",
    "voters_of",
    "with_untested",
]
