"""Every figure of fixed answers, to six digits: formulas, priors, seeds and numbers of draws change on purpose alone.

Other tests say what the figures mean; these hold each term of them in its place. A value of kept_figures.txt may be
replaced where a change of the figure is meant.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from measures import estimate as of
from measures.comparing.comparison import guessed_as_well, minimum_detectable_difference, sign_flip
from measures.comparing.error_consistency import error_consistency_interval, gains
from measures.comparing.paired import PeopleParts, discordance, tango
from measures.comparing.rank_sets import _separated, _under_equality
from measures.detection.roc import Area, clustered_area, crossed_area
from measures.scores.clip_surprise import of_clip
from measures.scores.moment_answers import MomentAnswer, Window
from measures.shares.crossed import added_variance, either, sharing
from measures.shares.intervals import clustered_sums, mean_of_points, rejected_at, two_way_mean, wilson
from measures.shares.majorities import majority_effect

RNG = np.random.default_rng(11)
CLIPS, PEOPLE = np.repeat(np.arange(20), 3), np.tile(np.arange(10), 6)
OBJECTS = np.array([RNG.choice(9, 2, replace=False) for _ in range(60)])
FIRST, SECOND = (RNG.random((2, 60)) < [[0.8], [0.55]]).astype(float)
SHARES = np.round(RNG.random(60), 2)
FEW = PeopleParts((FIRST - FIRST.mean()) / 3, PEOPLE % 5, CLIPS, score=0.8)
MANY = PeopleParts((FIRST - FIRST.mean()) / 3, PEOPLE, CLIPS, score=0.8, are_second=True)
LOUD = PeopleParts((FIRST - FIRST.mean()) * 3, PEOPLE, CLIPS)
BOTH = PeopleParts((FIRST - FIRST.mean()) / 3, PEOPLE, CLIPS, sides=np.arange(60) % 2)
SAID = [
    [(f"p{who}", "yes" if RNG.random() < 0.5 + 0.04 * who else "no") for who in RNG.choice(10, 3, replace=False)]
    for _ in range(30)
]
VOTED = [
    of.VotedItem((sum(answer == "yes" for _, answer in one) > 1) * 1.0, of.voters_of(one, counts, "yes"), place // 2)
    for place, one in enumerate(SAID)
    for counts in [{said: [answer for _, answer in one].count(said) for said in ("yes", "no")}]
]
PAIRS = [
    of.PairedScores((clip, clip), one.score, float(other), one.voters)
    for clip, (one, other) in enumerate(zip(VOTED, SECOND, strict=False))
]
PICKED = np.array([RNG.choice(5, 2, replace=False) for _ in range(300)])
VOTES = of.Votes(
    PICKED[:, 0],
    PICKED[:, 1],
    np.where(RNG.random(300) < 0.1, 0.5, RNG.random(300) < 1 / (1 + np.exp(0.5 * (PICKED[:, 0] - PICKED[:, 1]) - 0.2))),
    RNG.integers(0, 25, 300),
    RNG.integers(0, 30, 300),
)
ALWAYS = replace(VOTES, share=np.where(PICKED[:, 0] == 0, 1.0, np.where(PICKED[:, 1] == 0, 0.0, VOTES.share)))
CYCLIC = replace(VOTES, share=np.where(RNG.random(300) < 0.8, (PICKED[:, 1] - PICKED[:, 0]) % 5 < 3, 0.0))
APART = VOTES.only((PICKED < 2).sum(1) != 1)  # rows 0 and 1 never met the others
RATINGS = of.Ratings(
    *(column.astype(kind) for column, kind in zip(
        (RNG.integers(1, 6, 240), np.arange(240) % 4, np.arange(240) // 4 % 12, np.arange(240) % 48,
         np.arange(240) // 48 % 2, RNG.integers(0, 15, 240)), (float, int, int, int, int, int), strict=True))
)  # fmt: skip
JUDGED = replace(RATINGS, values=np.clip(RATINGS.values + RNG.integers(-1, 2, 240), 1, 5), people=np.zeros(240, int))
OF_ONE, OF_TWO = (RATINGS.only(RATINGS.prompts < prompts) for prompts in (1, 2))
RIGHT = (RNG.random((16, 24)) < 1 / (1 + np.exp(np.linspace(-2, 2, 24) - np.linspace(-1, 1, 16)[:, None]))).astype(
    float
)
ALIKE = np.tile([1.0, -1.0, 0.0], 20)  # clips whose differences nearly cancel out
ALIKE[1] = 0.0
ONE, TWO = np.zeros(60, int), np.arange(60) // 30  # clips
ROWS = (RNG.random((5, 60)) < np.linspace(0.3, 0.8, 5)[:, None]).astype(float)
SIZES = ROWS + (RNG.random((5, 60)) < 0.6)  # answers, of which some were not given
UPPER = np.triu_indices(5, 1)
WINDOW = Window(4.0, 6.0)
MOMENTS = [
    MomentAnswer(
        None if n % 4 == 0 else 4 + n % 7 / 2, WINDOW if n % 3 else None, n // 2, person=f"P{n % 6}", press=5.0
    )
    for n in range(36)
]
SPREAD = of.Variation(0.8, 0.02, 0.01)

FIGURES = {
    "sign flips of 12 and 13 clips": lambda: [
        *(sign_flip((FIRST - SECOND)[: 3 * clips] + 0.1, CLIPS[: 3 * clips].tolist()) for clips in (12, 13)),
        sign_flip([1.0, -1.0] * 7, range(14)),
    ],
    "guessing": lambda: [
        guessed_as_well(FIRST.reshape(20, 3).sum(1), np.full(20, 3.0), 0.6),
        guessed_as_well(FIRST, np.ones(60), 0.7, sharing(OBJECTS)),
        *(guessed_as_well(np.full(60, same), np.ones(60), 0.6, sharing(OBJECTS)) for same in (0.0, 1.0)),
        guessed_as_well(np.ones(8), np.ones(8), 0.6),
    ],
    "detectable differences": lambda: [minimum_detectable_difference(n, 0.3) for n in (9.0, 30.0, 98.0)],
    "shared errors": lambda: (
        [
            error_consistency_interval(FIRST > 0, SECOND > 0, labels, people)
            for labels in (np.arange(60), CLIPS, OBJECTS, ONE, TWO)
            for people in (None, MANY, LOUD)
        ]
        + [error_consistency_interval(FIRST == 0, SECOND == 0, CLIPS)]
    ),
    "gains of shared errors": lambda: gains(FIRST > 0, SECOND > 0),
    "a gap to fresh clips": lambda: of.fresh_gap(
        of.ScoredItems(FIRST, (CLIPS % 3).astype(str), CLIPS), of.ScoredItems(SECOND, (CLIPS % 3).astype(str), CLIPS)
    ),
    "paired differences": lambda: [
        (found, found.interval(), found.interval(0.8), found.p(), found.independent())
        for values, labels, people in (
            *product([FIRST - SECOND], (CLIPS, OBJECTS), (None, FEW, MANY, BOTH, LOUD)),
            *product([FIRST - SECOND], (ONE, TWO), (None, MANY)),
            *product((ALIKE, ALIKE / 2), [CLIPS], [None]),
        )
        for found in [discordance(values, labels, people)]
    ],
    "panels": lambda: [one.panel for one in (FEW, MANY, BOTH)],
    "tango": lambda: [tango(9, 2, 30), tango(0, 3, 25, 0.9)],
    "guesses": lambda: [
        of.tested_guesses(FIRST, SECOND, CLIPS, of.fold_of(CLIPS)),
        of.tested_guesses(FIRST, np.roll(FIRST, 1), OBJECTS, of.fold_of(CLIPS)),
        of.tested_constant_guess(0.5, FIRST, np.ones(60), CLIPS),
        of.tested_constant_guess(0.9, np.ones(12), np.ones(12), np.arange(12)),
        *(of.tested_constant_guess(0.5, FIRST, np.ones(60), clips) for clips in (ONE, TWO)),
        of.standardised(np.stack([SHARES, np.ones(60)], 1)),
    ],
    "pairs of rows": lambda: [
        part
        for sizes in (np.ones_like(ROWS), SIZES)
        for given in [(ROWS.sum(1) / sizes.sum(1), ROWS / sizes.sum(1)[:, None], sizes / sizes.sum(1)[:, None], UPPER)]
        for part in (*_under_equality(*given), _separated(*given, 399))
    ],
    "margins": lambda: [of.figures_of_margins(SHARES - 0.4 + FIRST / 9, FIRST, clips) for clips in (CLIPS, TWO, ONE)],
    "confidence": lambda: of.area_of_confidence(FIRST > 0, SHARES + FIRST / 3, [*map(str, PEOPLE)], CLIPS.tolist()),
    "moments": lambda: [
        of.figures_of_moments(answers)
        for answers in (MOMENTS, MOMENTS[1:3], [replace(one, person="") for one in MOMENTS])
    ],
    "areas": lambda: (
        [
            (one, one.interval())
            for one in (
                clustered_area(SHARES + FIRST / 3, FIRST, CLIPS),
                crossed_area(SHARES, FIRST, sharing(OBJECTS)),
                *(Area(*given) for given in ((0.7, 0.0, 5), (1.0, 0.05, 5), (0.7, 0.05, 1))),
            )
        ]
        + [of.detection(1, 1, 0, 1)]
    ),
    "surprise": lambda: of.figures_of_pairs(
        [(of_clip([one, 0.4]), of_clip([other, 0.3])) for one, other in SHARES.reshape(30, 2)]
    ),
    "estimates": lambda: [
        of.estimate(FIRST, np.ones(60), CLIPS.astype(float), chance=0.7),
        of.estimate(SHARES, np.ones(60), chance=0.4, is_points=True),
        of.estimate(FIRST, np.ones(60), OBJECTS, chance=0.9),
        of.share_of(SHARES, CLIPS, answers=2),
        of.estimate(np.r_[FIRST, 0.0], np.r_[np.ones(60), 0.0], np.r_[CLIPS, 99.0]),
        *(of.pair_labels(OBJECTS[:, 0], other) for other in (OBJECTS[:, 0], OBJECTS[:, 1])),
    ],
    "differences of people and a model": lambda: [of.difference(PAIRS), of.consistency(PAIRS)],
    "differences of two models": lambda: [
        of.difference([of.PairedScores(*one) for one in zip(labels, FIRST * scale, SECOND * scale, strict=False)])
        for labels, scale in (
            ([(n, n) for n in range(24)], 1.0),
            ([(n, n) for n in range(24)], 0.5),
            ([(n // 2, n // 2) for n in range(24)], 1.0),
            ([tuple(pair) for pair in OBJECTS[:24].tolist()], 1.0),
        )
    ],
    "people": lambda: [
        of.figure_of_answers(FIRST.tolist(), PEOPLE.tolist(), CLIPS.tolist()),
        of.figure_of_answers(FIRST.tolist(), PEOPLE.tolist(), CLIPS.tolist(), weights=(1 + SHARES).tolist()),
        of.figure_of_votes(VOTED),
        majority_effect(VOTED),
        of.mean_of_ratings((5 * SHARES).round().tolist(), PEOPLE.tolist(), CLIPS.tolist(), 5),
    ],
    "strengths": lambda: [
        part
        for votes in (VOTES, ALWAYS)
        for fit in [of.strengths_of(votes)]
        for part in (
            fit.strengths,
            fit.first_place,
            fit.ratings.of_row(1),
            fit.alone,
            fit.is_ridged,
            fit.order,
            fit.by_person(votes.people),
        )
    ],
    "crossed rows": lambda: [
        part
        for found in [
            *(of.mean_rows(ratings, [(0.6, [0]), (0.4, [1])], 4) for ratings in (RATINGS, OF_TWO, OF_ONE)),
            of.strengths_of(VOTES).ratings,
        ]
        for part in (
            found.values,
            found.of_row(0),
            found.interval([1, -1, *[0] * (len(found.values) - 2)]),
            found.separable,
            found.with_prompts(40).separable,
            found.below,
        )
    ],
    "shares that reach a step": lambda: [
        (found.values, [found.of_share(row) for row in range(4)], found.covariance)
        for ratings in (RATINGS, RATINGS.only(np.arange(240) % 7 > 0), OF_TWO)
        for found in [of.reaching_rows(ratings, {0: 3, 1: 3}, 4)]
    ],
    "a judge's help": lambda: [
        (found.values, found.of_row(0), found.of_row(3))
        for made in (of.bias_rows, of.powered_rows)
        for found in [made(RATINGS.only(RATINGS.prompts < 8), JUDGED, [(1.0, [0])], 4)]
    ],
    "a judge's agreement": lambda: [
        *(each(RATINGS.values, JUDGED.values) for each in (of.quadratic_kappa, of.pearson_r, of.kendall_tau)),
        of.share_within(RATINGS.values, JUDGED.values, 1),
        of.quadratic_kappa(SHARES[:30], SHARES[30:]),
        *(of.tau_over_rows(SHARES[:n].tolist(), SHARES[8 : 8 + n].tolist()) for n in (3, 4, 8)),
        *(of.pearson_r(*two) for two in (([1, 2], [4, 3]), ([1, 1], [4, 3]), ([1, 2], [3, 3]), ([1], [3]))),
    ],
    "raters": lambda: [
        of.ordinal_alpha(RATINGS.values, RATINGS.clips),
        of.ordinal_alpha(FIRST, CLIPS),
        of.ordinal_alpha([1, 1, 1, 2], [0, 0, 1, 1]),
        *(of.split_half(SHARES, np.arange(60) % rows, CLIPS % people) for rows, people in ((3, 4), (3, 3), (2, 4))),
        of.split_half(SHARES, np.where(CLIPS == 0, 5, np.arange(60) % 4), CLIPS % 7),  # one person alone rated row 5
        of.split_half(RATINGS.values, RATINGS.rows + 4 * (RATINGS.prompts % 2), RATINGS.people),
    ],
    "an audit of votes": lambda: [
        (one.value, one.limit, one.rows) for votes in (VOTES, CYCLIC, APART) for one in of.audit_votes(votes)
    ],
    "agreement": lambda: [
        of.krippendorff_alpha([{"a": 2, "b": 1}, {"a": 3}, {"b": 2}, {"c": 1}]),
        of.interval_alpha(SHARES.reshape(20, 3).tolist()),
        of.rank_correlation(SHARES[:9].tolist(), np.round(SHARES[9:18], 1).tolist()),
    ],
    "intervals": lambda: [
        wilson(7, 9, 0.8),
        of.from_variance(0.9, 0.002, 100, 6),
        of.from_variance(0.2, 0.004, 100, 6),
        *(of.from_variance(share, 0.01, 50, people) for share in (0.8, 1.0) for people in (1, 2)),
        *(of.interval_of_votes(FIRST.tolist(), effect=1.7, people=people) for people in (1, 2, 12)),
        of.interval_of_votes(FIRST.tolist() * 10, effect=1.7, people=2),
        *(mean_of_points(SHARES[:n], np.ones(n)) for n in (1, 2, 60)),
        *(two_way_mean(values.tolist(), PEOPLE, CLIPS) for values in (SHARES, FIRST)),
        clustered_sums(np.r_[np.full(19, 2.0), 1.0], np.full(20, 2.0)),
        clustered_sums(np.array([1.0, 0.0]), np.ones(2)),
        rejected_at(lambda level: wilson(30, 60, level), 0.6),
        either(sharing(PEOPLE), sharing(OBJECTS)).levels,
        added_variance([0.5, -0.2], [1, 2], [1, 1], 2),
    ],
    "item response": lambda: [
        part
        for fit in [of.two_parameter_fit(RIGHT)]
        for part in (
            fit.slope,
            fit.error,
            fit.intercept,
            fit.negative,
            of.item_rest_correlation(RIGHT),
            of.flags_by_chance(RIGHT, fit, np.ones(24, bool)),
        )
    ],
    "sample sizes": lambda: [
        of.half_width(SPREAD, of.SampleSize(12, 40, 240)),
        of.power(SPREAD, of.SampleSize(12, 40, 240), 0.7),
        of.power(SPREAD, of.SampleSize(30, 20, 300), 0.9),
        of.power(SPREAD, of.SampleSize(2, 40, 80), 0.5),
        of.variation_of(FIRST.tolist(), PEOPLE, CLIPS),
    ],
    "second stages": lambda: [of.disagreement([3, 1], 2), [*of.allotted({"a": 0.5, "b": 0.2, "c": 0.4}, 11).values()]],
    "wordings": lambda: of.wording_spread(np.stack([FIRST, SECOND, ROWS[4]], 1), CLIPS.tolist()),
}


def told(found: Any) -> str:
    """Every number of a figure in a line; a long column as one weighted sum."""
    if is_dataclass(found):
        return told([getattr(found, field.name) for field in fields(found)])
    if isinstance(found, np.ndarray) and found.size > 12:
        return told(float(np.nan_to_num(found.astype(float)).ravel() @ np.linspace(1, 2, found.size)))
    if isinstance(found, Mapping):
        return told([*found.values()])
    if isinstance(found, Sequence | np.ndarray) and not isinstance(found, str):
        return " ".join(filter(None, (told(part) for part in found)))
    return str(found) if found is None or isinstance(found, str) else f"{float(found):.6g}"


KEPT = Path(__file__).with_name("kept_figures.txt").read_text()


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_of_fixed_answers_is_kept(name):
    assert told(FIGURES[name]()) == dict(line.split(": ") for line in KEPT.splitlines())[name]
