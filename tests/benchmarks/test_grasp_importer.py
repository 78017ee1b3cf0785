"""The official layout becomes exactly the questions that the official tools would ask."""

import json
from itertools import permutations

import pytest

from benchmarks.definitions import grasp_prompts as prompts
from benchmarks.errors import BadRelease
from benchmarks.importers.grasp import read_release
from benchmarks.importers.grasp_splits import splits_by_clip
from benchmarks.importers.grasp_statements import order_of, other_label, other_order
from benchmarks.published import DATA
from tests.benchmarks.release import write_release, write_scene, write_trajectories


def rows_of(root, **facts):
    return [row for row in read_release(root).rows if all(getattr(row, name) == fact for name, fact in facts.items())]


def touch_release(root, folders, count):
    """The layout alone: files without content are enough to read names."""
    for folder in folders:
        level = "level2" if folder.startswith(("P_", "IP_")) else "level1"
        for index in range(count):
            path = root / "videos" / level / folder / f"{index:03}.mp4"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    return root


@pytest.mark.beats("M18")
def test_prompts_equal_the_official_files_character_for_character(tmp_path):
    folders = ("ColorBlue", "MovementFalse", "RelationalPositionLeft", "ThreeObjectOrdering", "P_Collision")
    root = write_release(tmp_path, folders, 1)
    official = json.loads((DATA / "grasp/prompts/level1.json").read_text())
    texts = {(row.facets["test"][0], row.kind, row.variant): row.text for row in rows_of(root) if row.clip}
    assert texts["Color", "binary", "true"] == official["Color"]["binary"].format("blue")
    assert texts["Movement", "binary", "true"] == official["Movement"]["binary"].format("not moving")
    assert texts["Movement", "binary", "false"] == official["Movement"]["binary"].format("moving")
    assert texts["RelationalPosition", "open", ""] == official["RelationalPosition"]["open"]
    order = official["ThreeObjectOrdering"]["binary"].format("red ball", "blue cube", "green ball")
    assert texts["ThreeObjectOrdering", "binary", "true"] == order
    level_2 = json.loads((DATA / "grasp/prompts/level2.json").read_text())
    assert texts["Collision", "plausibility", ""] == level_2["Collision"]


def test_text_items_are_the_official_file_and_appendix_h(tmp_path):
    root = touch_release(tmp_path, ["P_Gravity"], 1)
    official = json.loads((DATA / "grasp/prompts/level2_scene_descriptions.json").read_text())
    texts = rows_of(root, kind="text")
    assert {row.key: row.text for row in texts if row.splits == ("official",)} == official
    assert {row.key: row.text for row in texts if row.splits == ("appendix-h",)} == prompts.TEXT_APPENDIX_H
    assert {row.expected for row in texts if row.key.startswith("P_")} == {"yes"}
    assert {row.facets["test"] for row in texts if "SupportGravity" in row.key} == {("GravitySupport",)}


@pytest.mark.parametrize(
    ("folder", "lead_in"),
    [
        ("ShapeCube", "What shape is the object on the table?"),
        ("MovementTrue", "What can you see in this video?"),
        ("TwoObjectOrdering", "What can you see in this video?"),
        ("IP_Gravity", "What can you see in this video?"),
    ],
)
def test_chain_of_thought_asks_the_open_question_where_there_is_one(tmp_path, folder, lead_in):
    root = write_release(tmp_path, [folder], 1)
    assert {row.lead_in for row in rows_of(root) if row.clip and row.kind != "open"} == {lead_in}


def test_facets_of_an_ordering_name_its_scene_and_all_orderings(tmp_path):
    row = rows_of(write_release(tmp_path, ["TwoObjectOrdering"], 1), variant="false")[0]
    assert row.facets["test"] == ("TwoObjectOrdering", "Ordering")
    assert (row.expected, row.facets["polarity"]) == ("no", ("negative",))


def test_facets_of_a_physics_item(tmp_path):
    row = rows_of(touch_release(tmp_path, ["IP_Inertia"], 1), kind="plausibility")[0]
    assert row.facets == {
        "level": ("2",),
        "test": ("Inertia",),
        "concept": ("inertia",),
        "polarity": ("implausible",),
        "caution": ("deflection angle",),
    }
    assert (row.expected, row.options) == ("no", ("yes", "no"))


def test_false_labels_are_drawn_evenly_and_always_alike():
    labels = ("red", "green", "blue", "black")
    drawn = [other_label("red", labels, f"level1/ColorRed/{index:03}") for index in range(600)]
    assert drawn == [other_label("red", labels, f"level1/ColorRed/{index:03}") for index in range(600)]
    assert {label: 150 < drawn.count(label) < 250 for label in labels if label != "red"} == dict.fromkeys(
        labels[1:], True
    )
    assert "red" not in drawn


def test_false_orders_are_every_order_but_the_true_one():
    names = ("a", "b", "c")
    drawn = {other_order("a,b,c", str(index), "here") for index in range(200)}
    assert drawn == {",".join(order) for order in permutations(names)} - {"a,b,c"}


