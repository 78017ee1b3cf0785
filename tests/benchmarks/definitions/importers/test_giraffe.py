"""Giraffe-Bench from generation to runs: items are generated, imported, shown and asked; faults are named."""

import json
import shutil

import pytest
from django.core.management import CommandError

from benchmarks import tasks
from benchmarks.definitions.importers.giraffe import read_release
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import SCORER, open_answers
from benchmarks.errors import BadRelease
from benchmarks.generation import distributed
from benchmarks.generation.set_makers import GiraffePatterns, order_of
from benchmarks.management.commands import generate_benchmark
from benchmarks.models import Clip, Item, Pack, Production, ProductionState
from benchmarks.packs.import_release import import_release
from evaluation.inputs.frames import frames_of
from evaluation.models import Score
from evaluation.prompting.strategies import conversation_for
from evaluation.referees.rubric_selection import brief_from_items, facts_of, rubric_of
from evaluation.runs.lifecycle import start_run
from evaluation.workers.loop import work_on
from tests.commands import say, told
from tests.factories import answer_to, make_model

pytestmark = pytest.mark.django_db

GIRAFFE = BENCHMARKS["giraffe"]
HAND = ("hand/move-01", "hand/turn-04")


def make_release(folder, count=1, only=("clock", "quantity"), size=(64, 64)):
    order = order_of(count=count, only=only, seed=4, size=size, fps=1)
    maker = GiraffePatterns()
    for key in maker.keys(order):
        if not key.startswith("hand/") or key in HAND:
            maker.make(order, key, folder)
    maker.write_labels(order, folder)
    return folder


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Two scenarios with an item each, and two hand-made items."""
    return make_release(tmp_path_factory.mktemp("giraffe"), only=("clock", "quantity", "hand"))


@pytest.fixture
def pack(made):
    return import_release(GIRAFFE, made, pack_name="small").pack


def test_the_command_makes_keeps_goes_on_and_says_what_it_counts(tmp_path):
    out = tmp_path / "out"
    arguments = ("generate_benchmark", "giraffe", "--out", out, "--only", "clock", "--size", "64x64", "--jobs", "1")
    assert told(*arguments, "--count", "2") == {"benchmark": "giraffe", "clips": 2, "kept": 0, "out": str(out)}
    before = {path: path.read_bytes() for path in out.rglob("*.png")}
    (out / "items/clock/0002/item.json").unlink()  # as if the command had been stopped there
    assert told(*arguments, "--count", "3")["kept"] == 1
    assert all(path.read_bytes() == content for path, content in before.items())
    records = json.loads((out / "items.json").read_text())
    assert [record["id"] for record in records] == ["clock/0001", "clock/0002", "clock/0003"]
    assert set(records[0]) >= {"pattern", "pred", "images", "next", "choices", "answer"}
    assert not list(out.rglob(".*"))
    assert say(*arguments, "--count", "3") == f"0 rows of pictures made, 3 already there, in {out}\n"


def test_workers_make_a_set_and_import_it(tmp_path, monkeypatch):
    sent = []
    monkeypatch.setattr(distributed, "BATCH", 2)
    monkeypatch.setattr(generate_benchmark, "queue_task", lambda task, batch: sent.append(batch))
    monkeypatch.setattr(tasks, "queue_task", lambda task, production: tasks.import_pack(production))
    order = ("--count", "3", "--only", "colour", "--size", "64x64", "--queue")
    say("generate_benchmark", "giraffe", "--out", tmp_path / "queued", *order)
    for batch in sent:
        tasks.make_batch(batch)
        tasks.make_batch(batch)  # delivered twice
    pack, production = Pack.objects.get(), Production.objects.get()
    assert (len(sent), pack.name, pack.items.count()) == (2, "queued", 9)
    made = production.state, production.clips_done, production.clips_total
    assert made == (ProductionState.DONE, 3, 3)


def test_every_item_is_asked_in_three_ways(pack):
    assert (pack.origin, pack.items.count(), pack.definition_version) == ("generated", 12, GIRAFFE.version)
    assert {*pack.items.values_list("kind", flat=True)} == {"images", "video", "choice"}
    assert pack.problems == []
    images = pack.items.get(kind="images", key="clock/0001")
    count = images.media.count()
    assert f"an ordered sequence of {count} individual images" in images.text
    assert [media.role for media in images.media.all()] == ["image"] * count
    assert images.facet_values("scenario") == ["clock"]
    assert images.facet_values("change") == ["property"]
    assert set(open_answers([images], to=SCORER)[images.pk].reference) == {"pattern", "pred", "next"}
    hand = pack.items.get(kind="video", key="hand/turn-04")
    assert (hand.facet_values("test"), hand.facet_values("change")) == (["human-made"], ["rotation"])
    assert hand.clip.frames == 5
    assert len(frames_of(images.clip, "uniform-8")) == 1


def test_the_next_picture_hangs_on_no_question_about_what_comes_next(pack):
    following = Clip.objects.get(pack=pack, key="items/clock/0001/next.png")
    assert {use.item.kind for use in following.uses.all()} == {"choice"}
    choice = pack.items.get(kind="choice", key="clock/0001")
    assert [media.role for media in choice.media.all()][-4:] == ["choice"] * 4
    place = choice.options.index(answer_to(choice))
    assert [media for media in choice.media.all() if media.role == "choice"][place].clip == following


def test_files_tell_nothing_by_name_or_size(pack):
    choice = pack.items.get(kind="choice", key="clock/0001")
    pictures = [media.clip.picture for media in choice.media.all()]
    assert len({picture.size for picture in pictures}) == 1
    assert all("next" not in picture.name and picture.name.endswith(".png") for picture in pictures)


def test_the_item_page_shows_the_pictures_and_what_comes_next_once_asked(pack, client):
    item = pack.items.get(kind="images", key="clock/0001")
    page = client.get(item.get_absolute_url()).content.decode()
    shown = [media.clip.picture.get_absolute_url() for media in item.media.all()]
    following = Clip.objects.get(pack=pack, key="items/clock/0001/next.png").picture.get_absolute_url()
    assert all(address in page for address in shown)
    assert following not in page
    assert open_answers([item], to=SCORER)[item.pk].reference["pattern"] not in page
    asked = client.get(f"{item.get_absolute_url()}?answer=1").content.decode()
    assert following in asked
    assert open_answers([item], to=SCORER)[item.pk].reference["pred"] in asked
    assert client.get(following)["Content-Type"] == "image/png"
    gallery = client.get("/benchmarks/giraffe/items/?pack=small").content.decode()
    assert shown[0] in gallery
    assert "may not be shown" not in gallery
    assert client.get("/benchmarks/giraffe/?pack=small").status_code == 200


def test_choices_are_shown_under_their_letters(pack, client):
    item = pack.items.get(kind="choice", key="clock/0001")
    page = client.get(item.get_absolute_url()).content.decode()
    assert page.count("Picture ") >= 4
    said = [part.text for part in conversation_for("patterns-choice", item) if hasattr(part, "text")]
    assert [text for text in said if text][:4] == ["Picture A:", "Picture B:", "Picture C:", "Picture D:"]
    assert said[-1] == item.text


def test_a_model_chooses_and_is_scored_without_a_referee(pack):
    right = {item.public_id: answer_to(item) for item in pack.items.filter(kind="choice")}
    wrong = min(right)
    replies = {item: f"The answer is {letter.upper()}." for item, letter in right.items()}
    replies[wrong] = "Picture A." if right[wrong] != "a" else "B"
    model = make_model(kind="scripted", options={"replies": replies, "default": "{frames}"})
    run = start_run(model=model, pack=pack, strategy="patterns-choice")
    work_on(run.pk)
    values = dict(Score.objects.values_list("reading__response__cell__item__public_id", "value"))
    assert values == {item: float(item != wrong) for item in right}
    assert GIRAFFE.chance("patterns-choice", "overall") == 0.25


def test_the_referee_is_told_what_the_item_knows(pack):
    assert brief_from_items(pack.items.all()) == 12
    assert brief_from_items(pack.items.all()) == 0
    item = Item.objects.get(pack=pack, kind="images", key="quantity/0001")
    rubric = rubric_of(item, "")
    known = open_answers([item], to=SCORER)[item.pk]
    assert rubric.name == "giraffe-sgae"
    assert facts_of(item, rubric) == {name: known.reference[name] for name in ("pattern", "pred")}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"pattern": ""}, r"items.json, item 1 \(clock/0001\): pattern must be a text"),
        ({"dataset": "movies"}, "dataset 'movies' is none of"),
        ({"dataset": ["clevrer"]}, "is none of automated"),
        ({"images": ["a.png"]}, "1 images; patterns have 3"),
        ({"images": ["../a.png", "b.png", "c.png"]}, "images names '../a.png', which is no file below"),
        ({"choices": ["a.png"]}, "choices must be 4 different files"),
        ({"answer": "e"}, "answer one of a, b, c, d"),
        ({"scenario": "chess"}, "scenario 'chess' is none of"),
        ({"changes": ["mood"]}, "changes 'mood' is none of"),
        ({"id": ""}, "id must be a text"),
        ({"images": 3}, "images must be a list of texts"),
        ({"video": 7}, "video names 7"),
    ],
)
def test_a_wrong_record_is_named_by_item_and_field(made, tmp_path, change, said):
    folder = shutil.copytree(made, tmp_path / "copy")
    records = json.loads((folder / "items.json").read_text())
    records[0] |= change
    (folder / "items.json").write_text(json.dumps(records))
    with pytest.raises(BadRelease, match=said):
        read_release(folder)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "no items.json; generate_benchmark giraffe or tools.giraffe_prepare writes"),
        (lambda record: "[", "can't be read"),
        (lambda record: "[]", "not an empty one"),
        (lambda record: "{}", "must be a list"),
        (lambda record: "[1]", "item 1: must be an object"),
        (lambda record: json.dumps([record, record]), "two items have the id 'clock/0001'"),
    ],
)
def test_a_broken_list_is_named(made, tmp_path, content, said):
    if content:
        (tmp_path / "items.json").write_text(content(json.loads((made / "items.json").read_text())[0]))
    with pytest.raises(BadRelease, match=said):
        read_release(tmp_path)
    with pytest.raises(CommandError):
        say("import_benchmark", "giraffe", tmp_path)


def test_missing_and_broken_pictures_are_listed(made, tmp_path):
    folder = shutil.copytree(made, tmp_path / "copy")
    (folder / "items/clock/0001/2.png").unlink()
    (folder / "items/quantity/0001/1.png").write_bytes(b"no picture")
    report = import_release(GIRAFFE, folder, pack_name="poor")
    said = dict(report.problems)
    assert said["items/clock/0001/2.png"] == "is missing, and is needed by item clock/0001"
    assert "is neither PNG nor JPEG" in said["items/quantity/0001/1.png"]
    assert not report.pack.items.get(kind="images", key="clock/0001").media.exists()
    assert report.pack.items.get(kind="video", key="clock/0001").media.exists()
    assert report.pack.items.askable().filter(kind="images", key="quantity/0001").count() == 0
