"""Every figure of fixed answers, to six digits: formulas, priors, seeds and numbers of draws change on purpose alone.

Other tests say what the figures mean; these hold each term of them in its place. A printed value may be replaced where
a change of the figure is meant.
"""

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from itertools import product

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
        *(sign_flip((FIRST - SECOND)[: 3 * clips] + 0.1, CLIPS[: 3 * clips]) for clips in (12, 13)),
        sign_flip([1.0, -1.0] * 7, range(14)),
    ],
    "guessing": lambda: [
        guessed_as_well(np.bincount(CLIPS, FIRST), np.full(20, 3.0), 0.6),
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
    "confidence": lambda: of.area_of_confidence(FIRST > 0, SHARES + FIRST / 3, PEOPLE, CLIPS),
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
        of.estimate(FIRST, np.ones(60), CLIPS, chance=0.7),
        of.estimate(SHARES, np.ones(60), chance=0.4, is_points=True),
        of.estimate(FIRST, np.ones(60), OBJECTS, chance=0.9),
        of.share_of(SHARES, CLIPS, answers=2),
        of.estimate(np.r_[FIRST, 0.0], np.r_[np.ones(60), 0.0], np.r_[CLIPS, 99]),
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
        (found.values, found.of_share(0), found.of_share(3), found.covariance)
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
        of.variation_of(FIRST.tolist(), PEOPLE, CLIPS),
    ],
    "second stages": lambda: [of.disagreement([3, 1], 2), [*of.allotted({"a": 0.5, "b": 0.2, "c": 0.4}, 11).values()]],
    "wordings": lambda: of.wording_spread(np.stack([FIRST, SECOND, ROWS[4]], 1), CLIPS.tolist()),
}


def told(found: object) -> str:
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


