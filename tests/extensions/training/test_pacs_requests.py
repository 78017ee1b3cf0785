"""PACS' baselines as models of the site: the head that answers, missing inputs of objects, and invalid folders."""

import pytest

from evaluation.adapters.base import REPLY, Request, Turn
from evaluation.errors import ModelMisused
from extensions.training.pacs.adapter import PairModel
from extensions.training.pacs.examples import own_question
from extensions.training.pacs.network import save
from extensions.training.pacs.recipes import BASELINES
from tests.extensions.training.pacs_objects import RINGS, audio_of, frames_of
from tests.extensions.training.pacs_training import track_of

OPTIONS = ("object 1", "object 2")


@pytest.fixture(scope="module")
def late_fusion(tmp_path_factory):
    folder = tmp_path_factory.mktemp("late")
    course = track_of("late-fusion", epochs=1)
    save(course.network, BASELINES["late-fusion"], folder, width=32, dropout=0.2)
    return PairModel(path=str(folder), hears=True)


def request(*turns, text=f"{RINGS}\nAnswer with Object 1 or Object 2."):
    return Request((*turns, Turn(text), REPLY), options=OPTIONS)


def objects(*, seen=(False, True), heard=(False, True)):
    return [
        Turn(f"Object {place}", frames_of(bright, 90 + place), audio_of(high, 90 + place) if heard else None)
        for place, (bright, high) in enumerate(zip(seen, heard or seen, strict=True))
    ]


def test_which_head_answers_hangs_on_what_is_given(late_fusion):
    calls = []
    ask = late_fusion.network.margins
    late_fusion.network.margins = lambda head, *rest: calls.append(head) or ask(head, *rest)
    try:
        replies = list(late_fusion.answer([request(*objects()), request(*objects(heard=None))]))
    finally:
        late_fusion.network.margins = ask
    assert calls == ["question-image-sound-video", "question-image-video"]
    assert {reply.text for reply in replies} <= set(OPTIONS)
    assert late_fusion.description["shown"] == "image, sound, video; image, video"


@pytest.mark.requirement("M12")
def test_what_an_object_lacks_is_an_error_of_the_item(late_fusion):
    first, second = objects()
    half = request(first, Turn("Object 2", second.frames))
    unseen = request(Turn("Object 1", None, first.audio), Turn("Object 2", None, second.audio))
    long = request(first, second, text="which " * 90)
    found = [reply.error for reply in late_fusion.answer([half, unseen, long])]
    assert found[:2] == [
        "an object is shown without sound, and this model needs it",
        "an object is played without frames, and this model needs them",
    ]
    assert found[2].startswith("a question has 92 tokens, the model has room for 77")


def test_the_model_reads_the_datapoints_own_question_alone():
    assert own_question("Which one?\nAnswer with Object 1 or Object 2.") == "Which one?"


def test_a_folder_of_another_model_and_a_wrong_option_are_one_line(late_fusion, tmp_path):
    save(track_of("fusion-qi", epochs=1).network, BASELINES["fusion-qi"], tmp_path, width=32, dropout=0.2)
    with pytest.raises(ModelMisused, match=r"option hears: Fusion \(Q\+I\) was trained on image"):
        PairModel(path=str(tmp_path), hears=True)
    (tmp_path / "config.json").write_text('{"name": "other"}')
    with pytest.raises(ModelMisused, match="no model of pairs that was trained here"):
        PairModel(path=str(tmp_path))
