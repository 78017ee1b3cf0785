"""Tapped from end to end: made by the command, imported like PACS, with a board, pages, runs and a trial of its own."""

import json
import re
import shutil
from collections import Counter
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from benchmarks import tasks
from benchmarks.definitions.importers.pacs import read_release, read_tapped
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.errors import BadRelease
from benchmarks.generation import distributed
from benchmarks.models import Clip, Item, ItemSeal, Pack, Production, ProductionState
from benchmarks.packs.audit import audit_release
from benchmarks.packs.import_release import import_release
from benchmarks.storage.access import muted, path_of
from evaluation.runs.lifecycle import start_run
from humantrials.studies.lifecycle import create_trial
from scenes.tapped.sound import RATE
from tests.benchmarks.audio_clips import heard_in, write_heard
from tests.factories import make_model

pytestmark = pytest.mark.render


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


def test_the_audit_finds_nothing_wrong_with_what_was_made(folder):
    assert told("audit_benchmark", "tapped", str(folder)) == {"clips": 6, "findings": []}


def with_labels(root, name, change):
    path = root / "json" / f"{name}.json"
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def turned(labels):
    for questions in labels.values():
        for point in questions.values():
            point["label"] = 1 - point["label"]


def decided_by_sight(labels):
    next(iter(next(iter(labels.values())).values()))["channel"] = "sight"


WRONG_LABELS = [
    ("test_data", turned, "is not true of the objects"),
    ("val_data_mat", turned, "does not single out"),
    ("val_data", decided_by_sight, "decided by sound, and sight is said"),
    ("objects", lambda told: told["object0000"].update(bounding_box=[9, 9, 1290, 500]), "not inside of 1280 by 720"),
    ("objects", lambda told: told["object0001"].update(bounding_box=[0, 0, 60, 60]), "outside of its box"),
    ("objects", lambda told: told["object0002"].update(materials=["jelly"]), r"objects\.json says \['jelly'\]"),
    ("tapped", lambda told: told["objects"]["object0003"].update(edge=1.0), "another object than the clip"),
    ("tapped", lambda told: told["objects"]["object0003"].update(edge=1.0), "kg by its material and size"),
]


def test_the_audit_finds_labels_that_are_not_true(folder, tmp_path):
    """All of them in one set, so that it is heard through once."""
    copy = shutil.copytree(folder, tmp_path / "copy")
    for name, change, _ in WRONG_LABELS:
        with_labels(copy, name, change)
    found = [finding for _, finding in audit_release(BENCHMARKS["tapped"], copy).findings]
    for *_, what in WRONG_LABELS:
        assert any(re.search(what, finding) for finding in found), what