KEPT = """\
sign flips of 12 and 13 clips: 0.0078125 0.0042 1
guessing: 0.000612967 0.281128 0.0256 0.1552 0.0253158
detectable differences: None 0.269284 0.15315
shared errors: -0.10828 0.296854 -0.108493 0.29705 -0.1256 0.312782 -0.12851 0.315448 -0.128677 0.315601 -0.126893
    0.328394 -0.3095 0.631317 -0.308643 0.628798 -0.255993 0.507659 -1 1 -1 1 -1 1 -0.356766 0.831536 -0.126218
    0.322094 -0.127829 0.320713 -0.12851 0.315448
gains of shared errors: -2.30508 15.6191
a gap to fresh clips: 0.81746 0.494709 0.322751 0.132002 0.513501 0.000826125
paired differences: 0.383333 0.0666667 44.3803 19 20 None 0.117402 0.495217 0.194632 0.431962 0.00533432 38.9169
    0.383333 0.0666667 43.2184 4 20 0.026182 0.8 1 0.035857 0.551261 0.171708 0.450961 0.0369024 21.5371 0.383333
    0.0666667 44.2498 12.2143 20 0.00294177 0.8 -1 0.108408 0.502132 0.191816 0.434482 0.00836474 35.9465 0.383333
    0.0666667 44.2161 11.2593 20 None 0.106155 0.503693 0.191125 0.435024 0.0091795 35.2598 0.383333 0.0666667 35.8199
    9 20 None 0.0714126 0.528757 0.173944 0.449771 0.0198757 26.889 0.383333 0.0666667 37.8975 1.40573 4.5 None
    -0.430997 0.787607 0.0755206 0.525878 0.149465 3.32642 0.383333 0.0666667 37.0469 1.40573 4.5 0.0224433 0.8 1
    -0.437889 0.79047 0.0706991 0.528073 0.152815 3.25176 0.383333 0.0666667 37.8023 1.40573 4.5 0.00251313 0.8 -1
    -0.431761 0.788045 0.0751759 0.526244 0.149702 3.31806 0.383333 0.0666667 37.7777 1.40573 4.5 None -0.431959
    0.788007 0.0750867 0.526183 0.149764 3.3159 0.383333 0.0666667 31.4743 1.40573 4.5 None -0.486925 0.810555
    0.0485562 0.544387 0.167852 2.76263 0.383333 0.0666667 60 0 1 None -1 1 -1 1 1 0 0.383333 0.0666667 60 0 1 None -1
    1 -1 1 1 0 0.383333 0.0666667 60 1 2 None -0.667396 0.880878 0.0570362 0.538663 0.169948 1.42763 0.383333 0.0666667
    60 1 2 0.077235 0.8 -1 -0.667396 0.88174 0.0570362 0.542732 0.169948 1.42763 0.333333 0.316667 60 19 20 None
    -0.198276 0.22989 -0.120909 0.153536 0.87447 52.6137 0.166667 0.158333 4679 19 20 None -0.00911702 0.161125
    -0.00273319 0.075887 0.329927 4102.99
panels: 5 10 9
tango: 0.0189053 0.43428 -0.265225 -0.0106281
guesses: 60 20 0.55 0.406262 0.685849 0.486111 0.26472 60 9 0.666667 0.461808 0.796926 0.725 1 60 20 0.816667 0.700802
    0.884531 0.5 2.22836e-06 12 12 1 0.757506 1 0.9 0.127673 60 1 0.816667 0.138877 0.991938 0.5 1 60 2 0.816667
    0.34238 0.884531 0.5 0.320292 3.91579
pairs of rows: 0.35 0.408333 0.533333 0.558333 0.408333 0.533333 0.558333 0.591667 0.616667 0.741667 0.0912871
    0.0897527 0.0912871 0.0986013 0.0957427 0.1 0.0927961 0.0897527 0.0849837 0.0866025 0 -0.116667 -0.366667 -0.416667
    -0.116667 -0.366667 -0.416667 -0.25 -0.3 -0.05 0 0 1 1 0 1 1 1 1 0 0.347131 0.37503 0.455026 0.452619 0.377899
    0.457895 0.455488 0.485793 0.483386 0.563383 0.0707944 0.060899 0.0646378 0.0587323 0.0638256 0.0639474 0.0602815
    0.0612437 0.0435374 0.0445374 -0.0057377 -0.0615348 -0.221527 -0.216713 -0.0557971 -0.215789 -0.210976 -0.159992
    -0.155179 0.00481386 0 0 1 1 0 1 1 1 1 0
margins: 60 49 0.683333 0.693878 0.494515 0.840045 0.658018 -0.332473 1.64851 -0.224376 -0.637682 0.188931 0.215494
    0.199381 0.231606 0.272862 0.4 0.5 20 0.454275 0.7 0.481027 0.854523 0.5 0.6 23 0.54926 0.826087 0.628624 0.930213
    0.6 0.7 17 0.641755 0.941176 0.73018 0.98954 60 49 0.683333 0.693878 0.141308 0.968964 0.658018 -6.39037 7.7064
    -0.224376 -0.934835 0.486084 0.215494 0.0964758 0.334511 0.272862 0.4 0.5 20 0.454275 0.7 0.481027 0.854523 0.5 0.6
    23 0.54926 0.826087 0.628624 0.930213 0.6 0.7 17 0.641755 0.941176 0.73018 0.98954 60 49 0.683333 0.693878 0.101636
    0.978454 0.658018 -inf inf -0.224376 -inf inf 0.215494 0 1 0.272862 0.4 0.5 20 0.454275 0.7 0.481027 0.854523 0.5
    0.6 23 0.54926 0.826087 0.628624 0.930213 0.6 0.7 17 0.641755 0.941176 0.73018 0.98954
confidence: 0.842301 0.572549 0.955154
moments: 36 24 0.666667 0.23267 0.929537 0.75 0.0278281 0.985365 18 1 -0.583333 0.0282043 -0.629243 0 -1.28299 0.116322
    -1 None 24 2 2 1 0.34238 1 None None 2 1.25 -1.25 None None 0 -4.42655 1.92655 -1 None 2 36 24 0.666667 0.467063
    0.820278 0.75 0.422228 0.9249 18 1 -0.583333 0.0282043 -0.629243 0 -1.05486 -0.111805 -1 None 24
areas: 0.842301 0.0633885 20 0.662985 0.935491 0.584416 0.0741144 2 0.0282929 0.98549 0.7 0 5 0.298791 0.927416 1 0.05
    5 0.565518 1 0.7 0.05 1 0.101745 0.979619 1.34898 -0
surprise: 30 0.466667 0.302324 0.638577 0.433333 0.273775 0.608027 0.483333 0.376111 0.380556 0.423503 0.450988
estimates: 0.816667 60 20 0.700802 0.884531 0.0485918 0.7 0.4895 60 60 0.410504 0.569024 0.0264595 0.4 0.816667 60 9
    0.460526 0.92181 0.0917333 0.9 0.4895 120 20 0.401783 0.577868 None None 0.816667 60 20 0.700802 0.884531 None None
    None 729.975
differences of people and a model: 30 30 0.766667 0.533333 -0.181826 0.559106 0.191036 score test 10 None 30 0.7
    0.517778 0.37788 -0.214605 0.783058
differences of two models: 24 24 0.791667 0.625 -0.0944485 0.411675 0.179687 McNemar, mid-P 0 None 24 24 0.395833
    0.3125 -0.0468026 0.223363 0.289062 sign flips by clip 0 None 24 12 0.791667 0.625 -0.149463 0.455277 0.359375 sign
    flips by clip 0 None 24 9 0.791667 0.625 -0.594335 0.756422 0.341073 score test 0 None
people: 0.816667 60 10 0.669401 0.90606 1.89787 0.00274691 0.825669 60 10 0.68754 0.910669 1.97376 0.00249811 0.766667
    30 10 0.433998 0.933685 2.64115 None 2.64115 2.43333 2.0236 2.84307
strengths: 0.8931 0.670279 -0.139026 -0.624459 -0.799895 40.9691 2.10287 79.8353 1067.97 1164.91 0.157689 0.150595
    0.154986 0.150014 0.166073 0.122329 0 0.235837 -3.81639e-16 5.14269 -0.333017 -1.36195 -1.59239 -1.85533 4.47012
    -41.455 50.3953 892.288 992.01 0.0954825 0.164502 0.161677 0.162243 0.175421 0.15293 1 0.0257321 -0.0141449
crossed rows: 3.13333 3.26667 2.88333 2.81667 2.66274 3.60392 -0.882118 0.615451 0.877258 0.416776 0 3.8 2.5 2.7 3
    -2.81195 10.4119 -7.59434 10.1943 10.5674 0.250838 0 4.4 2.4 3 3 None None None None 0 1155.15 1116.44 975.849
    891.52 861.044 1091.21 1219.09 -51.48 128.896 122.542 98.0173 11.7917
shares that reach a step: 0.5 0.833333 0.5 0.25 0.158067 0.841933 0.0559519 0.65214 0.129595 0.583333 0.833333 0.5
    0.333333 0.282533 0.832699 0.12024 0.64654 0.0601466 1 0.5 0.5 0 0.34238 1 0 0.65762 0.231671
a judge's help: -0.125 0.236111 0.0972222 -0.0277778 -0.681174 0.431174 -0.584299 0.528743 3.125 3.0949 2.9463 2.709
    2.41706 3.83294 2.06844 3.34956
a judge's agreement: 0.863973 0.864934 0.763942 1 0.119075 None -1 1 -0.166912 1 -1 None None None
raters: -0.0133241 -0.204082 -0.65 None None 0.381 0.188731
an audit of votes: 1 1 0.75 0.25 2 2 3 0.0313333 0.5 2 0.0121051 0.05 0 0 0 0 0 0.02 0.958437 1.15 0.30168 1 3 1 1 1
    0.25 5 2 0 0.0313333 0.5 2 0 0.05 0 0 0 0 0.325629 0.02 1.0977 1.15 0.871837 1 3 2 1 0 1 1 1 1 0.25 3 2 0 0.0481928
    0.5 0 0 0.05 0 0 0 0 0 0.02 0.974522 1.15 0.245984 1 1
agreement: 0.533333 -0.0686851 -0.384941
intervals: 0.566058 0.903762 0.652892 0.967724 0.0860297 0.431247 0.133464 0.990466 0.0850712 0.990466 0.206549 1
    0.34238 1 0.138877 0.991938 0.138877 0.991938 0.638696 0.9182 0.025 0.975 0.00379636 0.982298 0.410504 0.569024
    0.405566 0.573434 0.698105 0.935229 0.838875 0.994822 0.0546208 0.945379 0.113849 4.5 0 0.1225 1
item response: 24.4551 23.8681 -4.42292 11.3444 6.12518 1
sample sizes: 0.117532 0.218552 0.823898 0.816667 0.00128205 0
second stages: 0.386621 4 3 4
wordings: 0.816667 0.5 0.766667 0.170239 0.0595221 0.159495 0.0628192 0.5
"""


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_of_fixed_answers_is_kept(name):
    kept = dict(line.split(": ") for line in KEPT.replace("\n    ", " ").splitlines())
    assert told(FIGURES[name]()) == kept[name]
