import re
from dataclasses import replace

import pytest
from django.utils import timezone

from benchmarks.definitions.importers.grasp_layout import twin_key
from benchmarks.disclosure.readers import WITHHELD
from benchmarks.models.answers import ItemSeal
from benchmarks.packs.truth.ground_truth import Truth, TruthMoment
from leaderboard.items.item_media import TwinClip
from tests.factories import answer_to, make_clip, make_item, make_pack, set_expected

pytestmark = pytest.mark.django_db
DRAWN = {"seed": 0, "index": 3, "profile": "corrected"}


@pytest.fixture
def twins():
    """The plausible and the implausible clip of one generated scene."""
    return _twins(make_pack())


def _twins(pack, **facts):
    found = []
    for truth, expected in (("P", "yes"), ("IP", "no")):
        key = f"level2/{truth}_Gravity/003"
        clip = make_clip(pack, key=key, facts=DRAWN | {"scene": f"{truth}_Gravity"} | facts)
        tested = {"level": ("2",), "test": ("Gravity",)}
        found.append(make_item(clip=clip, key=key, kind="plausibility", variant="", expected=expected, facets=tested))
    return found


def shown(visitor, item, query=""):
    return visitor.get(item.get_absolute_url() + query).content.decode()


def film_of(item):
    return item.clip.renditions.get().get_absolute_url()


def has_twin(page):
    return "data-twins" in page


@pytest.mark.parametrize(
    ("key", "other"),
    [
        ("level2/P_Gravity/003", "level2/IP_Gravity/003"),
        ("level2/IP_Gravity/003", "level2/P_Gravity/003"),
        ("level1/ColorRed/003", ""),
        ("P_Gravity", ""),
    ],
)
def test_the_twin_has_the_same_number_and_the_other_answer(key, other):
    assert twin_key(key) == other


def test_a_twin_stands_beside_its_clip_with_what_can_happen(visitor, twins):
    words = {"yes": "Can happen", "no": "Cannot happen"}
    for item, other in (twins, twins[::-1]):
        page = shown(visitor, item)
        assert re.findall(r'<video[^>]* src="([^"]+)"', page) == [film_of(item), film_of(other)]
        badges = re.findall(r'<span class="badge (?:ok|no)">([^<]+)', page)
        assert badges == [words[answer_to(item)], words[answer_to(other)]]
    # a withheld answer is not told by its twin
    item, other = twins
    _withhold(item)
    page = shown(visitor, item, "?answer=1")
    assert not has_twin(page)
    assert film_of(other) not in page


def _seal(item, by="trial:other"):
    ItemSeal.objects.create(item=item, by=by)


def _withdraw(item):
    item.pack.clips.filter(pk=item.clip.pk).update(withdrawn_at=timezone.now())


def _withhold(item):
    set_expected(item.pack.items.filter(pk=item.pk), None)


def _use_elsewhere(item):
    _seal(make_item(clip=item.clip, key="level2/other"))


HIDES = {
    "sealed": _seal,
    "withheld": _withhold,
    "loaded": lambda item: _seal(item, WITHHELD),
    "withdrawn": _withdraw,
    "in an open study": _use_elsewhere,
}


@pytest.mark.parametrize("hide", HIDES)
def test_a_twin_that_is_not_public_is_neither_shown_nor_named(visitor, twins, hide):
    item, other = twins
    film = film_of(other)
    assert has_twin(shown(visitor, item))
    HIDES[hide](other)
    for query in ("", "?answer=1"):
        page = shown(visitor, item, query)
        assert not has_twin(page)
        assert film not in page


@pytest.mark.parametrize("facts", [{}, DRAWN | {"seed": 1}], ids=["official", "another seed"])
def test_clips_that_are_not_known_to_show_one_scene_are_no_twins(visitor, twins, facts):
    clip = twins[1].clip
    clip.facts = facts
    clip.save()
    for item in twins:
        assert not has_twin(shown(visitor, item, "?answer=1"))


def test_the_moment_is_when_physics_is_broken(twins):
    item = twins[1]
    truth = Truth(320, 240, (), TruthMoment(4.7, ()), None, "it hovers", False)
    assert TwinClip(item, item.clip, {}, truth, "no").moment == 4.7
    assert TwinClip(item, item.clip, {}, replace(truth, violation=None), "no").moment is None
    assert TwinClip(item, item.clip, {}, None, "no").moment is None


def test_neighbours_are_of_the_same_test(visitor, twins):
    first, last = twins
    make_item(first.pack, key="between", kind="plausibility", variant="", facets={"test": ("Collision",)})
    follows = make_item(first.pack, key="after", kind="plausibility", variant="", facets={"test": ("Gravity",)})
    assert re.search(rf'rel="next"\s+href="{follows.get_absolute_url()}"', shown(visitor, last))
