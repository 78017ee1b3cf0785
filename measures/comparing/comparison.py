"""Tests of whether two answerers differ on the items that both answered, or whether one differs from guessing.

Values are scores of items, 0 to 1; the two values of an item have the same index in two sequences.
"""

from bisect import bisect_left
from collections.abc import Hashable, Sequence
from functools import partial
from math import ceil, floor, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from measures.figures import LEVEL
from measures.shares.crossed import Dependence
from measures.shares.intervals import Effective, as_independent, interval_of, normal_quantile, rejected_at

MOST_EXACT = 12  # up to this number of clusters, all sign flips are tried: 4,096
FLIPS = 9_999
POWER = 0.8  # four of five repetitions
AT_ONCE = 1_000  # rows of signs in memory


def mcnemar_mid(only_first: int, only_second: int) -> float:
    """Two-sided mid-P value of McNemar's test, which treats the discordant items as fair coins.

    Half the probability of what was seen counts, not all of it: the exact test rejects a true hypothesis in far less
    than 5 % of cases, this one in nearly 5 (Fagerland, Lydersen & Laake 2013, BMC Medical Research Methodology 13).
    `only_first` is the number of items that only the first answered right, `only_second` that of the second. Without
    discordant items it is 1.0.
    """
    from scipy.special import bdtr  # loaded on use, as in `intervals.t_quantile`

    fewer, n = min(only_first, only_second), only_first + only_second
    if not n:
        return 1.0
    # A fair coin's two tails are equal: `binomtest` searches for the second one, which takes a hundred times as long.
    up_to, below = float(bdtr(fewer, n, 0.5)), float(bdtr(fewer - 1, n, 0.5)) if fewer else 0.0
    return 1 - (up_to - below) / 2 if only_first == only_second else up_to + below


def sign_flip(differences: Sequence[float], clusters: Sequence[Hashable]) -> float:
    """Two-sided p-value of a mean of paired differences, with items in clusters, such as clips.

    Under the hypothesis of no difference each cluster's sum of differences is as likely as its negative. With up to
    12 clusters that differ, all sign patterns are tried, else 9,999 random ones and the observed one (Phipson & Smyth
    2010, Statistical Applications in Genetics and Molecular Biology 9), so that the smallest value is 0.0001.
    """
    numbers = {cluster: number for number, cluster in enumerate(dict.fromkeys(clusters))}
    sums = np.bincount([numbers[cluster] for cluster in clusters], differences)
    sums = sums[np.abs(sums) > 1e-12]
    if not len(sums):
        return 1.0
    seen = abs(sums.sum()) - 1e-9  # ties count as at least as far
    if len(sums) <= MOST_EXACT:
        patterns = (np.arange(2 ** len(sums))[:, None] >> np.arange(len(sums))) & 1
        return float(np.mean(np.abs((1 - 2 * patterns) @ sums) >= seen))
    rng = np.random.default_rng(0)
    blocks = (min(AT_ONCE, FLIPS - start) for start in range(0, FLIPS, AT_ONCE))
    as_far = sum(int((np.abs(rng.choice((-1.0, 1.0), (block, len(sums))) @ sums) >= seen).sum()) for block in blocks)
    return (as_far + 1) / (FLIPS + 1)


def differs_from_chance(right: int, n: int, chance: float) -> float:
    """Two-sided exact binomial p-value of `right` out of `n` independent items where guessing gets `chance`, 0 to 1.

    The same number as `scipy.stats.binomtest` returns, by the functions that it calls: its module takes half a second
    to load, and a call fifteen times as long. Outcomes at most as likely as the one seen count as at least as far.
    """
    from scipy.special._ufuncs import _binom_cdf, _binom_pmf, _binom_sf  # loaded on use, as in `intervals.t_quantile`

    def is_as_far(outcome: int) -> bool:
        return bool(_binom_pmf(outcome, n, chance) <= limit)

    if not n or right == chance * n:
        return 1.0
    limit = _binom_pmf(right, n, chance) * (1 + 1e-7)
    if right < chance * n:
        last = bisect_left(range(n + 1), True, lo=ceil(chance * n), key=is_as_far) - 1  # not as far
        tails = _binom_cdf(right, n, chance) + (_binom_sf(last, n, chance) if last < n else 0.0)
    else:
        first = bisect_left(range(floor(chance * n) + 1), True, key=lambda outcome: not is_as_far(outcome))
        tails = (_binom_cdf(first - 1, n, chance) if first else 0.0) + _binom_sf(right - 1, n, chance)
    return min(1.0, float(tails))


def at_most_by_chance(right: int, n: int, chance: float) -> float:
    """The one-sided p-value, 0 to 1, of so few right or fewer out of `n` independent items, each right by `chance`."""
    from scipy.special import betainc  # loaded on use, as in `intervals.t_quantile`

    return float(betainc(n - right, right + 1, 1 - chance)) if right < n else 1.0


def guessed_as_well(
    totals: NDArray[np.float64], sizes: NDArray[np.float64], chance: float, dependence: Dependence | None = None
) -> float:
    """Two-sided p-value of a share whose observations come in clusters, where guessing gets `chance`.

    `totals` and `sizes` are the sum and the number of each cluster's observations, or of rows with a dependence; none
    is empty. p is the smallest 1 - level at which `intervals.interval_of` leaves chance out. Clusters that can be
    single answers are tested by the exact binomial: four clips all right are four answers, however often each was asked
    about. Where that test rejects and the interval does not, p is the interval's, which is then at least 0.05. 1.0
    without clusters.
    """
    found = as_independent(totals, sizes, dependence)
    if not found.observations:
        return 1.0
    interval_at = partial(interval_of, found)
    if answers := _single_answers(totals, sizes, found, dependence):
        exact = differs_from_chance(*answers, chance)
        if exact >= LEVEL or not interval_at(1 - LEVEL).holds(chance):
            return exact
    return rejected_at(interval_at, chance)


def _single_answers(
    totals: NDArray[np.float64], sizes: NDArray[np.float64], found: Effective, dependence: Dependence | None
) -> tuple[int, int] | None:
    """The number right of so many single answers if the clusters can be such; None if answers within some differ."""
    if found.share * (1 - found.share) <= 0:
        clusters = int(found.levels + 1e-9)
        return (clusters if found.share > 0 else 0), clusters
    if dependence is None and (sizes == sizes[0]).all() and np.isin(totals, (0, sizes[0])).all():
        return int((totals > 0).sum()), len(totals)
    return None


def minimum_detectable_difference(n: float, discordant: float) -> float | None:
    """The smallest difference of two shares, 0 to 1, that a paired test detects in n independent items with a power of
    80 %.

    `discordant` is the share of items that exactly one of the two answered right. Normal approximation of McNemar's
    test (Connor 1987, Biometrics 43), solved for the difference: (z_a·sqrt(d) + z_b·sqrt(d - D²)) / sqrt(n) = D. None
    if no difference possible with this discordance would be detected, or without items or discordance.
    """
    if n <= 0 or discordant <= 0:
        return None
    z_level, z_power = normal_quantile(0.95), NormalDist().inv_cdf(POWER)
    # Squared and solved for D: (n + z_b²)·D² - 2·z_a·sqrt(n·d)·D + (z_a² - z_b²)·d = 0, with the larger root.
    lead, middle = n + z_power**2, z_level * sqrt(n * discordant)
    root = middle**2 - lead * (z_level**2 - z_power**2) * discordant
    found = (middle + sqrt(max(0.0, root))) / lead
    return found if found <= discordant else None
