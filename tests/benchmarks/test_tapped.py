"""Tapped from end to end: made by the command, imported like PACS, with a board, pages, runs and a trial of its own."""

import json
from collections import Counter
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from benchmarks.errors import BadRelease
from benchmarks.importers.pacs import read_release, read_tapped
from benchmarks.items import import_release
from benchmarks.media import muted, path_of
from benchmarks.models import Clip, Item
from benchmarks.registry import BENCHMARKS
from evaluation.runs import start_run
from humantrials.trials import create_trial
from tests.benchmarks.heard import heard_in
from tests.factories import make_model

pytestmark = [pytest.mark.issue("F"), pytest.mark.render]


def told(*arguments):
    out = StringIO()
    call_command(*arguments, "--json", stdout=out)
    return json.loads(out.getvalue())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two groups: one that is tapped, one of which two objects are dropped."""
    out = tmp_path_factory.mktemp("tapped")
    made = told("generate_benchmark", "tapped", "--out", str(out), "--count", "7", "--size", "160x90", "--fps", "25")
    assert (made["clips"], made["kept"]) == (6, 0)
    return out


@pytest.fixture
def pack(db, folder):
    return import_release(BENCHMARKS["tapped"], folder, pack_name="small").pack


def test_made_clips_are_kept_and_only_the_labels_are_written_anew(folder):
    before = {path: path.stat().st_mtime_ns for path in folder.glob("videos/*.mp4")}
    arguments = ("generate_benchmark", "tapped", "--out", str(folder), "--size", "160x90", "--fps", "25")
    assert told(*arguments, "--count", "7")["kept"] == 6
    assert {path: path.stat().st_mtime_ns for path in folder.glob("videos/*.mp4")} == before


def test_the_import_finds_nothing_wrong_and_every_question_its_clips(pack, folder):
    assert pack.problems == []
    assert (pack.origin, pack.profile, pack.clips.count()) == ("generated", "corrected", 6)
    assert not Item.objects.without_needed_clips(BENCHMARKS["tapped"].kinds_with_clips).exists()
    assert not Item.objects.filter(expected=None).exists()
    release = read_tapped(folder)
    assert Counter(row.facets["channel"][0] for row in release.rows).keys() == {"sound", "sight", "both"}
    defined = {facet.name: {value.value for value in facet.values} for facet in BENCHMARKS["tapped"].facets}
    for row in release.rows:
        for name in defined.keys() & row.facets.keys():
            assert set(row.facets[name]) <= defined[name]


def test_material_questions_of_a_pair_are_one_a_material_that_only_one_has(pack):
    for item in Item.objects.filter(kind="material"):
        (first, second) = (media.clip.facts["materials"][0] for media in item.media.all())
        assert first != second
        named = {"object 1": first, "object 2": second}[item.expected]
        assert named in item.text


def test_every_clip_is_heard_and_its_muted_form_has_no_sound_stream(pack):
    for clip in Clip.objects.filter(pack=pack):
        assert heard_in(path_of(clip.rendition("original"))) is not None
        assert heard_in(path_of(muted(clip))) is None
        left, top, right, bottom = clip.facts["box"]
        assert 0 <= left < right <= 1280 and 0 <= top < bottom <= 720  # noqa: PT018


def test_the_two_benchmarks_are_never_taken_for_each_other(folder, tmp_path):
    with pytest.raises(BadRelease, match="import them as tapped"):
        read_release(folder)
    with pytest.raises(BadRelease, match=r"no json/tapped\.json here"):
        read_tapped(tmp_path)


@pytest.mark.parametrize(
    "address",
    ["/benchmarks/tapped/", "/benchmarks/tapped/items/", "/leaderboard/tapped/", "/leaderboard/tapped/?group=channel",
     "/leaderboard/tapped/?level=2&strategy=material&condition=audio", "/api/v1/boards/tapped/"],
)  # fmt: skip
def test_its_pages_answer(pack, client, address):
    page = client.get(address)
    assert page.status_code == 200
    item = Item.objects.filter(kind="pair").first()
    assert client.get(item.get_absolute_url()).status_code == 200


def test_runs_and_trials_work_on_it(pack):
    run = start_run(model=make_model(kind="scripted"), pack=pack, strategy="pair", condition="flipped-audio")
    assert run.cells.count() == pack.items.filter(kind="pair").count()
    trial = create_trial(
        slug="listen", protocol="tapped-audio", pack=pack, seed=1, settings={"items": 4, "replicates": 1}
    )
    assert trial.sheets.count() == 2


@pytest.mark.parametrize(("arguments", "said"), [
    (("--size", "160x120"), "tapped has pictures of 16:9"),
    (("--only", "wood"), "leave --only, --index, --profile out"),
    (("--profile", "faithful"), "leave --only, --index, --profile out"),
    (("--count", "0"), "count 0: must be at least 1"),
    (("--queue",), "tapped can't be queued"),
])  # fmt: skip
def test_what_it_can_t_be_made_like_is_said_before_anything_is_made(db, tmp_path, arguments, said):
    with pytest.raises(CommandError, match=said):
        call_command("generate_benchmark", "tapped", "--out", str(tmp_path / "out"), *arguments)
    assert not (tmp_path / "out").exists()
