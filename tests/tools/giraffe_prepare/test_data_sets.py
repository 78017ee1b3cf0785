"""The public data sets' annotation files become items: small files in each format, with the odd cases of each."""

import json
import os

import pytest
from django.core.management import CommandError

from benchmarks.commands import CallerMistake
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.errors import BadRelease
from benchmarks.packs.import_release import import_release
from tests.commands import say
from tests.programs import loaded_by
from tests.tools.giraffe_prepare.upstream_files import (
    CLASSES,
    COMBINATION,
    charades_row,
    clevrer_record,
    clevrer_scene,
    grey,
    prepared,
    records_of,
    write_charades,
    write_clevrer,
    write_video,
)
from tools.giraffe_prepare.__main__ import main
from tools.giraffe_prepare.charades import CLASSES as CLASSES_FILE
from tools.giraffe_prepare.charades import read_charades
from tools.giraffe_prepare.clevrer import read_clevrer
from tools.giraffe_prepare.roboset import read_roboset

pytestmark = pytest.mark.django_db
NOWHERE = {"frame_id": 124, "objects": [{"object_id": 0}]}


def test_clevrer_takes_five_frames_and_tells_what_collides(tmp_path, capsys):
    write_clevrer(tmp_path / "clevrer")
    write_video(tmp_path / "videos" / "video_10000.mp4", 5.12, fps=25)
    source, videos = tmp_path / "clevrer", tmp_path / "videos"
    assert prepared(capsys, "clevrer", source, "--videos", videos, "--out", tmp_path / "out") == []
    (record,) = records_of(tmp_path / "out")
    assert record["truth"] == (
        "The gray sphere will collide with the cyan cylinder in the next two seconds."
        " The red cube and the gray sphere will not collide in the next two seconds."
    )
    assert record["attributes"].splitlines() == [
        "gray rubber sphere: coordinates (0.50, -1.25, 0.20), movement speed (1.00, 0.00, 0.00)",
        "cyan metal cylinder: coordinates (0.50, -1.25, 0.20), movement speed (1.00, 0.00, 0.00)",
    ]
    seen = [grey(tmp_path / "out" / path) for path in record["images"]]
    assert seen == pytest.approx([min(250, 2 * frame) for frame in (24, 49, 74, 99, 124)], abs=3)
    pack = import_release(BENCHMARKS["giraffe"], tmp_path / "out", pack_name="clevrer").pack
    assert (pack.origin, {*pack.items.values_list("kind", flat=True)}) == ("official", {"images", "video"})
    assert pack.items.get(kind="video").clip.frames == 125


def test_pictures_of_others_are_not_shown_in_public(tmp_path, client, capsys):
    write_clevrer(tmp_path / "clevrer")
    write_video(tmp_path / "videos" / "video_10000.mp4", 5.12, fps=25)
    source, videos = tmp_path / "clevrer", tmp_path / "videos"
    prepared(capsys, "clevrer", source, "--videos", videos, "--out", tmp_path / "out")
    pack = import_release(BENCHMARKS["giraffe"], tmp_path / "out", pack_name="clevrer").pack
    item = pack.items.get(kind="images")
    page = client.get(f"{item.get_absolute_url()}?answer=1").content.decode()
    picture = item.media.first().clip.picture.get_absolute_url()
    assert picture not in page
    assert "may not be shown" in page
    assert client.get(picture).status_code == 404
    gallery = client.get("/benchmarks/giraffe/items/?pack=clevrer").content.decode()
    assert picture not in gallery
    assert "Its clips may not be shown." in gallery


def test_clevrer_without_videos_stands_and_what_is_missing_is_listed(tmp_path, capsys):
    write_clevrer(tmp_path / "clevrer")
    notes = prepared(capsys, "clevrer", tmp_path / "clevrer", "--out", tmp_path / "out")
    assert notes[0] == "clevrer/10000: items/clevrer/10000/1.png: video_10000.mp4 is missing"
    found = import_release(BENCHMARKS["giraffe"], tmp_path / "out", pack_name="bare")
    assert found.pack.items.count() == 2
    assert len(found.problems) == 6


