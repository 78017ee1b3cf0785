"""The only door to intervals, tests and ranks: whoever shows a figure hands over answers, and gets it.

So a board, the page of a run and their files print one figure. An import contract keeps every app out of the modules
behind this door.
"""

from measures.estimate.answers import Column, estimate, pair_labels, share_of
from measures.estimate.differences import ESTIMATOR, PairedScores, consistency, difference
from measures.estimate.people import (
    figure_of_answers,
    figure_of_votes,
    interval_of_answers,
    interval_of_votes,
    mean_of_ratings,
)
from measures.majorities import VotedItem, Voter, voters_of

__all__ = [
    "ESTIMATOR",
    "Column",
    "PairedScores",
    "VotedItem",
    "Voter",
    "consistency",
    "difference",
    "estimate",
    "figure_of_answers",
    "figure_of_votes",
    "interval_of_answers",
    "interval_of_votes",
    "mean_of_ratings",
    "pair_labels",
    "share_of",
    "voters_of",
]
