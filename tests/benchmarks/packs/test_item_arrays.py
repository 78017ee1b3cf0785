"""The facts of a pack's items as arrays."""

import pytest

from benchmarks.packs.item_arrays import facts_of
from tests.factories import make_clip, make_item, make_pack

pytestmark = pytest.mark.django_db


def test_an_item_can_be_asked_while_all_of_its_clips_can_be_shown():
    pack = make_pack()
    for clip in ({}, {"withdrawn_at": pack.created_at}, {"problem": "no picture can be read"}):
        make_item(pack, clip=make_clip(pack, **clip))
    assert facts_of(pack).is_askable.tolist() == [True, False, False]