def late(samples):
    return np.roll(samples, RATE // 10)


def too_loud(samples):
    return np.where(np.abs(samples) == np.abs(samples).max(), 4.0, samples)


WRONG_SOUNDS = [(lambda samples: samples / 4, "LUFS"), (late, "from it"), (too_loud, "full scale"), (None, "no sound")]


def test_the_audit_hears_what_is_wrong_with_a_sound(folder, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "copy")
    for number, (change, _) in enumerate(WRONG_SOUNDS):
        clip = copy / "videos" / f"object000{number}.mp4"
        samples = None if change is None else change(heard_in(clip)[0]).astype(np.float32)
        made = write_heard(
            tmp_path / "made.mkv", samples, shown=[40] * 75, codec="mpeg4", voice="pcm_f32le", fps=25, rate=RATE
        )
        made.replace(clip)
    (copy / "videos" / "object0004.mp4").unlink()
    found = audit_release(BENCHMARKS["tapped"], copy).findings
    for number, (_, what) in enumerate(WRONG_SOUNDS):
        assert any(key == f"object000{number}" and what in finding for key, finding in found), (what, found)
    assert ("object0004", "missing: object0004.mp4") in found


def test_a_queued_set_is_made_in_batches_labelled_and_imported(db, folder, tmp_path, monkeypatch):
    """The clips of another folder are put there beforehand, so that nothing is drawn anew."""
    sent = []
    monkeypatch.setattr(distributed, "BATCH", 4)
    monkeypatch.setattr(tasks.make_batch, "delay", sent.append)
    monkeypatch.setattr(tasks.import_pack, "delay", lambda production: tasks.import_pack(production))
    out = shutil.copytree(folder, tmp_path / "mine", ignore=shutil.ignore_patterns("json"))
    ordered = told(
        "generate_benchmark", "tapped", "--out", str(out), "--count", "7", "--size", "160x90", "--fps", "25", "--queue"
    )
    assert ordered == {"queued": "mine", "batches": 2}
    for batch in sent:
        assert not Pack.objects.exists()
        tasks.make_batch(batch)
    production = Production.objects.get()
    assert (production.state, production.clips_done, production.clips_total) == (ProductionState.DONE, 6, 6)
    assert Pack.objects.get().items.count() == sum(map(len, labels_in(folder)))


def labels_in(folder):
    for path in folder.glob("json/*_data*.json"):
        yield from json.loads(path.read_text()).values()


def test_strict_refuses_a_set_that_lacks_a_clip(db, folder, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "copy")
    sorted(copy.glob("videos/*.mp4"))[0].unlink()
    with pytest.raises(CommandError, match=r"1 problem, first videos: 1 of 6 objects have no clip"):
        call_command("import_benchmark", "tapped", str(copy), strict=True)
    assert not Pack.objects.exists()


def test_the_two_benchmarks_are_never_taken_for_each_other(folder, tmp_path):
    with pytest.raises(BadRelease, match="import them as tapped"):
        read_release(folder)
    with pytest.raises(BadRelease, match=r"no json/tapped\.json here"):
        read_tapped(tmp_path)


@pytest.mark.parametrize(
    "address",
    [
        "/benchmarks/tapped/",
        "/benchmarks/tapped/items/",
        "/leaderboard/tapped/",
        "/leaderboard/tapped/?group=channel",
        "/leaderboard/tapped/?level=2&strategy=material&condition=audio",
        "/api/v1/boards/tapped/",
    ],
)
def test_its_pages_answer(pack, client, address):
    page = client.get(address)
    assert page.status_code == 200
    item = Item.objects.filter(kind="pair").first()
    assert client.get(item.get_absolute_url()).status_code == 200


def test_the_strip_leaves_out_clips_that_an_open_study_shows_as_well(pack, client):
    sealed = Item.objects.filter(kind="pair").first()
    ItemSeal.objects.create(item=sealed, by="trial:listen")
    strip = [card.item.clip for card in client.get("/benchmarks/tapped/").context["strip"]]
    assert strip
    assert not {media.clip for media in sealed.media.all()} & set(strip)


def test_its_page_draws_how_questions_and_clips_spread(pack, client):
    page = client.get("/benchmarks/tapped/")
    shown = {one.title: {bar.title: bar.count for bar in one.bars} for one in page.context["distributions"]}
    assert shown["Seconds of a clip"] == {"2–3": 6}
    assert (
        sum(shown["Words in a question"].values()) == Item.objects.filter(kind="pair").values("text").distinct().count()
    )
    assert "<caption>Questions on a pair of objects</caption>" in page.content.decode()


def test_runs_and_trials_work_on_it(pack):
    run = start_run(model=make_model(kind="scripted"), pack=pack, strategy="pair", condition="flipped-audio")
    assert run.cells.count() == pack.items.filter(kind="pair").count()
    trial = create_trial(
        slug="listen", protocol="tapped-audio", pack=pack, seed=1, settings={"items": 4, "replicates": 1}
    )
    assert trial.sheets.count() == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--size", "160x120"), "tapped has pictures of 16:9"),
        (("--only", "wood"), "leave --only, --index, --profile, --shares out"),
        (("--profile", "faithful"), "leave --only, --index, --profile, --shares out"),
        (("--count", "0"), "count 0: must be at least 1"),
        (("--queue", "--only", "wood"), "leave --only, --index, --profile, --shares out"),
    ],
)
def test_what_it_can_t_be_made_like_is_said_before_anything_is_made(db, tmp_path, arguments, said):
    with pytest.raises(CommandError, match=said):
        call_command("generate_benchmark", "tapped", "--out", str(tmp_path / "out"), *arguments)
    assert not (tmp_path / "out").exists()
