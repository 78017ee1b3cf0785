"""People's means where people rated some clips and a judge rated all of them.

What the judge says of the clips without people moves people's mean, as far as the two go together; where they don't, it
stays people's own (Angelopoulos, Duchi & Zrnic 2023, "PPI++", arXiv 2311.01453). A judge's bias cancels.
"""

from dataclasses import replace

import numpy as np

from measures.ratings.crossed_rows import CrossedRows, FactorCovariance, Numbers
from measures.ratings.rated_clips import Ratings, shares_of, sums_of


def powered_rows(ratings: Ratings, judged: Ratings, rows: int) -> CrossedRows:
    """People's mean of each row with the help of one judge's ratings, one of each clip, in one dimension."""
    by_people = _Mean(ratings, rows)
    beside = _Mean(judged.only(np.isin(judged.clips, ratings.clips)), rows)
    every = _Mean(judged, rows)
    weights = _weights(by_people, beside, every, rows)
    values = by_people.values + weights * (every.values - beside.values)
    parts = [by_people.parts, weights * every.parts, -weights * beside.parts]
    prompts = [mean.ratings.prompts for mean in (by_people, every, beside)]
    of_people = FactorCovariance.over_people(by_people.parts, ratings.people, ratings.prompts)
    of_prompts = FactorCovariance.over(np.concatenate(parts), np.concatenate(prompts))
    fewer = FactorCovariance.over(by_people.parts, ratings.prompts).degrees
    return CrossedRows(values, *of_people, replace(of_prompts, degrees=min(fewer, of_prompts.degrees)))


class _Mean:
    """Rows' means, and each rating's part in them."""

    def __init__(self, ratings: Ratings, rows: int) -> None:
        shares, self.ratings = shares_of(ratings), ratings
        self.values = sums_of(ratings.rows, shares * ratings.values, shares, rows)
        self.parts: Numbers = np.zeros((len(ratings), rows))
        self.parts[np.arange(len(ratings)), ratings.rows] = shares * (ratings.values - self.values[ratings.rows])

    def by_prompt(self, number: int) -> Numbers:
        """What each prompt adds (prompts × rows)."""
        prompts = self.ratings.prompts
        return np.stack([np.bincount(prompts, column, number) for column in self.parts.T], axis=1)


def _weights(by_people: _Mean, beside: _Mean, every: _Mean, rows: int) -> Numbers:
    """How far the judge is followed in each row, 0 to 1: what makes the variance over prompts least."""
    number = int(every.ratings.prompts.max(initial=0)) + 1
    people = by_people.by_prompt(number)
    gained = every.by_prompt(number) - beside.by_prompt(number)
    spread = np.square(gained).sum(axis=0)
    found: Numbers = np.divide(-(people * gained).sum(axis=0), spread, out=np.zeros(rows), where=spread > 0)
    return np.clip(found, 0.0, 1.0)
