import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from measures.comparing.error_consistency import error_consistency, error_consistency_interval, gains
from measures.comparing.paired import PeopleParts


def drawn(rng, n, first=0.7, second=0.6):
    return (rng.random(n) < first).tolist(), (rng.random(n) < second).tolist()


def test_consistency_is_cohens_kappa():
    first, second = drawn(np.random.default_rng(2), 200)
    found = error_consistency(first, second)
    cells = list(zip(first, second, strict=True))
    table = [[cells.count((one, other)) for other in (True, False)] for one in (True, False)]
    assert found.kappa == pytest.approx(cohens_kappa(table).kappa)
    assert found.n == 200


def test_two_that_are_always_right_or_one_clip_say_nothing():
    assert error_consistency([True] * 3, [True] * 3).kappa is None
    assert error_consistency_interval([True] * 4, [True] * 4, range(4)) is None
    found = error_consistency_interval([True, False], [True, True], [7, 7])
    assert (found.low, found.high) == (-1, 1)


@pytest.mark.parametrize(("first", "second"), [([], []), ([True], [True, False])])
def test_consistency_needs_the_same_items(first, second):
    with pytest.raises(ValueError, match="items"):
        error_consistency(first, second)


def test_the_interval_of_many_clips_is_that_of_the_library():
    first, second = drawn(np.random.default_rng(3), 4000)
    cells = list(zip(first, second, strict=True))
    theirs = cohens_kappa([[cells.count((one, other)) for other in (True, False)] for one in (True, False)])
    found = error_consistency_interval(first, second, range(4000))
    assert (found.low, found.high) == pytest.approx((theirs.kappa_low, theirs.kappa_upp), abs=0.003)


@pytest.mark.parametrize(("n", "right", "kappa"), [(40, 0.7, 0.8), (40, 0.9, 0.0), (40, 0.9, 0.5), (192, 0.9, 0.5)])
def test_the_interval_holds_kappa_as_often_as_it_says(n, right, kappa):
    """400 studies each; a bootstrap of 40 clips holds it in 88 to 92 of 100."""
    rng, apart = np.random.default_rng(5), right * (1 - right) * (1 - kappa)
    held = 0
    for _ in range(400):
        cells = rng.choice(4, n, p=[right - apart, apart, apart, 1 - right - apart])
        first, second = (cells < 2).tolist(), (cells % 2 == 0).tolist()
        found, seen = error_consistency_interval(first, second, range(n)), error_consistency(first, second).kappa
        assert found is None or -1 <= found.low <= seen <= found.high <= 1
        held += found is None or found.low <= kappa <= found.high
    assert held / 400 >= 0.91


def test_shared_errors_of_few_are_not_taken_for_chance_in_every_study():
    """All tables of forty items with four errors each, by their number of shared errors."""
    lows = []
    for shared in range(5):
        first, second = ([True] * 40 for _ in range(2))
        for place in range(4):
            first[place] = second[place + 4 - shared] = False
        lows.append(error_consistency_interval(first, second, range(40)).low)
    assert lows == sorted(lows)
    assert [low > 0 for low in lows] == [False, False, True, True, True]  # two of four: in 4 % by chance (Fisher)


def test_items_of_two_objects_know_less_than_by_one_and_clips_that_cancel_out_no_more():
    """Five objects in ten pairs with forty questions: both answerers fail together on pairs with one object."""
    pairs = [(one, other) for one in range(5) for other in range(one + 1, 5)]
    labels = np.repeat(pairs, 4, axis=0)
    first = [4 not in label for label in labels.tolist()]
    second = [4 not in label or number % 4 == 0 for number, label in enumerate(labels.tolist())]
    both, alone = (error_consistency_interval(first, second, each) for each in (labels, labels[:, 0]))
    assert both.high - both.low > 1.1 * (alone.high - alone.low)
    first, second = [True, True, False, False] * 5, [True, False, True, False] * 5
    labels = [number // 4 for number in range(20)]
    assert error_consistency_interval(first, second, labels) is not None


def test_gains_are_what_one_answer_changes():
    first, second = drawn(np.random.default_rng(6), 2000)
    place = first.index(False)
    more = [*first[:place], True, *first[place + 1 :]]
    change = error_consistency(more, second).kappa - error_consistency(first, second).kappa
    assert gains(first, second)[0][place] / 2000 == pytest.approx(change, rel=0.05)
    assert gains(second, first)[1][place] == pytest.approx(gains(first, second)[0][place])


def test_few_people_know_less_than_many():
    rng = np.random.default_rng(7)
    skill = rng.normal(0, 1, 6)
    said = (rng.random((6, 40)) < 1 / (1 + np.exp(-skill[:, None]))).ravel()
    first, second = said.tolist(), (said ^ (rng.random(240) < 0.4)).tolist()
    shares = (said - said.mean()) * gains(first, second)[0]
    people = PeopleParts(shares, np.repeat(np.arange(6), 40), np.arange(240))
    of_both, of_items = (error_consistency_interval(first, second, range(240), who) for who in (people, None))
    nothing = PeopleParts(np.zeros(240), people.people, people.labels)
    assert error_consistency_interval(first, second, range(240), nothing) == of_items
    assert of_both.high - of_both.low > of_items.high - of_items.low
