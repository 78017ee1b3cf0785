"""What is sealed together: whatever shares a clip, a draw or a group with a sealed item."""

from itertools import product

import pytest
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.definitions.importers.grasp_layout import draw_of
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import hide, show
from benchmarks.disclosure.seals import closure
from benchmarks.models import Item, ItemMedia, Origin
from benchmarks.packs.import_release import import_release
from tests.benchmarks.grasp_release import write_release
from tests.factories import make_clip, make_item, make_pack, sealed

pytestmark = pytest.mark.django_db

FOLDERS = ("level1/ColorRed", "level1/ColorBlue", "level2/P_Gravity", "level2/IP_Gravity", "level2/IP_Collision")
KEYS = tuple(f"{folder}/{number:03}" for folder, number in product(FOLDERS, range(3)))
QUESTIONS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(range(len(KEYS))), max_size=2, unique=True), st.sampled_from(["", "", "a", "b"])
    ),
    min_size=1,
    max_size=12,
)


def made_pack(questions, *, origin=Origin.GENERATED, profile="corrected", copied=None):
    """A pack with one item for each (places of its clips, group)."""
    pack = make_pack(origin=origin, profile=profile)
    copies = {} if copied is None else {clip.key: clip.sha256 for clip in copied.clips.all()}
    known = [{"sha256": copies[key]} if key in copies else {} for key in KEYS]
    clips = [make_clip(pack, key=key, **same) for key, same in zip(KEYS, known, strict=True)]
    for number, (places, group) in enumerate(questions):
        item = make_item(pack, key=f"{pack.pk}/{number}", group=group, place=number + 1)
        for position, place in enumerate(places):
            ItemMedia.objects.create(item=item, clip=clips[place], position=position)
    return pack


def marks_of(item: Item) -> set[tuple[object, ...]]:
    """Whatever it could share with another item that tells something of its answer."""
    clips = [media.clip for media in item.media.all()]
    is_made = item.pack.origin == Origin.GENERATED
    return {
        *(("clip", clip.sha256) for clip in clips),
        *(("draw", item.pack_id, draw_of(clip.key)) for clip in clips if is_made),
        *((("group", item.pack_id, item.group),) if item.group else ()),
    }


@given(QUESTIONS, QUESTIONS, st.sampled_from([*Origin]), st.sets(st.integers(0, 11)))
@settings(max_examples=40)
def test_no_open_item_shares_clip_draw_or_group_with_a_sealed_one(first, second, origin, chosen):
    with transaction.atomic():
        pack = made_pack(first)
        made_pack(second, origin=origin, profile="", copied=pack)
        items = list(Item.objects.select_related("pack").prefetch_related("media__clip").order_by("pk"))
        asked = [items[number].pk for number in chosen if number < len(items)]
        hide(asked, by="trial:x")
        closed = set(Item.objects.filter(sealed()).values_list("pk", flat=True))
        assert closed.issuperset(asked)
        hidden = set[tuple[object, ...]]().union(*(marks_of(item) for item in items if item.pk in closed))
        assert not [item for item in items if item.pk not in closed and marks_of(item) & hidden]
        assert all(item in asked or closure([item]) & set(asked) for item in closed)
        show(by="trial:x")
        assert not Item.objects.filter(sealed()).exists()
        transaction.set_rollback(True)


def test_official_twins_are_of_different_draws_and_stay_open():
    pack = made_pack([([number], "") for number in range(len(KEYS))], origin=Origin.OFFICIAL, profile="")
    plausible = pack.items.get(media__clip__key="level2/P_Gravity/000")
    assert closure([plausible.pk]) == {plausible.pk}


@pytest.mark.parametrize("profile", ["corrected", "faithful"])
def test_the_answers_of_one_draw_are_closed_together(profile):
    pack = made_pack([([number], "") for number in range(len(KEYS))], profile=profile)
    of_key = dict(pack.items.values_list("media__clip__key", "pk"))
    for folder, other in (("level2/P_Gravity", "level2/IP_Gravity"), ("level1/ColorRed", "level1/ColorBlue")):
        assert closure([of_key[f"{folder}/001"]]) == {of_key[f"{folder}/001"], of_key[f"{other}/001"]}


def test_pictures_that_look_alike_are_no_copies_unless_they_have_the_same_name():
    packs = [make_pack(benchmark="giraffe") for _ in range(2)]
    same = {"sha256": "a" * 64, "frames": 1}
    first, alike = (make_item(packs[0], clip=make_clip(packs[0], key=key, **same)) for key in ("clock/1", "clock/2"))
    copy = make_item(packs[1], clip=make_clip(packs[1], key="clock/1", **same))
    assert closure([first.pk]) == {first.pk, copy.pk}
    assert closure([alike.pk]) == {alike.pk}


def test_an_item_of_two_studies_is_open_once_both_are_closed():
    pack = made_pack([([2], ""), ([5], ""), ([8], ""), ([11], "")])
    gravity = list(pack.items.order_by("pk"))
    draws = [closure([item.pk]) for item in gravity]
    hide([gravity[0].pk], by="trial:a")
    hide(draws[0] | {gravity[3].pk}, by="trial:b")
    show(by="trial:b")
    assert set(Item.objects.filter(sealed()).values_list("pk", flat=True)) == draws[0]
    show(by="trial:a")
    assert not Item.objects.filter(sealed()).exists()


def test_a_copy_that_is_imported_while_a_study_is_open_is_sealed_with_it(tmp_path):
    root, grasp = write_release(tmp_path / "release", ["P_Gravity", "IP_Gravity", "ColorRed"]), BENCHMARKS["grasp"]
    whole = import_release(grasp, root, pack_name="whole").pack
    asked = whole.items.get(key="level2/P_Gravity/001")
    hide([asked.pk], by="trial:x")
    part = import_release(grasp, root, pack_name="part", split="human").pack
    assert set(part.items.filter(sealed()).values_list("key", flat=True)) == {asked.key}
    assert set(whole.items.filter(sealed())) == {asked}
    show(by="trial:x")
    assert not Item.objects.filter(sealed()).exists()
