"""An image sequence reaches a server without text between the pictures, and pages show the prompt as sent."""

import json

import pytest

from benchmarks.definitions.papers.giraffe import CHOICES
from benchmarks.packs.import_release import import_release
from evaluation.adapters.base import REPLY, Request, Turn
from evaluation.adapters.conversation import IMAGES, Talk
from evaluation.models import ModelResponse
from evaluation.runs.lifecycle import start_run
from evaluation.workers.loop import work_on
from tests.benchmarks.definitions.importers.test_giraffe import GIRAFFE, make_release
from tests.evaluation.fault_server import fine, serving
from tests.factories import make_model

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make_release(tmp_path_factory.mktemp("pictures"), only=("clock",))


@pytest.fixture
def pack(made):
    return import_release(GIRAFFE, made, pack_name="pictures").pack


def run_of(pack, strategy: str, condition: str = "video", **options):
    """A finished run over all items of the strategy, and the request bodies."""
    with serving(fine("1. A clock.")) as server:
        model = make_model(kind="openai", options={"base_url": server.base_url, "model": "tiny", **options})
        run = start_run(model=model, pack=pack, strategy=strategy, condition=condition)
        work_on(run.pk)
    run.refresh_from_db()
    assert run.state == "finished"
    return run, [seen.body for seen in server.seen]


def parts(body: dict) -> list[str]:
    """The parts of the one message: texts as they are, pictures as their type."""
    (message,) = body["messages"]
    return [part.get("text", part["type"]) for part in message["content"]]


@pytest.mark.parametrize("frames_as", ["images", "video"])
def test_pictures_are_sent_without_a_word_then_the_query(pack, frames_as):
    item = pack.items.get(kind="images")
    _, (body,) = run_of(pack, "patterns-images", frames_as=frames_as)
    assert parts(body) == [*["image_url"] * len(item.media.all()), item.text]
    assert " s" not in {text[-2:] for text in parts(body)}


def test_each_choice_is_sent_below_its_letter_and_the_item_page_shows_it(pack, client):
    item = pack.items.get(kind="choice")
    run, (body,) = run_of(pack, "patterns-choice")
    offered = [part for letter in CHOICES for part in (f"Picture {letter.upper()}:", "image_url")]
    shown = item.media.filter(role="image").count()
    assert parts(body) == [*["image_url"] * shown, *offered, item.text]
    page = client.get(item.get_absolute_url()).content.decode()
    assert "no words" in page
    sent = json.loads(ModelResponse.objects.get(cell__run=run).turns[0]["prompt"])
    assert [part["type"] for part in sent[0]["content"]] == [part["type"] for part in body["messages"][0]["content"]]
    assert "The prompt as it was sent" in page


def test_frames_of_the_video_have_their_times(pack):
    _, (body,) = run_of(pack, "patterns-video")
    *shown, _ = parts(body)
    assert shown[0] == "0.00 s"
    assert set(shown[1::2]) == {"image_url"}


def test_without_pictures_the_query_is_all_that_is_sent(pack):
    item = pack.items.get(kind="images")
    _, (body,) = run_of(pack, "patterns-images", "question-only")
    assert body["messages"] == [{"role": "user", "content": item.text}]


def test_templates_of_local_models_get_no_empty_texts():
    talk = Talk.begun(Request((Turn(""), Turn("What comes next?"), REPLY)))
    assert talk.messages(IMAGES) == [{"role": "user", "content": [{"type": "text", "text": "What comes next?"}]}]
    silent = Talk.begun(Request((Turn(""), REPLY)))
    assert silent.messages(IMAGES)[0]["content"] == [{"type": "text", "text": ""}]
