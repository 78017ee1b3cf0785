"""Every command prints one line or one object, and one clear sentence for a mistake."""

import json
from io import StringIO
from unittest.mock import Mock

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder

from benchmarks.commands import CallerMistake
from benchmarks.generation.generate import GenerationReport
from benchmarks.management.commands import generate_benchmark
from benchmarks.models import Clip, Pack, Production
from tests.benchmarks.grasp_release import write_release
from tests.commands import say, told

pytestmark = pytest.mark.django_db


OLD = "the database was not migrated (migrations to apply: 1): type `benchsite migrate` first"


@pytest.fixture
def without_a_table(transactional_db):
    """A failed statement ends a transaction of PostgreSQL: the command asks for migrations after it, outside of one."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE benchmarks_pack RENAME TO benchmarks_gone")
        yield
        cursor.execute("ALTER TABLE benchmarks_gone RENAME TO benchmarks_pack")


def test_a_database_that_was_not_upgraded_is_one_line_and_exit_2(without_a_table):
    (last := MigrationRecorder.Migration.objects.filter(app="benchmarks").latest("name")).delete()
    try:
        with pytest.raises(CallerMistake) as mistake:
            say("list", "benchmarks")
        assert (str(mistake.value), mistake.value.returncode) == (OLD, 2)
        with pytest.raises(CallerMistake):
            say("list", "benchmarks", "--json", stdout=(out := StringIO()))
        assert json.loads(out.getvalue()) == {"error": OLD, "exit": 2}
    finally:
        last.save(force_insert=True)


def test_another_fault_of_the_database_is_not_called_an_old_one(without_a_table):
    with pytest.raises(DatabaseError, match="benchmarks_pack"):
        say("list", "benchmarks")


OF_TAPPED = "leave --only, --index, --profile, --shares out"
NOT_MADE = [
    ("grap", "", "there is no benchmark 'grap'"),
    ("grasp", "--only Magic", "no scene or test 'Magic' can be made"),
    ("grasp", "--size big", "write WIDTHxHEIGHT"),
    ("grasp", "--size 0x0", "size 0x0"),
    ("grasp", "--fps 7", "fps 7"),
    ("grasp", "--count 0", "count 0"),
    ("grasp", "--index 1 --count 2", "leave --count out"),
    ("grasp", "--index -1", "--index -1"),
    ("grasp", "--jobs 0", "--jobs"),
    ("grasp", "--seed -1", "--seed"),
    ("grasp", "--count 1 --shares paper", "--shares"),
    ("craft", "--videos 85", "as many of each of 20 scenes are 80 or 100"),
    ("craft", "--videos 0", "as many of each of 20 scenes are 20 or 40"),
    ("craft", "--videos 80 --count 4", "leave --count and --index"),
    ("craft", "--count 0", "count 0: 1 to 500 videos a scene"),
    ("craft", "--count 501 --queue", "count 501: 1 to 500 videos a scene"),
    ("craft", "--only 21", "no scene '21': there is sid_1 to sid_20"),
    ("craft", "--index 3", "craft is made whole: leave --index out"),
    ("craft", "--size 640x480", "pictures of CRAFT are square"),
    ("craft", "--fps 50 --queue", "fps 50: must divide 60"),
    ("giraffe", "--count 0", "count 0: 1 to 300 items a scenario"),
    ("giraffe", "--only chess", "no scenario 'chess'"),
    ("giraffe", "--size 64x32", "pictures are square"),
    ("giraffe", "--fps 0", "fps 0"),
    ("giraffe", "--index 3", "made whole"),
    ("giraffe", "--profile faithful", "one profile"),
    ("giraffe", "--count 1 --shares paper", "--shares"),
    ("tapped", "--videos 80", "tapped makes clips by --count"),
    ("tapped", "--size 160x120", "tapped has pictures of 16:9"),
    ("tapped", "--only wood", OF_TAPPED),
    ("tapped", "--profile faithful", OF_TAPPED),
    ("tapped", "--count 1 --shares paper", OF_TAPPED),
    ("tapped", "--count 0", "count 0: must be at least 1"),
    ("tapped", "--queue --only wood", OF_TAPPED),
]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("import_benchmark", "grap", "."), "there is no benchmark 'grap'; there is: grasp"),
        (("import_benchmark", "grasp", "/nowhere"), "/nowhere: no such folder"),
        (("import_benchmark", "grasp", "docs"), "no GRASP videos here"),
        (("import_benchmark", "grasp", "docs", "--split", "train"), "has no split 'train'; it has: all, paper"),
        *((("generate_benchmark", slug, "--out", "OUT", *words.split()), said) for slug, words, said in NOT_MADE),
        (("check_benchmark", "--audit", "grasp", "docs"), "no trajectories/ here"),
        (("export_benchmark", "grasp", "--out", "OUT"), "say which pack; packs of grasp: none yet"),
        (("export_benchmark", "grasp", "--out", "OUT", "--pack", "x"), "there is no pack 'x'"),
        (("change_pack", "withdraw-clip", "abcdefghijkl", "--why", "asked to"), "there is no clip 'abcdefghijkl'"),
        (("list", "strategies", "grap"), "there is no benchmark 'grap'"),
    ],
)
def test_a_mistake_of_the_caller_is_one_line_and_exit_2(tmp_path, arguments, said):
    arguments = [argument.replace("OUT", str(tmp_path / "out")) for argument in arguments]
    with pytest.raises(CommandError) as caught:
        say(*arguments)
    assert caught.value.returncode == 2
    assert not list(tmp_path.glob("out*"))
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not Pack.objects.exists()
    assert not Production.objects.exists()


@pytest.mark.parametrize(
    ("slug", "only", "videos", "count"),
    [("craft", "", 80, 4), ("craft", "14", 3, 3), ("grasp", "", 98, 2), ("grasp", "DirectionLeft", 5, 5)],
)
def test_videos_are_counted_in_total(tmp_path, monkeypatch, slug, only, videos, count):
    generate = Mock(return_value=GenerationReport(videos, 0))
    monkeypatch.setattr(generate_benchmark, "generate", generate)
    call_command("generate_benchmark", slug, out=tmp_path, videos=videos, only=only)
    assert generate.call_args.kwargs["count"] == count


def test_import_says_what_it_found(tmp_path):
    root = write_release(tmp_path, ["P_Gravity", "RelationalPositionLeft"], 1)
    (root / "videos/level1/RelationalPositionLeft").rename(root / "videos/level1/RelationalPosiitionLeft")
    found = told("import_benchmark", "grasp", root, "--pack", "mine")
    counts = {"benchmark": "grasp", "pack": "mine", "version": "1.0", "clips": 2, "items": 64}
    problem = {"where": "level1/RelationalPosiitionLeft", "what": "misspelt; read as RelationalPositionLeft"}
    assert found | counts | {"problems": [problem]} == found
    assert "which existed already" in say("import_benchmark", "grasp", root, "--pack", "mine")


def test_a_second_import_says_what_the_folder_shows_now_and_names_a_changed_file(tmp_path):
    root = write_release(tmp_path, ["P_Gravity"], 1)
    assert told("import_benchmark", "grasp", root)["problems"] == []
    (root / "videos/level2/P_Gravity/notes.doc").touch()
    again = told("import_benchmark", "grasp", root)
    problem = {"where": "level2/P_Gravity/notes.doc", "what": "not a clip; left out"}
    assert (again["is_new"], again["problems"]) == (False, [problem])
    with (root / "videos/level2/P_Gravity/000.mp4").open("ab") as file:
        file.write(b"\0")
    with pytest.raises(CommandError, match=r"videos/level2/P_Gravity/000\.mp4 differs") as caught:
        say("import_benchmark", "grasp", root)
    assert caught.value.returncode == 2


def test_gaps_come_first_and_strict_refuses_them(tmp_path):
    root = write_release(tmp_path, ["P_Gravity"], 1)
    said = "2 gaps and 0 problems, first level1: is not there: none of its 17 scenes; nothing is stored"
    with pytest.raises(CommandError, match=said) as caught:
        say("import_benchmark", "grasp", root, "--strict")
    assert (caught.value.returncode, Pack.objects.count()) == (2, 0)
    said = say("import_benchmark", "grasp", root).splitlines()
    assert said[:2] == ["Not a whole release: 2 gaps", "  level1: is not there: none of its 17 scenes"]
    assert said[2].startswith("  level2: 31 of 32 scenes have no clips: P_Unchangeableness, ")


def test_json_is_printed_on_errors_as_well(tmp_path):
    root = write_release(tmp_path / "one", ["P_Gravity"], 1)
    printed = []
    for arguments in (("grasp", "/nowhere"), ("grap", "."), ("grasp", root, "--strict")):
        with pytest.raises(CommandError):
            say("import_benchmark", *arguments, "--json", stdout=(out := StringIO()))
        printed.append(json.loads(out.getvalue()))
    assert printed[0] == {"error": "/nowhere: no such folder", "exit": 2}
    assert printed[1]["error"].startswith("there is no benchmark 'grap'")
    assert printed[2]["gaps"][0] == {"where": "level1", "what": "is not there: none of its 17 scenes"}


def test_a_release_of_empty_clips_is_refused(tmp_path):
    root = write_release(tmp_path, ["P_Gravity"], 2)
    clips = sorted((root / "videos").rglob("*.mp4"))
    clips[0].write_bytes(b"")
    assert told("import_benchmark", "grasp", root, "--pack", "half")["problems"] == [
        {"where": "level2/P_Gravity/000", "what": "videos/level2/P_Gravity/000.mp4: the file is empty (0 bytes)"}
    ]
    clips[1].write_bytes(b"")
    with pytest.raises(CommandError, match=r"all 2 clips are empty \(0 bytes\)"):
        say("import_benchmark", "grasp", root)


def test_lists_tell_what_is_there(small_pack):
    listed = told("list", "benchmarks")["benchmarks"][0]
    assert listed["packs"] == [{"name": "small", "origin": "official", "items": 82}]
    strategies = told("list", "strategies", "grasp")["strategies"]
    ours = "plausibility-cot plausibility-oneshot binary-wordings plausibility-wordings text-wordings moment twins"
    assert [strategy["name"] for strategy in strategies if strategy["ours"]] == ours.split()
    assert "small (82 items)" in say("list", "benchmarks")


def test_export_counts_what_it_wrote(small_pack, tmp_path):
    written = told("export_benchmark", "grasp", "--out", tmp_path / "out.zip")
    assert (written["items"], written["clips"]) == (82, 12)


@pytest.mark.parametrize("by", ["item", "number"])
def test_a_clip_is_withdrawn_by_item_or_by_number(small_pack, by):
    item = small_pack.items.filter(kind="plausibility").first()
    name = item.public_id if by == "item" else item.clip.pk
    assert told("change_pack", "withdraw-clip", name, "--why", "asked to")["clip"] == item.clip.pk
    assert Clip.objects.get(pk=item.clip.pk).withdrawal_note == "asked to"
