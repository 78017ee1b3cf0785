"""Questions about two objects or an image sequence: every clip is shown in its place, with our labels."""

import hashlib

import numpy as np
import pytest

from benchmarks.definitions.papers.pacs import OPTIONS
from benchmarks.disclosure.readers import WITHHELD
from benchmarks.models import Clip, Item, ItemMedia
from benchmarks.models.answers import ItemSeal
from evaluation.adapters.base import REPLY, Frames, Reply, Turn
from evaluation.adapters.similarity import objects_of
from evaluation.errors import RunMisused
from evaluation.models import Cell, ModelResponse
from evaluation.prompting import requests
from evaluation.prompting.requests import Asking
from evaluation.prompting.strategies import Say, conversation_for
from evaluation.runs.lifecycle import start_run
from evaluation.workers.loop import work_on
from evaluation.workers.recording import turns_as_they_went
from tests.factories import make_clip, make_item, make_model, make_pack, make_run, set_expected

pytestmark = pytest.mark.django_db

OBJECTS = tuple(f"Object {number}: a red box marks it on the middle frame of its clip." for number in (1, 2))
REASON = (
    "First describe what you see and reason step by step."
    " Then write your answer alone on the last line, in this form:\nAnswer: ..."
)


def asked_about(role: str, count: int, **values) -> tuple[Item, list]:
    pack = make_pack(benchmark="pacs" if role == "object" else "giraffe")
    item = make_item(pack, text="Which?", answer_kind="label", options=list(OPTIONS), **values)
    clips = [make_clip(pack, key=f"{role}{number}") for number in range(count)]
    for position in reversed(range(count)):  # stored in any order, shown in theirs
        ItemMedia.objects.create(item=item, clip=clips[position], role=role, position=position)
    return item, clips


@pytest.fixture
def seen(monkeypatch):
    """Frames that identify their clip, and the recorded requests for frames."""
    calls = []

    def frames_for(clip, *, sampler, condition, seed, key):
        calls.append((clip.key, condition, key))
        if condition == "question-only":
            return None
        return Frames(np.zeros((1, 2, 2, 3), np.uint8), (0,), (0.0,), clip.key, 1.0, 25.0)

    monkeypatch.setattr(requests, "frames_for", frames_for)
    return calls


def test_two_objects_come_one_after_the_other_and_pictures_without_a_word_then_the_question():
    item, _ = asked_about("object", 2)
    objects = (Say(OBJECTS[0]), Say("", "object 0"), Say(OBJECTS[1]), Say("", "object 1"))
    assert conversation_for("pair", item) == (*objects, Say("Which?"), REPLY)
    assert conversation_for("material-cot", item) == (*objects, Say(f"Which?\n{REASON}"), REPLY)
    pictures, _ = asked_about("image", 4)
    shown = (Say("", f"image {number}") for number in range(4))
    assert conversation_for("patterns-images", pictures) == (*shown, Say("Which?"), REPLY)


def test_a_wrong_number_of_clips_is_an_error_of_this_item_alone():
    for strategy, count in (("pair", 0), ("pair", 1), ("pair", 3), ("physics-images", 0)):
        item, _ = asked_about("object" if strategy == "pair" else "image", count)
        with pytest.raises(RunMisused, match=item.public_id):
            conversation_for(strategy, item)


def question_of(item, strategy="pair", condition="video"):
    """What a run of this strategy asks about the item, and the one that asks."""
    run = make_run(pack=item.pack, strategy=strategy, condition=condition)
    asking = Asking(run)
    return asking.question(Cell(run=run, item=item, seed=0)), asking


