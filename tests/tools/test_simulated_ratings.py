import time

import numpy as np
import pytest

from extensions.generated.made.latent import KINDS, PHYSICAL, MadeClips
from tools.bench.trials.rating_coverage import (
    draw_clips,
    draw_raters,
    latin_views,
    notice,
    simulate_ratings,
    simulate_votes,
)

MADE = (MadeClips(), MadeClips(0.6), MadeClips(0.6, severities=(1,)), MadeClips(look=-2.5), MadeClips(follows=-2.5))


def test_few_notice_a_subtle_break_and_some_one_that_is_not_there():
    rng, number = np.random.default_rng(1), np.full(20_000, KINDS.index("look"))
    seen = [notice(rng, number, np.full(20_000, severity)) for severity in range(4)]
    assert [set(each) for each in seen] == [{0, 1}, {0, 1}, {0, 2}, {0, 3}]
    assert [(each > 0).mean() for each in seen] == pytest.approx([0.06, 0.3375, 0.75, 0.825], abs=0.02)


@pytest.mark.parametrize(("people", "generators", "prompts", "takes", "k"), [(40, 4, 12, 2, 3), (459, 8, 250, 1, 3)])
def test_nobody_sees_a_prompt_from_two_generators(people, generators, prompts, takes, k):
    clips = draw_clips(np.random.default_rng(4), [MadeClips()] * generators, prompts=prompts, takes=takes)
    raters, seen = latin_views(clips, people, k)
    assert np.bincount(seen).tolist() == [k] * (generators * prompts * takes)
    pairs = set(zip(raters.tolist(), clips.prompt[seen].tolist(), strict=True))
    assert len(pairs) == raters.size
    loads = np.bincount(raters, minlength=people)
    assert loads.max() - loads.min() <= 1
    often = np.zeros((people, generators), dtype=int)
    np.add.at(often, (raters, clips.generator[seen]), 1)
    assert np.mean(often.max(axis=1) - often.min(axis=1) <= 1) > 0.95


def test_too_few_raters_are_refused():
    clips = draw_clips(np.random.default_rng(4), MADE, prompts=3)
    with pytest.raises(ValueError, match="14 raters are too few"):
        latin_views(clips, 14, 3)


def test_a_large_study_takes_seconds():
    began, rng = time.perf_counter(), np.random.default_rng(5)
    clips, raters = draw_clips(rng, [MadeClips(0.3)] * 8, prompts=250), draw_raters(rng, 459, generators=8)
    ratings = simulate_ratings(rng, clips, raters, [PHYSICAL] * 16, cant_tell=0.02)
    assert ratings.value.size == 250 * 8 * 3 * 16
    assert 0.01 < np.isnan(ratings.value).mean() < 0.03
    assert set(ratings.value[~np.isnan(ratings.value)]) == {1, 2, 3, 4, 5}
    assert time.perf_counter() - began < 5


def test_the_same_seed_gives_the_same_ratings():
    def values(seed):
        rng = np.random.default_rng(seed)
        clips = draw_clips(rng, MADE, prompts=6)
        return simulate_ratings(rng, clips, draw_raters(rng, 15, generators=5), [PHYSICAL]).value.tolist()

    assert values(6) == values(6) != values(7)


def test_votes_prefer_what_breaks_less():
    rng = np.random.default_rng(8)
    clips, raters = draw_clips(rng, MADE[:2], prompts=2000), draw_raters(rng, 50, generators=2)
    votes = simulate_votes(rng, clips, raters)
    assert set(votes.answer) == {"a", "b", "equal", "bad"}
    first_is_perfect = clips.generator[votes.first] == 0
    assert first_is_perfect.mean() == 0.5
    for is_first, better, worse in ((first_is_perfect, "a", "b"), (~first_is_perfect, "b", "a")):
        assert np.sum(votes.answer[is_first] == better) > 2 * np.sum(votes.answer[is_first] == worse)
