"""Means and shares of rows from ratings of their clips, against what they are by hand and in simulated rounds."""

import numpy as np
import pytest

from measures.ratings.rated_clips import Ratings, mean_rows, reaching_rows

CUTS = np.array([-1.5, -0.5, 0.5, 1.5])


def ratings(*rows):
    """From (value, row, prompt, clip, dimension, person) of each."""
    columns = np.array(rows, float).T
    return Ratings(columns[0], *(column.astype(int) for column in columns[1:]))


def latin(random, *, people, prompts, rows, k=3, tastes=0.3, takes=1):
    """Ratings in two dimensions by k people a clip, who see one prompt from one row, and each row equally often."""
    prompt, row, take, turn = (axis.ravel() for axis in np.mgrid[:prompts, :rows, :takes, :k])
    needed = rows * takes * k
    order = np.arange(prompts * needed).reshape(prompts, needed)  # another person for each rating
    if people < prompts * needed:
        order = np.stack([random.permutation(people)[:needed] for _ in range(prompts)])
    person = order[prompt, (row * takes + take) * k + turn]
    clip = (prompt * rows + row) * takes + take
    values = []
    for _ in range(2):
        latent = (
            random.normal(0, 0.5, (prompts, rows))[prompt, row]
            + random.normal(0, 0.5, people)[person]
            + random.normal(0, tastes, (people, rows))[person, row]
            + random.normal(0, 0.8, len(row))
        )
        values.append(1.0 + np.searchsorted(CUTS, latent))
    return Ratings(*map(np.concatenate, zip(*(
        (each, row, prompt, clip, np.full_like(row, dimension), person) for dimension, each in enumerate(values)
    ), strict=True)))  # fmt: skip


def test_ratings_become_clips_and_clips_prompts_of_equal_weight():
    """Prompt 0: clips of 1 and 5 = 3, though the second has three ratings; prompt 1: 2."""
    found = mean_rows(
        ratings(
            (1, 0, 0, 0, 0, 0), (5, 0, 0, 1, 0, 1), (5, 0, 0, 1, 0, 2), (5, 0, 0, 1, 0, 3), (2, 0, 1, 2, 0, 0)
        ),
        [(1.0, [0])],
        1,
    )  # fmt: skip

    assert found.values.tolist() == [2.5]


def test_sum_of_means_lacks_a_figure_where_one_is_missing():
    known = ratings((4, 0, 0, 0, 0, 0), (2, 0, 0, 0, 1, 0), (4, 1, 0, 1, 0, 0))

    found = mean_rows(known, [(0.5, [0]), (0.5, [1])], 2)

    assert found.values[0] == 3.0
    assert np.isnan(found.values[1])
    assert found.of_row(1) is None
    assert not found.below.any()


def test_equal_rows_of_equal_ratings_are_never_apart():
    """A mean of equal ratings may differ from them by 1e-16, which is no difference."""
    random = np.random.default_rng(0)
    design = latin(random, people=15, prompts=7, rows=5)
    same = Ratings(np.full(len(design), 2.0), *(getattr(design, name) for name in list(vars(design))[1:]))

    found = mean_rows(same, [(1.0, [0])], 5)

    assert not found.below.any()
    assert found.of_row(0) is None


def test_share_is_of_clips_by_their_rounded_mean_in_all_dimensions():
    """Clip 0: 4 and 3 = 3.5, rounded to 4. Clip 1: 4, 3, 3 = 3.3. Clip 2 lacks the second dimension."""
    first = [(4, 0, 0, 0, 0, 0), (3, 0, 0, 0, 0, 1), (4, 0, 1, 1, 0, 0), (3, 0, 1, 1, 0, 1), (3, 0, 1, 1, 0, 2)]
    second = [(5, 0, 0, 0, 1, 0), (5, 0, 1, 1, 1, 0)]
    known = ratings(*first, (5, 0, 2, 2, 0, 0), *second)

    assert reaching_rows(known, {0: 4}, 1).values[0] == pytest.approx(2 / 3)
    assert reaching_rows(known, {0: 4, 1: 4}, 1).values[0] == 0.5


def test_a_person_counts_by_what_hangs_on_the_rating():
    """Nobody alone can move a clip of five that all agree on."""
    agreed = ratings(*((5, 0, prompt, prompt, 0, person) for prompt in range(6) for person in range(5)))

    assert reaching_rows(agreed, {0: 4}, 1).people.covariance[0, 0] == 0.0


def test_share_of_none_and_of_all_has_the_interval_of_so_many_prompts():
    known = ratings(*((1, 0, prompt, prompt, 0, prompt % 5) for prompt in range(20)))

    interval = reaching_rows(known, {0: 4}, 1).of_share(0)

    assert (interval.low, round(interval.high, 3)) == (0.0, 0.161)  # Wilson, 0 of 20


@pytest.mark.parametrize("tastes", [0.0, 0.8])
def test_intervals_hold_the_truth_and_equal_rows_stay_together(tastes):
    """A small version of the table in docs/how-we-checked.md: 20 people of no tastes and of strong ones."""
    random = np.random.default_rng(11)
    large = latin(random, people=90_000, prompts=6_000, rows=5, tastes=tastes)
    true = {name: float(np.mean(make(large).values)) for name, make in FIGURES.items()}
    held, apart = {name: [] for name in FIGURES}, dict.fromkeys(FIGURES, 0)
    for _ in range(60):
        known = latin(random, people=20, prompts=24, rows=5, tastes=tastes)
        for name, make in FIGURES.items():
            found = make(known)
            ends = [found.of_row(row) if name == "mean" else found.of_share(row) for row in range(5)]
            held[name] += [each.holds(true[name]) for each in ends]
            apart[name] += found.below.any()

    assert all(0.91 < np.mean(each) < 0.99 for each in held.values())
    assert max(apart.values()) <= 8  # a binomial of 60 with 6 % exceeds it once in 100 times


FIGURES = {
    "mean": lambda known: mean_rows(known, [(1.0, [0])], 5),
    "share": lambda known: reaching_rows(known, {0: 4}, 5),
    "joint": lambda known: reaching_rows(known, {0: 3, 1: 3}, 5),
}