def test_each_turn_carries_the_frames_of_its_own_clip(seen):
    item, clips = asked_about("object", 2)
    question, asking = question_of(item)
    turns = [turn for turn in question.request.turns if isinstance(turn, Turn)]
    shown = [(turn.text, turn.frames.digest if turn.frames else None) for turn in turns]
    first, second = ((OBJECTS[place], None) for place in range(2))
    assert shown == [first, ("", "object0"), second, ("", "object1"), ("Which?", None)]
    assert asking.clips(question.cell) == clips
    kept = turns_as_they_went(question, Reply("Object 1"))
    assert [turn.get("hash") for turn in kept] == [None, "object0", None, "object1", None, None]
    objects, words = objects_of(question.request)  # who chooses between them reads the question alone
    assert ([turn.frames.digest for turn in objects], words) == (["object0", "object1"], "Which?")


def test_without_frames_the_words_stay_and_nothing_is_decoded(seen):
    item, _ = asked_about("object", 2)
    question, asking = question_of(item, condition="question-only")
    assert [turn.frames for turn in question.request.turns if isinstance(turn, Turn)] == [None] * 5
    assert asking.clips(question.cell) == []


def test_shuffling_draws_an_order_of_its_own_for_each_clip(seen):
    item, _ = asked_about("object", 2)
    question_of(item, condition="shuffled-frames")
    assert len({key for clip, _, key in seen if key != item.draw_key}) == 2


def hashed(strategy: str, item, condition: str = "video") -> str:
    return question_of(item, strategy, condition)[0].frames_hash


def test_the_hash_covers_every_clip_shown_in_its_order(seen):
    item, clips = asked_about("object", 2)
    before = hashed("pair", item)
    assert len(before) == 64
    assert before == hashlib.sha256(b"object0\nobject1").hexdigest() == hashed("pair-cot", item)
    clips[1].key = "another"
    clips[1].save()
    assert hashed("pair", Item.objects.get()) != before
    clips[0].key, clips[1].key = "object1", "object0"
    Clip.objects.bulk_update(clips, ["key"])
    assert hashed("pair", Item.objects.get()) != before
    assert hashed("pair", item, condition="question-only") == ""


def test_the_hash_of_a_single_clip_is_its_own_and_of_none_empty(seen):
    clip = make_clip(key="level1/ColorRed/000")
    item = make_item(clip=clip)
    assert hashed("binary", item) == hashed("binary-cot", item) == "level1/ColorRed/000"
    assert hashed("text", item, condition="text") == ""


def test_the_example_is_a_part_of_what_was_shown(seen):
    pack = make_pack()
    item, _ = (make_item(clip=make_clip(pack, key=key)) for key in ("own", "other"))
    run = make_run(pack=pack, strategy="binary-oneshot")
    for each in pack.items.all():
        Cell.objects.create(run=run, item=each)
    question = Asking(run).question(run.cells.get(item=item))
    assert question.frames_hash == hashlib.sha256(b"other\nown").hexdigest()
    assert question.frames.digest == "own"


def test_a_withheld_answer_is_no_example(seen):
    pack = make_pack()
    item, withheld, unknown = (make_item(clip=make_clip(pack, key=key)) for key in ("own", "withheld", "unknown"))
    ItemSeal.objects.create(item=withheld, by=WITHHELD)
    set_expected(Item.objects.filter(pk=unknown.pk), None)
    run = make_run(pack=pack, strategy="binary-oneshot")
    for each in (item, withheld, unknown):
        Cell.objects.create(run=run, item=each)
    assert Asking(run).example(run.cells.get(item=item)) is None
    shown = make_item(clip=make_clip(pack, key="shown"))
    assert {Asking(run).example(run.cells.get(item=item)) for _ in range(5)} == {shown}


def test_what_is_recorded_is_the_hash_of_all(seen):
    item, _ = asked_about("object", 2, kind="pair")
    run = start_run(model=make_model(kind="scripted"), pack=item.pack, strategy="pair", split="all")
    work_on(run.pk)
    response = ModelResponse.objects.get()
    assert response.frames_hash == hashlib.sha256(b"object0\nobject1").hexdigest()
    assert response.frame_indices == [0]
    assert [turn.get("hash") for turn in response.turns] == [None, "object0", None, "object1", None, None]
