"""Runs with clips leave out questions whose clips are missing in the release, and count them."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import STAFF
from benchmarks.packs.import_release import import_release
from benchmarks.storage.access import withdraw
from evaluation.errors import RunMisused
from evaluation.runs.lifecycle import start_run
from evaluation.workers.loop import work_on
from humantrials.protocols import find_protocol
from humantrials.running.lifecycle import pool_of
from tests.benchmarks.audio_clips import tone, write_heard
from tests.benchmarks.pacs_releases import small
from tests.factories import make_model

pytestmark = pytest.mark.django_db


def release(tmp_path, clips=0):
    """Two pairs of objects, and the first so many of three clips."""
    root = small(tmp_path)
    for number in range(clips):
        write_heard(root / "videos" / f"object000{number + 1}.mp4", tone(400, 1.0))
    return import_release(BENCHMARKS["pacs"], root).pack


@pytest.fixture
def pack(tmp_path):
    """One pair has both clips."""
    return release(tmp_path, 2)


def started(pack, **values):
    return start_run(model=make_model(kind="scripted"), pack=pack, strategy="pair", split="val", **values)


def test_a_run_asks_what_has_its_clips_and_says_how_many_have_not(pack, client):
    run = started(pack, condition="no-audio")
    assert [cell.item.key for cell in run.cells.all()] == ["object0002_object0001/question0001"]
    assert run.card["left_out"] == 1
    assert "1 question without its clips" in client.get(f"/runs/{run.pk}/").content.decode()
    out = StringIO()
    arguments = ("--benchmark", "pacs", "--strategy", "pair", "--split", "val", "--model", run.model.slug)
    call_command("start_run", *arguments, "--json", stdout=out)
    assert (json.loads(out.getvalue())["cells"], json.loads(out.getvalue())["left_out"]) == (1, 1)


def test_questions_of_a_withdrawn_clip_leave_later_runs_which_still_finish(tmp_path):
    pack = release(tmp_path, 3)
    withdraw(clip=pack.clips.get(key="object0003"), why="the channel asked for it")
    run = started(pack, condition="no-audio")
    assert [cell.item.key for cell in run.cells.all()] == ["object0002_object0001/question0001"]
    assert run.card["left_out"] == 1
    work_on(run.pk)
    run.refresh_from_db()
    assert run.state == "finished"


def test_a_question_alone_needs_no_clips(pack):
    run = started(pack, condition="question-only")
    assert (run.cells.count(), "left_out" in run.card) == (2, False)


def test_a_release_without_clips_can_only_be_asked_in_words(tmp_path):
    bare = release(tmp_path)
    with pytest.raises(RunMisused, match="none of these 2 questions has its clips here"):
        started(bare, condition="no-audio")
    assert started(bare, condition="question-only").cells.count() == 2


def test_the_benchmark_page_and_trials_count_them(pack, client):
    text = " ".join(client.get("/benchmarks/pacs/").content.decode().split())
    assert "Without clips: 1 of 3 questions" in text
    asked = pool_of(find_protocol("pacs-audio"), pack, 0, {"items": 1}, to=STAFF)
    assert [item.key for item in asked] == ["object0002_object0001/question0001"]


def test_clips_of_others_are_on_no_page_but_for_staff(pack, client, admin_client):
    item = pack.items.get(kind="pair", key="object0002_object0001/question0001").get_absolute_url()
    pages = ("/benchmarks/", "/benchmarks/pacs/", "/benchmarks/pacs/items/", item)
    _, benchmark, _, own = (client.get(address).content.decode() for address in pages)
    assert not any("<video" in client.get(address).content.decode() for address in pages)
    assert "participants of a study see them" in benchmark
    assert own.count("It belongs to others") == 2
    assert admin_client.get(item).content.decode().count("<video") == 2
    bare = pack.items.get(key="object0001_object0003/question0001")  # it has clips, which are missing
    assert "Its clips are not here" in client.get(bare.get_absolute_url()).content.decode()
