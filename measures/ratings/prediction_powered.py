"""One judge's ratings beside people's: how far it rates higher, and people's means with its help.

Where people rated some clips and a judge rated all, the judge's ratings of the others move people's mean as far as the
two go together (Angelopoulos, Duchi & Zrnic 2023, "PPI++", arXiv 2311.01453). A judge's bias cancels.
"""

from dataclasses import replace

import numpy as np

from measures.ratings.crossed_rows import CrossedRows, FactorCovariance, Numbers
from measures.ratings.rated_clips import Groups, Ratings, RowMeans


def bias_rows(people: Ratings, judged: Ratings, groups: Groups, rows: int) -> CrossedRows:
    """The judge's figure of each row minus people's; people and prompts are samples, and the judge is not."""
    by_people, by_judge = RowMeans.of(people, groups, rows), RowMeans.of(judged, groups, rows)
    return _sum_of(
        by_judge.values - by_people.values, by_people, [(np.ones(rows), by_judge), (-np.ones(rows), by_people)]
    )


def powered_rows(people: Ratings, judged: Ratings, groups: Groups, rows: int) -> CrossedRows:
    """People's figure of each row with the help of one judge's ratings of more clips than people rated."""
    by_people, every = RowMeans.of(people, groups, rows), RowMeans.of(judged, groups, rows)
    beside = RowMeans.of(judged.only(np.isin(judged.clips, people.clips)), groups, rows)
    weights = _weights(by_people, beside, every, rows)
    values = by_people.values + weights * (every.values - beside.values)
    found = _sum_of(values, by_people, [(np.ones(rows), by_people), (weights, every), (-weights, beside)])
    fewer = FactorCovariance.over(by_people.parts, by_people.ratings.prompts).degrees
    return replace(found, prompts=replace(found.prompts, degrees=min(fewer, found.prompts.degrees)))


def _sum_of(values: Numbers, by_people: RowMeans, means: list[tuple[Numbers, RowMeans]]) -> CrossedRows:
    """Rows from these means with their weights, of which one is people's."""
    parts = np.concatenate([weights * mean.parts for weights, mean in means])
    prompts = np.concatenate([mean.ratings.prompts for _, mean in means])
    own = by_people.ratings
    of_people = FactorCovariance.over_people(by_people.parts, own.people, own.prompts)
    return CrossedRows(values, *of_people, FactorCovariance.over(parts, prompts))


def _weights(by_people: RowMeans, beside: RowMeans, every: RowMeans, rows: int) -> Numbers:
    """How far the judge is followed in each row, 0 to 1: what makes the variance over prompts least."""
    number = int(every.ratings.prompts.max(initial=0)) + 1
    people = _by_prompt(by_people, number)
    gained = _by_prompt(every, number) - _by_prompt(beside, number)
    spread = np.square(gained).sum(axis=0)
    found: Numbers = np.divide(-(people * gained).sum(axis=0), spread, out=np.zeros(rows), where=spread > 0)
    return np.clip(found, 0.0, 1.0)


def _by_prompt(means: RowMeans, number: int) -> Numbers:
    """What each prompt adds (prompts × rows)."""
    return np.stack([np.bincount(means.ratings.prompts, column, number) for column in means.parts.T], axis=1)
