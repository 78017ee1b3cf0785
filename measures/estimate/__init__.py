"""The only door to statistics: whoever shows an interval, a test, a rank or an agreement hands over answers here.

So a board, the page of a run and their files print one figure. Import contracts keep every app out of the modules
behind this door, and out of libraries with statistics of their own.
"""

from measures.comparing.comparison import at_most_by_chance
from measures.comparing.fresh_gap import FreshGap, ScoredItems, fresh_gap
from measures.comparing.probe_test import BlindResult, fold_of, standardised, tested_constant_guess, tested_guesses
from measures.comparing.rank_sets import Matrix, rows_below
from measures.detection.margins import MarginFigures, area_of_confidence, figures_of_margins
from measures.detection.moments import MomentFigures, figures_of_moments
from measures.detection.roc import Detection, detection
from measures.detection.surprise import figures_of_pairs
from measures.estimate.answers import Column, estimate, pair_labels, share_of
from measures.estimate.differences import ESTIMATOR, PairedScores, consistency, difference
from measures.estimate.evidence import excludes, family, lies_below, ranks, stands, with_untested
from measures.estimate.people import figure_of_answers, figure_of_votes, mean_of_ratings
from measures.ratings.bradley_terry import Strengths, UnconnectedError, Votes, strengths_of
from measures.ratings.crossed_rows import CrossedRows, crossed_rows
from measures.ratings.judge_agreement import kendall_tau, pearson_r, quadratic_kappa, share_within, tau_over_rows
from measures.ratings.prediction_powered import bias_rows, powered_rows
from measures.ratings.rated_clips import Ratings, mean_rows, reaching_rows
from measures.ratings.rater_agreement import ordinal_alpha, split_half
from measures.ratings.vote_audit import VoteFinding, audit_votes
from measures.shares.agreement import interval_alpha, krippendorff_alpha, rank_correlation
from measures.shares.intervals import from_variance, interval_of_votes
from measures.shares.item_response import ItemFit, flags_by_chance, flags_of, item_rest_correlation, two_parameter_fit
from measures.shares.majorities import VotedItem, Voter, voters_of
from measures.shares.sample_size import SampleSize, Variation, half_width, power, variation_of
from measures.shares.two_stage import StagedAnswer, allotted, disagreement, first_share, weights_of
from measures.shares.wordings import wording_spread