@pytest.mark.parametrize(
    ("scenes", "records", "where", "what"),
    [
        ([clevrer_scene(answers=(None, None))], None, "video_10000.mp4", "has no predictive question with answers"),
        ([clevrer_scene(questions=[])], None, "video_10000.mp4", "has no predictive question"),
        (None, [], "video_10000.mp4", "annotation_10000.json is missing"),
        (None, [clevrer_record(motion_trajectory=[])], "video_10000.mp4", "nothing is seen in frame 124"),
    ],
)
def test_what_clevrer_leaves_open_is_named(tmp_path, scenes, records, where, what):
    found = read_clevrer(write_clevrer(tmp_path, scenes, records), None)
    assert found.drafts == ()
    assert found.problems[0][0] == where
    assert what in found.problems[0][1]


@pytest.mark.parametrize(
    ("scenes", "records", "said"),
    [
        ([clevrer_scene(scene_index="x")], None, "validation.json, scene 1: scene_index must be a number"),
        ([clevrer_scene(answers=("maybe", "wrong"))], None, "'maybe'; it must be correct or wrong"),
        ({"a": 1}, None, "must be a list"),
        (None, [clevrer_record(object_property=[])], "frame 124 has an object 0, which has no object_property"),
        (None, [clevrer_record(motion_trajectory=[NOWHERE])], "annotation_10000.json: location must be a list"),
        (None, [clevrer_record(object_property=[{"object_id": 0, "color": 3}])], "color must be a text"),
    ],
)
def test_a_wrong_record_of_clevrer_is_named(tmp_path, scenes, records, said):
    with pytest.raises(BadRelease, match=said):
        read_clevrer(write_clevrer(tmp_path, scenes, records), None)


def test_charades_three_steps(tmp_path):
    found = read_charades(write_charades(tmp_path), None)
    (draft,) = found.drafts
    assert draft.fields["truth"] == "A person puts the book on the table."
    assert draft.fields["captions"] == "A person walks through a doorway holding a book."
    assert (draft.until, len(draft.images)) == (8.0, 4)
    assert [wanted.moments[0] for wanted in draft.images] == [1.0, 3.0, 5.0, 7.0]


@pytest.mark.parametrize(
    ("text", "actions", "target", "captions"),
    [
        ("A person sits in a chair. The person drinks from a cup", "c106 5 9", "The person drinks from a cup.",
         "A person sits in a chair."),
        ("The man sits on a chair and drinks water from a cup.", "c106 3.00 9.00", "The man drinks water from a cup.",
         "The man sits on a chair."),
        ("A woman walks through a doorway, holding a book.", "c118 2 8;c026 2 8", "A woman holding a book.",
         "A woman walks through a doorway."),
        ("One person sits on a chair; then drinks from a glass .", "c106 4.5 6", "One person drinks from a glass.",
         "One person sits on a chair."),
    ],
)  # fmt: skip
def test_the_last_clause_inherits_its_subject_and_loses_its_conjunction(tmp_path, text, actions, target, captions):
    row = charades_row(descriptions="", script=text, actions=actions)
    (draft,) = read_charades(write_charades(tmp_path, row), None).drafts
    assert (draft.fields["truth"], draft.fields["captions"]) == (target, captions)


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ({"actions": "c097 0.00 4.00"}, "is c009 (Putting a book on a table/shelf), which is not among"),
        ({"actions": ""}, "not among its own actions"),
        ({"descriptions": "", "script": ""}, "has neither a description nor a script"),
        ({"descriptions": "A person puts the book on the table."}, "is one clause"),
        ({"descriptions": "A person is tired, and smiles."}, "no verb with a noun"),
        ({"actions": "c009 0.00 5.00"}, "c009 begins at 0 s: nothing comes before it"),
        ({"descriptions": "A person sits, then paints a zebra."}, "no action of the dictionary"),
    ],
)
def test_a_video_of_charades_that_is_not_usable_says_at_which_step(tmp_path, values, what):
    found = read_charades(write_charades(tmp_path, charades_row(**values)), None)
    assert found.drafts == ()
    assert found.problems[0][0] == "46GP8"
    assert what in found.problems[0][1]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"actions": "c009 8.00"}, "Charades_v1_test.csv, line 2: actions has 'c009 8.00'"),
        ({"actions": "x9 1 2"}, "it must be a code and two times"),
        ({"id": "a/b"}, "line 2: a column is missing, or the id is none"),
    ],
)
def test_a_wrong_line_of_charades_is_named(tmp_path, values, said):
    with pytest.raises(BadRelease, match=said):
        read_charades(write_charades(tmp_path, charades_row(**values)), None)