@pytest.mark.parametrize(
    ("line", "objects", "order"),
    [
        ("red ball,blue cube,", 2, "red ball,blue cube"),
        ("old one,old two,red ball,blue cube,", 2, "red ball,blue cube"),  # the release once gathered labels
        ("red ball,blue cube,\n", 2, "red ball,blue cube"),
        ("red ball,red ball,blue cube,", 3, "red ball,red ball,blue cube"),
    ],
)
def test_the_last_names_of_the_comma_list_are_the_order(line, objects, order):
    assert order_of(line, objects, "here") == order


@pytest.mark.parametrize("line", ["", "\n", "red ball,", "red ball,,"])
def test_a_text_that_names_too_few_objects_is_named(line):
    with pytest.raises(BadRelease, match=r"000\.txt: names"):
        order_of(line, 2, "000.txt")


def test_objects_of_one_name_have_no_false_order():
    with pytest.raises(BadRelease, match="same name"):
        other_order("red ball,red ball", "key", "000.txt")


@pytest.mark.parametrize("inner", ["", "videos", "data/videos"])
def test_the_root_may_be_the_folder_or_what_is_around_it(tmp_path, inner):
    touch_release(tmp_path, ["P_Gravity"], 1)
    if inner == "data/videos":
        (tmp_path / "data").mkdir()
        (tmp_path / "videos").rename(tmp_path / "data" / "videos")
    root = tmp_path / "videos" if inner == "videos" else tmp_path
    assert [clip.key for clip in read_release(root).clips] == ["level2/P_Gravity/000"]


def test_the_misspelt_folder_is_accepted_and_reported(tmp_path):
    root = touch_release(tmp_path, ["RelationalPosiitionLeft"], 1)
    release = read_release(root)
    assert release.clips[0].key == "level1/RelationalPositionLeft/000"
    assert release.problems == (("level1/RelationalPosiitionLeft", "misspelt; read as RelationalPositionLeft"),)


def test_a_folder_that_is_there_in_both_spellings_is_refused(tmp_path):
    root = touch_release(tmp_path, ["RelationalPosiitionLeft", "RelationalPositionLeft"], 1)
    with pytest.raises(BadRelease, match="there twice"):
        read_release(root)


def test_unknown_folders_and_files_are_reported(tmp_path):
    root = touch_release(tmp_path, ["P_Gravity", "P_Magic"], 1)
    (root / "videos/level2/P_Gravity/notes.doc").touch()
    (root / "videos/level2/P_Gravity/.DS_Store").touch()
    assert dict(read_release(root).problems) == {
        "level2/P_Magic": "not a scene of GRASP; left out",
        "level2/P_Gravity/notes.doc": "not a clip; left out",
    }


@pytest.mark.parametrize("folders", [(), ("level3",), ("videos/level1",), ("videos/level1/Nothing",)])
def test_a_wrong_folder_is_one_clear_sentence(tmp_path, folders):
    for folder in folders:
        (tmp_path / folder).mkdir(parents=True)
    with pytest.raises(BadRelease, match=r"no GRASP videos here|no scene folder"):
        read_release(tmp_path)


def test_a_missing_ordering_text_is_named(tmp_path):
    write_scene(tmp_path, "FourObjectOrdering", 2)
    (tmp_path / "videos/level1/FourObjectOrdering/001.txt").unlink()
    with pytest.raises(BadRelease, match=r"level1/FourObjectOrdering/001\.txt is missing"):
        read_release(tmp_path)


def test_clips_of_two_profiles_cannot_share_a_pack(tmp_path):
    write_release(tmp_path, ["P_Gravity", "IP_Gravity"], 1)
    write_trajectories(tmp_path)
    facts = tmp_path / "trajectories/level2/P_Gravity/000.json"
    facts.write_text(facts.read_text().replace("corrected", "faithful"))
    with pytest.raises(BadRelease, match="corrected, faithful"):
        read_release(tmp_path)


def test_splits_are_as_large_as_the_paper_where_the_pack_is_large_enough(tmp_path):
    folders = ("ShapeBall", "ShapeCube", "ColorRed", "ColorGreen", "ColorBlue", "ColorBlack", "TwoObjectOrdering")
    clips = {name: [f"{name}/{index:03}" for index in range(128)] for name in (*folders, "P_Gravity", "IP_Gravity")}
    splits = splits_by_clip(clips)
    sizes = {name: sum("paper" in splits[key] for key in keys) for name, keys in clips.items()}
    assert sizes == {
        **dict.fromkeys(("ShapeBall", "ShapeCube"), 64),
        **dict.fromkeys(("ColorRed", "ColorGreen", "ColorBlue", "ColorBlack"), 32),
        **dict.fromkeys(("TwoObjectOrdering", "P_Gravity", "IP_Gravity"), 128),
    }
    assert {name: sum("human" in splits[key] for key in keys) for name, keys in clips.items()} == {
        **dict.fromkeys(folders, 0),
        "P_Gravity": 20,
        "IP_Gravity": 20,
    }
    assert splits == splits_by_clip({name: reversed(keys) for name, keys in clips.items()})


def test_a_smaller_pack_has_smaller_splits():
    splits = splits_by_clip({"P_Gravity": ["a", "b"]})
    assert splits == {"a": ("all", "paper", "human"), "b": ("all", "paper", "human")}
