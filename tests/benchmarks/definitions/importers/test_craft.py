"""CRAFT's release: its import, and one clear line for each kind of broken release."""

import json
import re
import shutil
from collections import Counter

import pytest
from django.core.management import CommandError, call_command

from benchmarks.commands import CallerMistake
from benchmarks.definitions.importers.craft import read_release
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.errors import BadRelease
from benchmarks.gallery.distributions import rings_of
from benchmarks.models import Clip, Item, Pack
from tests.scenes.craft import rounds

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """Four small videos of two scenes each, with their questions."""
    return rounds.made(tmp_path_factory.mktemp("craft-release"), 4, 5, ["1", "11"])


@pytest.fixture
def release(made, tmp_path):
    return shutil.copytree(made, tmp_path / "release")


@pytest.fixture
def official(release):
    """The same folder in the form of the official archive: without facts about its making, and with .mpg videos."""
    (release / "made_here.json").unlink()
    shutil.rmtree(release / "intermediates")
    path = release / "dataset_minimal.json"
    path.write_text(path.read_text().replace(".mp4", ".mpg"))
    for video in release.glob("videos/sid_*/*.mp4"):
        video.rename(video.with_suffix(".mpg"))
    return release


def change(release, name, **values):
    """Change values of the first record; None removes one."""
    path = release / name
    records = json.loads(path.read_text())
    records[0] = {key: value for key, value in (records[0] | values).items() if value is not None}
    path.write_text(json.dumps(records))


def test_every_question_is_read_with_its_places_in_both_settings(release):
    records = json.loads((release / "dataset_minimal.json").read_text())
    found = read_release(release)
    rows = {row.key: row for row in found.rows}
    assert len(rows) == len(records)
    for record in records:
        row = rows[f"{record['video_index']:06}/{record['question_index']}"]
        assert row.text.splitlines()[0] == record["question"]
        assert row.expected == record["answer"].lower()
        assert row.expected in row.options
        assert row.clip == f"sid_{record['simulation_id']}/{record['video_index']:06}"
        assert row.facets["template"] == (record["template_id"],)
        easy, hard, whole = row.splits
        assert (easy[:5], whole) == ("easy-", "all")
        assert hard == {"1": "hard-train", "11": "hard-test"}[record["simulation_id"]]
    assert (found.origin, found.profile, found.problems) == ("generated", "corrected", ())
    assert {clip.trajectory is not None for clip in found.clips} == {True}
    assert all(clip.facts["programs"] for clip in found.clips)


def test_an_official_archive_is_read_alike(official, release):
    found = read_release(official)
    assert found.origin == "official"
    assert {clip.path.suffix for clip in found.clips} == {".mpg"}
    assert ([where for where, _ in found.notes], found.problems) == (["made_here.json"], ())


def test_a_release_without_split_files_says_so_and_stands(release):
    (release / "split_info_hard.json").unlink()
    found = read_release(release)
    assert [where for where, _ in found.problems] == ["split_info_hard.json"]
    assert {len(row.splits) for row in found.rows} == {2}


@pytest.mark.parametrize("name", ["split_info_hard.json", "dataset.json"])
def test_strict_refuses_an_official_archive_that_lacks_a_file(official, name):
    (official / name).unlink()
    with pytest.raises(CommandError, match=rf"0 gaps and 1 problem, first {name}: is missing: .*; nothing is stored"):
        call_command("import_benchmark", "craft", official, strict=True, verbosity=0)
    assert not Pack.objects.exists()


def cut(release, name):
    path = release / name
    path.write_text(path.read_text()[:200])


def foreign(release):
    change_split(release, "random", lambda split: split["test"].append({"video_index": 9999, "question_index": 3}))


def doubled(release):
    change_split(release, "hard", lambda split: split["validation"].append(split["train"][0]))


def change_split(release, name, edit):
    path = release / f"split_info_{name}.json"
    edit(split := json.loads(path.read_text()))
    path.write_text(json.dumps(split))