def test_charades_needs_its_classes_and_columns(tmp_path):
    write_charades(tmp_path, classes="c000\n")
    with pytest.raises(BadRelease, match=f"{CLASSES_FILE}, line 1"):
        read_charades(tmp_path, None)
    (tmp_path / CLASSES_FILE).write_text(CLASSES)
    (tmp_path / "Charades_v1_test.csv").write_text("id,script\n")
    with pytest.raises(BadRelease, match="no column descriptions, actions, length"):
        read_charades(tmp_path, None)
    (tmp_path / "Charades_v1_test.csv").unlink()
    with pytest.raises(BadRelease, match=r"neither Charades_v1_test.csv nor"):
        read_charades(tmp_path, None)


def test_charades_becomes_a_pack(tmp_path, capsys):
    rows = charades_row(), charades_row(id="AAAA1", actions="c009 3 5;c009 8.00 12.50")
    write_charades(tmp_path / "charades", *rows)
    for row in rows:
        write_video(tmp_path / "videos" / f"{row['id']}.mp4", 12)
    source, videos = tmp_path / "charades", tmp_path / "videos"
    notes = prepared(capsys, "charades", source, "--videos", videos, "--out", tmp_path / "out")
    assert notes == ["AAAA1: c009 is labelled 1 times before"]
    assert [record["truth"] for record in records_of(tmp_path / "out")] == ["A person puts the book on the table."] * 2
    pack = import_release(BENCHMARKS["giraffe"], tmp_path / "out", pack_name="charades").pack
    assert {*pack.items.values_list("kind", flat=True)} == {"images", "video", "told"}
    assert pack.items.get(kind="video", key="charades/AAAA1").clip.frames == 80
    assert "1. A person walks through a doorway holding a book." in pack.items.filter(kind="told").first().text


def test_roboset_takes_key_frames_and_the_last_is_the_target(tmp_path, capsys):
    (tmp_path / "combinations.json").write_text(json.dumps([COMBINATION]))
    for folder in ("plunge", "pick", "place"):
        write_video(tmp_path / folder / "001.mp4", 2)
    notes = prepared(capsys, "roboset", tmp_path, "--out", tmp_path / "out")
    assert len(records_of(tmp_path / "out")) == 2
    assert notes
    assert all(note.startswith("roboset/01-002: ") for note in notes)
    record = records_of(tmp_path / "out")[0]
    assert record["truth"] == "The arm will put the toast on the plate."
    actions = "Make Toast: The arm did this: plunge the toaster. The arm did this: pick up the toast."
    assert record["actions"] == actions
    assert [grey(tmp_path / "out" / path) for path in record["images"]] == pytest.approx([0, 38, 10], abs=3)
    assert grey(tmp_path / "out" / record["next"]) == pytest.approx(38, abs=3)
    pack = import_release(BENCHMARKS["giraffe"], tmp_path / "out", pack_name="roboset").pack
    assert "a sequence of 3 chronologically arranged images" in pack.items.get(key="roboset/01-001").text


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"variants": []}, "combination 1: variants must be"),
        ({"subtasks": COMBINATION["subtasks"][:1]}, "two or more"),
        ({"subtasks": [COMBINATION["subtasks"][1]] * 2}, "2 key frames"),
        ({"activity": 3}, "activity must be a text"),
        ({"subtasks": [*COMBINATION["subtasks"][1:], COMBINATION["subtasks"][0]]}, "the target is one"),
        ({"subtasks": [{**COMBINATION["subtasks"][0], "folder": "../x"}]}, "is no name of a folder"),
        ({"subtasks": [{**COMBINATION["subtasks"][0], "frames": [1, 2, 3]}]}, "one or two whole numbers"),
    ],
)
def test_a_wrong_combination_is_named(tmp_path, change, said):
    (tmp_path / "combinations.json").write_text(json.dumps([COMBINATION | change]))
    with pytest.raises(BadRelease, match=said):
        read_roboset(tmp_path, None)


