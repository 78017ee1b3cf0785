"""Choice of two: every pair is asked in both orders, and answers are about the item's own clip."""

import pytest

from evaluation.errors import RunMisused
from evaluation.models import Reading
from evaluation.parsing import PARSERS
from evaluation.prompting.requests import Asking, cells_of
from evaluation.prompting.strategies import Say, conversation_for
from evaluation.runs.lifecycle import start_run
from measures.scores.parsed_answers import ParserContext
from tests.factories import make_clip, make_item, make_model, make_pack

pytestmark = pytest.mark.django_db


@pytest.fixture
def pack(db):
    pack, facets = make_pack(name="twins", profile="corrected"), {"level": ("2",), "test": ("Gravity",)}
    for number in range(2):
        for folder, expected in (("P", "yes"), ("IP", "no")):
            clip = make_clip(pack, key=f"level2/{folder}_Gravity/{number:03}")
            make_item(pack, clip=clip, key=clip.key, kind="plausibility", expected=expected, facets=facets)
    return pack


def test_every_pair_is_asked_in_both_orders(pack):
    run = start_run(model=make_model(kind="scripted"), pack=pack, strategy="twins")
    asking = Asking(run)
    orders = []
    for shard in run.shards.all():
        for cell in cells_of(shard.pk, run):
            conversation = conversation_for("twins", cell.item, asking.example(cell))
            assert [part.clip for part in conversation if isinstance(part, Say) and part.clip] == ["item", "example"]
            orders.append((cell.item.key, asking.example(cell).key))
    assert len(orders) == 4
    assert sorted(orders) == sorted((second, first) for first, second in orders)
    assert all(first.replace("IP_", "P_") == second.replace("IP_", "P_") for first, second in orders)


def test_the_answer_is_about_the_items_own_clip():
    for reply, *outcome in (
        ("The ball stops.\nAnswer: first", "no", ""),
        ("Answer: Second.", "yes", ""),
        ("**Answer:** the second video", "yes", ""),
        ("2", "yes", ""),
        ("first or second", None, "unread"),
        ("The first one I saw was fine", None, "unread"),
    ):
        found = PARSERS["which-of-two"].read(reply, ParserContext("plausibility"))
        assert [found.answer, found.problem] == outcome, reply


def test_packs_whose_twins_are_not_matched_are_refused(pack):
    official = make_pack(name="official", profile="")
    with pytest.raises(RunMisused, match="are not matched"):
        start_run(model=make_model(), pack=official, strategy="twins")


def test_an_item_without_a_twin_is_never_asked(pack):
    pack.items.filter(key="level2/IP_Gravity/001").delete()
    run = start_run(model=make_model(kind="scripted"), pack=pack, strategy="twins")
    asking = Asking(run)
    alone = next(cell for cell in run.cells.select_related("item") if cell.item.key == "level2/P_Gravity/001")
    with pytest.raises(RunMisused, match="its clip has no twin"):
        conversation_for("twins", alone.item, asking.example(alone))
    assert not Reading.objects.exists()
