"""Prompts are the published ones, character for character."""

import json
import random
from collections import Counter

import pytest
from django.conf import settings

from benchmarks.models import Item, Pack
from evaluation.adapters.base import REPLY
from evaluation.errors import RunMisused
from evaluation.prompting.strategies import Candidates, Say, conversation_for
from tests.factories import make_clip, make_item, make_pack

PROMPTS = settings.BASE_DIR / "benchmarks" / "definitions" / "data" / "grasp" / "prompts"
LEVEL_1 = json.loads((PROMPTS / "level1.json").read_text(encoding="utf-8"))
LEVEL_2 = json.loads((PROMPTS / "level2.json").read_text(encoding="utf-8"))
TEXTS = json.loads((PROMPTS / "level2_scene_descriptions.json").read_text(encoding="utf-8"))
LOOK = "What can you see in this video?"


def statement(test: str) -> str:
    """The filled yes/no question of a Level-1 test."""
    template = LEVEL_1[test]["binary"]
    return template.format(*["red ball", "blue cube", "green ball", "black cube"][: template.count("{}")])


def one_shot(question: str, answer: str) -> Say:
    about = "This is an example of a question about this video and the correct answer."
    next_one = "Next, I want you to answer my next question in the same way with regards to the next video."
    return Say(f"{about}\nQuestion: {question}\nAnswer: {answer}\n{next_one}", "example")


def item(text: str, lead_in: str = "") -> Item:
    return Item(draw_key="abcdefghijkl", text=text, lead_in=lead_in, pack=Pack(benchmark="grasp"))


@pytest.mark.requirement("M18")
@pytest.mark.parametrize("test", sorted(LEVEL_1))
def test_level_1_is_asked_in_the_published_words(test):
    text, look = statement(test), LEVEL_1[test].get("open", LOOK)
    asked, example = item(text, look), item("The example.")
    assert conversation_for("binary", asked) == (Say(text, "item"), REPLY)
    assert conversation_for("binary-cot", asked) == (Say(look, "item"), REPLY, Say(text), REPLY)
    shown = (one_shot("The example.", "no"), REPLY, Say(text, "item"), REPLY)
    assert conversation_for("binary-oneshot", asked, example, "no") == shown
    if "open" in LEVEL_1[test]:
        assert conversation_for("open", item(look)) == (Say(look, "item"), REPLY)


@pytest.mark.requirement("M18")
def test_level_2_and_descriptions_are_asked_in_the_published_words():
    for text in LEVEL_2.values():
        asked, example = item(text, LOOK), item(text)
        assert conversation_for("plausibility", asked) == (Say(text, "item"), REPLY)
        assert conversation_for("plausibility-cot", asked) == (Say(LOOK, "item"), REPLY, Say(text), REPLY)
        shown = (one_shot(text, "yes"), REPLY, Say(text, "item"), REPLY)
        assert conversation_for("plausibility-oneshot", asked, example, "yes") == shown
    for text in TEXTS.values():
        assert conversation_for("text", item(text)) == (Say(text), REPLY)


def test_one_shot_without_an_example_is_an_error_and_not_another_question():
    with pytest.raises(RunMisused, match="no other clip"):
        conversation_for("binary-oneshot", item("Is it?"))


@pytest.fixture
def pairs(db):
    """Four clips with a true and a false statement each."""
    pack = make_pack()
    clips = [make_clip(pack, key=f"level1/ColorRed/{number:03}") for number in range(4)]
    return [make_item(clip=clip, key=clip.key, variant=variant) for clip in clips for variant in ("true", "false")]


def test_the_example_is_of_another_clip_and_every_other_item_may_be_it(pairs):
    candidates = Candidates(pairs)
    drawn = Counter(candidates.example_for(pairs[0], seed) for seed in range(600))
    assert set(drawn) == set(pairs[2:])
    assert all(60 < count < 150 for count in drawn.values())


def test_the_example_hangs_on_seed_and_item_alone(pairs):
    candidates = Candidates(pairs)
    assert candidates.example_for(pairs[0], 7) == Candidates(pairs[::-1]).example_for(pairs[0], 7)
    assert len({candidates.example_for(item, 0) for item in pairs}) > 1
    assert Candidates(pairs[:2]).example_for(pairs[0], 0) is None


def test_the_example_is_the_one_that_a_draw_among_the_others_gives(pairs):
    """Examples of earlier runs stay the same: a choice from the list of all other items by the draw key."""
    for item in pairs:
        item.draw_key = item.draw_key[::-1]  # in another order than the public ids
    candidates = Candidates(pairs)
    for item in pairs:
        others = sorted((other for other in pairs if other.clip != item.clip), key=lambda other: other.draw_key)
        for seed in range(20):
            drawn = random.Random(f"{seed}:{item.draw_key}:example").choice(others)
            assert candidates.example_for(item, seed) == drawn