def first_video(release):
    return next(iter(sorted(release.glob("videos/sid_*/*.mp4"))))


def record_of(release, video):
    return release / "intermediates" / video.parent.name / f"{video.stem}.json"


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda r: (r / "dataset_minimal.json").unlink(), "no dataset_minimal.json here"),
        (lambda r: (r / "dataset_minimal.json").write_text("[]"), "no video has a question: .* balancing keeps"),
        (lambda r: cut(r, "dataset_minimal.json"), "not readable as JSON, perhaps cut off"),
        (lambda r: cut(r, "dataset.json"), "dataset.json: not readable as JSON"),
        (lambda r: cut(r, "split_info_hard.json"), "split_info_hard.json: not readable as JSON"),
        (lambda r: first_video(r).unlink(), "missing"),
        (foreign, "video 9999, question 3: is not in the questions of this release"),
        (doubled, "appears twice"),
        (lambda r: record_of(r, first_video(r)).write_text("{}"), "not the record of a video"),
        (lambda r: cut(r, record_of(r, first_video(r)).relative_to(r)), "perhaps cut off"),
        (lambda r: record_of(r, first_video(r)).unlink(), "missing"),
        (lambda r: change(r, "dataset_minimal.json", answer="maybe"), "answer is 'maybe'"),
        (lambda r: change(r, "dataset_minimal.json", question=None), "question is None"),
        (lambda r: change(r, "dataset_minimal.json", video_file_path="./videos/../../etc/passwd"), "is no video of"),
        (lambda r: change(r, "dataset_minimal.json", video_index=3), "are two videos"),
        (lambda r: change(r, "dataset_minimal.json", question_type="Magic"), "question_type is 'Magic'"),
    ],
)
def test_what_is_broken_is_one_line_and_nothing_is_written(release, damage, said):
    damage(release)
    with pytest.raises(BadRelease, match=said) as error:
        read_release(release)
    assert "\n" not in str(error.value)
    with pytest.raises(CallerMistake, match=said):
        call_command("import_benchmark", "craft", release, verbosity=0)
    assert [model.objects.count() for model in (Pack, Item, Clip)] == [0, 0, 0]


def test_a_made_release_becomes_a_pack_with_boards_by_setting(release, client):
    call_command("import_benchmark", "craft", release, verbosity=0)
    pack = Pack.objects.get()
    assert (pack.benchmark, pack.name, pack.origin) == ("craft", "corrected", "generated")
    assert set(Item.objects.first().facet_values("split")) >= {"all"}
    for address in ("/benchmarks/craft/", "/benchmarks/craft/items/", "/leaderboard/craft/?split=hard-test"):
        assert client.get(address).status_code == 200
    call_command("import_benchmark", "craft", release, verbosity=0)
    assert Pack.objects.count() == 1


def test_its_page_draws_every_question_in_rings(release, client):
    call_command("import_benchmark", "craft", release, verbosity=0)
    records = json.loads((release / "dataset_minimal.json").read_text())
    rings = rings_of(BENCHMARKS["craft"], Pack.objects.get())
    counted = Counter((record["question_type"], record["answer_type"], record["answer"].lower()) for record in records)
    assert {row[:3]: row[3] for row in rings.rows} == counted
    assert sum(piece.count for piece in rings.pieces if piece.radius < 100) == len(records)
    page = client.get("/benchmarks/craft/").content.decode()
    assert page.count('fill="#') == len(rings.pieces)
    assert not re.search(r"<svg[^>]*rings[^$]* style=", page)
    assert 'id="rings"' not in client.get("/benchmarks/grasp/").content.decode()


def test_a_run_in_which_nothing_happens_can_be_imported(release):
    """The original's own loader fails on such a run: its graph has no edge to the end."""
    path = record_of(release, first_video(release))
    record = json.loads(path.read_text())
    graph = record["original_video_output"]["causal_graph"]
    graph["nodes"] = [node for node in graph["nodes"] if not node["objects"]]
    graph["edges"] = []
    path.write_text(json.dumps(record))
    assert read_release(release).clips
