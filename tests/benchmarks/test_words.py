"""Words of conditions, kinds of rows and strategies stand once and are told apart."""

from collections import Counter

import pytest

from benchmarks.definitions.registry import BUILT_IN
from benchmarks.words import CONDITIONS, CONDITIONS_IN_FULL, ROW_KINDS, condition_words
from leaderboard.row_kinds import RowKind


def test_every_condition_has_words_in_short_and_in_full():
    assert CONDITIONS.keys() == CONDITIONS_IN_FULL.keys()
    assert condition_words("question-only") == "nothing"
    assert condition_words("unheard-of") == "unheard-of"


def test_every_kind_of_row_has_words_of_its_own():
    assert [kind.value for kind in RowKind] == list(ROW_KINDS)
    assert len({kind.words for kind in RowKind}) == len(RowKind)


@pytest.mark.parametrize("slug", BUILT_IN)
def test_strategies_of_a_level_have_titles_of_their_own(slug):
    for level in BUILT_IN[slug].levels:
        titles = Counter(BUILT_IN[slug].strategy(name).title for name in level.strategies)
        assert [title for title, count in titles.items() if count > 1] == []
