"""Adaptive rounds: pairs nearest to even by earlier votes, in both orders, with what it does to win rates said."""

from itertools import combinations

import pytest

from benchmarks.errors import ContentRefused
from extensions.generated.rounds.closest import closest_pairs
from extensions.generated.rounds.compile import RoundClip, _pairs
from humantrials.models import TrialState
from tests.extensions.generated.scores.rounds import made_pack, made_pairs, made_round, made_set, people_say

pytestmark = pytest.mark.django_db
NAMES = ("best", "good", "weak", "worst")


@pytest.fixture
def sets():
    pack = made_pack(prompts=24)
    return [made_set(pack, name) for name in NAMES]


@pytest.fixture
def voted(sets):
    found = made_round(sets[0].pack, sets)
    for first, second in combinations(sets, 2):
        made_pairs(found, first, second)
    return found


def better_wins(clips, names, person):
    """The better of two neighbours wins two times in three, of others always but once in a while."""
    if len(clips) < 2:
        return " ".join(f"{name}=3" for name in names) or "none"
    first, second = (NAMES.index(clip.clip_set.slug) for clip in clips)
    number = int(clips[0].prompt.key.partition("-")[2])
    upset = number % (3 if abs(first - second) == 1 else 12) == 0
    return "a" if (first < second) != upset else "b"


def names_of(pairs, sets):
    titles = {each.pk: each.slug for each in sets}
    return {tuple(sorted((titles[pk] for pk in pair), key=NAMES.index)) for pair in pairs}


def test_neighbours_are_compared_again_and_a_new_set_meets_everybody(voted, sets):
    people_say(voted, better_wins)
    assert names_of(closest_pairs(voted, sets), sets) == {("best", "good"), ("good", "weak"), ("weak", "worst")}
    new = made_set(sets[0].pack, "new")
    found = closest_pairs(voted, [*sets, new])
    assert {frozenset((new.pk, each.pk)) for each in sets} <= found


def test_a_study_under_way_chooses_no_pairs(voted, sets):
    people_say(voted, better_wins, state=TrialState.OPEN)
    with pytest.raises(ContentRefused, match="its study must be over"):
        closest_pairs(voted, sets)


def test_wanted_pairs_are_asked_in_both_orders(sets):
    clips = [
        RoundClip(clip, f"s{number}", 1, clip.prompt.key, "")
        for number, each in enumerate(sets)
        for clip in each.clips.select_related("prompt")
    ]
    wanted = {frozenset((sets[0].pk, sets[1].pk))}
    cells = [row["cell"] for row, _ in _pairs(clips, 6_000, wanted)]
    assert sorted(set(cells)) == ["s0-s1.1", "s1-s0.1"]
    assert len(cells) == 2 * 24


def test_the_page_says_who_chose_the_pairs(voted, sets, client):
    people_say(voted, better_wins)
    later = made_round(sets[0].pack, sets, slug="second")
    made_pairs(later, sets[0], sets[1])
    later.after = voted
    later.save()
    people_say(later, better_wins)
    pages = {name: client.get(f"/leaderboard/generated/made/pairs/?round={name}") for name in ("first", "second")}
    assert ["votes of First chose these pairs" in page.content.decode() for page in pages.values()] == [False, True]