def test_data_sets_stand_side_by_side_and_never_beside_what_was_made_here(tmp_path, capsys):
    write_clevrer(tmp_path / "clevrer")
    write_charades(tmp_path / "charades")
    out = tmp_path / "out"
    for dataset in ("clevrer", "charades", "clevrer"):
        prepared(capsys, dataset, tmp_path / dataset, "--out", out)
    assert sorted(record["dataset"] for record in records_of(out)) == ["charades", "clevrer"]
    (out / "made_here.json").write_text("{}")
    assert main(["clevrer", str(tmp_path / "clevrer"), "--out", str(out)]) == 2
    assert "holds patterns that were made here" in capsys.readouterr().err
    with pytest.raises(CallerMistake, match=r"item 1 .* is of charades, and this folder holds"):
        say("import_benchmark", "giraffe", out)
    (out / "made_here.json").unlink()
    with pytest.raises(CommandError, match="holds items of other data sets"):
        say("generate_benchmark", "giraffe", "--out", out, "--only", "clock", "--count", 1, "--jobs", 1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("clevrer", "/nowhere"), "/nowhere: no questions here"),
        (("clevrer", ".", "--limit", "0"), "--limit 0"),
        (("clevrer", ".", "--videos", "/nowhere"), "--videos /nowhere"),
        (("activitynet", "pyproject.toml"), "can't be read"),
        (("activitynet", "/nowhere"), "can't be read"),
    ],
)
def test_a_wrong_order_is_one_line(tmp_path, capsys, arguments, said):
    assert main([*arguments, "--out", str(tmp_path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


@pytest.mark.parametrize(
    ("standing", "said"),
    [("[1]", "item 1: dataset must be a text"), ('[{"id": "x"}]', "dataset must be a text"), ("{", "can't be read")],
)
def test_a_folder_that_holds_something_else_is_left_as_it_is(tmp_path, capsys, standing, said):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "items.json").write_text(standing)
    assert main(["clevrer", str(write_clevrer(tmp_path / "c")), "--out", str(tmp_path / "out")]) == 2
    assert said in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["items.json"]


def test_so_many_are_drawn_from_the_seed(tmp_path, capsys):
    scenes = [clevrer_scene(10_000 + number) for number in range(6)]
    write_clevrer(tmp_path / "c", scenes, [clevrer_record(10_000 + number) for number in range(6)])
    chosen = []
    for seed in (0, 0, 1):
        prepared(capsys, "clevrer", tmp_path / "c", "--out", tmp_path / "out", "--limit", "3", "--seed", seed)
        chosen.append([record["id"] for record in records_of(tmp_path / "out")])
    assert chosen[0] == chosen[1] != chosen[2]
    assert [len(one) for one in chosen] == [3, 3, 3]


def test_the_tool_needs_neither_django_nor_torch():
    assert loaded_by("import tools.giraffe_prepare.__main__", ["django", "torch"], os.environ) == set()
