"""Item response: the difficulty of each item, and whether good answerers are the ones who get it right.

The two-parameter logistic model (Birnbaum 1968) by marginal maximum likelihood with EM (Bock & Aitkin 1981,
Psychometrika 46), with weak normal priors on slope and intercept, so that an item that everybody gets right can be
fitted. A negative slope means that good answerers fail the item and poor ones pass it, as with a wrong key.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
POINTS = np.linspace(-4, 4, 21)
WEIGHTS = np.exp(-(POINTS**2) / 2) / np.exp(-(POINTS**2) / 2).sum()
SLOPE, SLOPE_SPREAD, INTERCEPT_SPREAD = 1.0, 2.0, 3.0  # of the priors
ROUNDS, STEPS = 80, 2
SURE = 0.9  # probability of a slope below 0, from which an item is flagged
DRAWN, MOST_DRAWS = 400, 5  # items to simulate for the flags that chance makes, and times all are drawn at most


@dataclass(frozen=True)
class ItemFit:
    """By item: slope, its standard error at known abilities, intercept."""

    slope: Numbers
    error: Numbers
    intercept: Numbers

    @property
    def negative(self) -> Numbers:
        """The probability that each slope is below 0."""
        from scipy.special import ndtr  # as in `intervals.t_quantile`

        return ndtr(-self.slope / self.error)


def two_parameter_fit(scores: Numbers) -> ItemFit:
    """Fit respondents × items of scores from 0 to 1; NaN means no answer of this respondent."""
    known = ~np.isnan(scores)
    filled = np.where(known, scores, 0.0)
    share = (filled.sum(axis=0) + 0.5) / (known.sum(axis=0) + 1)
    slope, intercept = np.full(scores.shape[1], SLOPE), np.log(share / (1 - share))
    error = np.ones_like(slope)
    for _ in range(ROUNDS):
        posterior = _posterior(filled, known, slope, intercept)
        before = slope
        slope, intercept, error = _fitted(posterior.T @ filled, posterior.T @ known, slope, intercept)
        if np.abs(slope - before).max(initial=0) < 1e-4:
            break
    return ItemFit(slope, error, intercept)


def expit(odds: Numbers) -> Numbers:
    """The probability of these log-odds, without overflow."""
    return np.exp(-np.logaddexp(0.0, -odds))


def _posterior(filled: Numbers, known: NDArray[np.bool_], slope: Numbers, intercept: Numbers) -> Numbers:
    """The probability of each ability, (respondents, points)."""
    right = np.clip(expit(np.outer(POINTS, slope) + intercept), 1e-9, 1 - 1e-9)
    likelihood = filled @ np.log(right).T + (known - filled) @ np.log(1 - right).T + np.log(WEIGHTS)
    found = np.exp(likelihood - likelihood.max(axis=1, keepdims=True))
    return found / found.sum(axis=1, keepdims=True)


def _fitted(right: Numbers, abilities: Numbers, slope: Numbers, intercept: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Newton's steps for each item's weighted logistic regression on ability, and the slope's standard error."""
    theta = POINTS[:, None]
    for _ in range(STEPS):
        share = expit(theta * slope + intercept)
        miss, weight = right - abilities * share, abilities * share * (1 - share)
        first = (theta * miss).sum(axis=0) - (slope - SLOPE) / SLOPE_SPREAD**2
        second = miss.sum(axis=0) - intercept / INTERCEPT_SPREAD**2
        one = (theta**2 * weight).sum(axis=0) + 1 / SLOPE_SPREAD**2
        other, both = weight.sum(axis=0) + 1 / INTERCEPT_SPREAD**2, (theta * weight).sum(axis=0)
        size = one * other - both**2
        slope = slope + np.clip((other * first - both * second) / size, -1, 1)
        intercept = intercept + np.clip((one * second - both * first) / size, -1, 1)
    return slope, intercept, np.sqrt(other / size)


def item_rest_correlation(scores: Numbers) -> Numbers:
    """Correlation of each item's score with the respondent's mean on all other items; NaN if either does not vary."""
    known = ~np.isnan(scores)
    filled = np.where(known, scores, 0.0)
    sums, counts = filled.sum(axis=1, keepdims=True) - filled, known.sum(axis=1, keepdims=True) - known
    rest = np.where(known & (counts > 0), sums / np.maximum(counts, 1), np.nan)
    own = np.where(known & (counts > 0), scores, np.nan)
    n = (~np.isnan(own)).sum(axis=0)
    x, y = own - np.nansum(own, axis=0) / np.maximum(n, 1), rest - np.nansum(rest, axis=0) / np.maximum(n, 1)
    size = np.sqrt(np.nansum(x**2, axis=0) * np.nansum(y**2, axis=0))
    return np.where(size > 1e-12, np.nansum(x * y, axis=0) / np.where(size > 1e-12, size, 1), np.nan)


def flags_of(fit: ItemFit, rest: Numbers) -> NDArray[np.bool_]:
    """Which items are flagged: good answerers surely fail them, and they go against the other items as well."""
    return (fit.negative >= SURE) & (np.nan_to_num(rest) < 0)


def flags_by_chance(scores: Numbers, fit: ItemFit, counted: NDArray[np.bool_]) -> float:
    """The mean number of flags on the counted items if all were faultless.

    Each would tell answerers apart as well as the middle one does. Such answers are simulated for new answerers, with
    the items' own difficulty and the gaps of `scores`. Where answerers hardly differ the middle slope is near 0, and 6
    to 10 % of faultless items are flagged.
    """
    rng, known, (people, items) = np.random.default_rng(0), ~np.isnan(scores), scores.shape
    draws = min(MOST_DRAWS, -(-DRAWN // items))
    found = 0
    for _ in range(draws):
        chances = expit(rng.normal(size=(people, 1)) * np.median(fit.slope) + fit.intercept)
        answers = np.where(known, rng.random(scores.shape) < chances, np.nan)
        found += int((flags_of(two_parameter_fit(answers), item_rest_correlation(answers)) & counted).sum())
    return found / draws
