"""The only door to intervals, tests and ranks: whoever shows a figure hands over answers, and gets it.

So a board, the page of a run and their files print one figure. An import contract keeps every app out of the modules
behind this door.
"""

from measures.estimate.answers import Column, estimate, pair_labels, share_of
from measures.estimate.differences import ESTIMATOR, PairedScores, consistency, difference

__all__ = ["ESTIMATOR", "Column", "PairedScores", "consistency", "difference", "estimate", "pair_labels", "share_of"]
