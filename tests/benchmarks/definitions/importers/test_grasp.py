"""The official layout gives exactly the questions of the official tools."""

import json
import shutil
from itertools import permutations

import pytest

from benchmarks.definitions.importers.grasp import order_of, other_label, other_order, read_release, splits_by_clip
from benchmarks.definitions.importers.grasp_layout import FOLDERS, ORDERINGS
from benchmarks.definitions.papers import DATA
from benchmarks.definitions.papers import grasp_prompts as prompts
from benchmarks.errors import BadRelease
from tests.benchmarks.grasp_release import write_release, write_scene, write_trajectories


def rows_of(root, **facts):
    return [row for row in read_release(root).rows if all(getattr(row, name) == fact for name, fact in facts.items())]


def touch_release(root, folders, count):
    """Write the layout only: empty files are enough for reading names."""
    for folder in folders:
        level = "level2" if folder.startswith(("P_", "IP_")) else "level1"
        for index in range(count):
            path = root / "videos" / level / folder / f"{index:03}.mp4"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    return root


@pytest.mark.requirement("M18")
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


def test_facets_name_the_scene_of_an_ordering_and_all_orderings_and_what_a_physics_item_is_about(tmp_path):
    write_release(tmp_path, ["TwoObjectOrdering"], 1)
    touch_release(tmp_path, ["IP_Inertia"], 1)
    ordering = rows_of(tmp_path, variant="false")[0]
    assert ordering.facets["test"] == ("TwoObjectOrdering", "Ordering")
    assert (ordering.expected, ordering.facets["polarity"]) == ("no", ("negative",))
    physics = rows_of(tmp_path, kind="plausibility")[0]
    facets = {"level": "2", "test": "Inertia", "concept": "inertia", "polarity": "implausible"}
    assert physics.facets == {name: (value,) for name, value in facets.items()} | {"caution": ("deflection angle",)}
    assert (physics.expected, physics.options) == ("no", ("yes", "no"))


@pytest.mark.parametrize(
    ("legibility", "value"),
    [
        ({"telltale": {"seconds": 0.5}}, ("long",)),
        ({"telltale": {"seconds": 0.48}}, ("short",)),
        ({"still": 0.5}, None),
        ("unknown", None),
    ],
)
def test_telltale_of_a_physics_item_is_what_was_measured(tmp_path, legibility, value):
    touch_release(tmp_path, ["P_Gravity"], 1)
    facts = tmp_path / "trajectories/level2/P_Gravity/000.json"
    facts.parent.mkdir(parents=True)
    facts.write_text(json.dumps({"profile": "corrected", "legibility": legibility}))
    assert rows_of(tmp_path, kind="plausibility")[0].facets.get("telltale") == value


def test_false_labels_are_drawn_evenly_and_always_alike():
    labels = ("red", "green", "blue", "black")
    drawn = [other_label("red", labels, f"level1/ColorRed/{index:03}") for index in range(600)]
    assert drawn == [other_label("red", labels, f"level1/ColorRed/{index:03}") for index in range(600)]
    assert [150 < drawn.count(label) < 250 for label in labels] == [False, True, True, True]
    assert "red" not in drawn


def test_false_orders_are_every_order_but_the_true_one():
    names = ("a", "b", "c")
    drawn = {other_order("a,b,c", str(index), "here") for index in range(200)}
    assert drawn == {",".join(order) for order in permutations(names)} - {"a,b,c"}


@pytest.mark.parametrize(
    ("line", "objects", "order"),
    [
        ("red ball,blue cube,", 2, "red ball,blue cube"),
        ("old one,old two,red ball,blue cube,", 2, "red ball,blue cube"),  # once, the release collected labels
        ("red ball,blue cube,\n", 2, "red ball,blue cube"),
        ("red ball,red ball,blue cube,", 3, "red ball,red ball,blue cube"),
    ],
)
def test_the_last_names_of_the_comma_list_are_the_order(line, objects, order):
    assert order_of(line, objects, "here") == order


def ordering(root, *contents):
    """A release of two-object orderings with these bytes as texts."""
    write_scene(root, "TwoObjectOrdering", len(contents))
    for index, content in enumerate(contents):
        (root / f"videos/level1/TwoObjectOrdering/{index:03}.txt").write_bytes(content)
    return root


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("red ball,blue cube,".encode("utf-16"), "001.txt: is UTF-16 or no text; it must be UTF-8"),
        ("red ball,blue cube,".encode("utf-16-le"), "001.txt: is UTF-16 or no text"),
        ("röd ball,blue cube,".encode("latin-1"), "001.txt: byte 2 (0xf6) is not UTF-8"),
        (b"red ball,,", "001.txt: names 1 of 2 objects: 'red ball,,'"),
        (b"red ball,red ball,", "001.txt: all objects have the same name"),
    ],
)
def test_every_ordering_text_that_can_not_be_read_is_named_in_one_refusal(tmp_path, content, said):
    with pytest.raises(BadRelease) as caught:
        read_release(ordering(tmp_path, b"red ball,blue cube,", content, b""))
    first, second = str(caught.value).split("; level1/")
    assert first.startswith("level1/TwoObjectOrdering/")
    assert said in first
    assert second == "TwoObjectOrdering/002.txt: names 0 of 2 objects: ''"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("\ufeffred ball,blue cube,", "begins with a byte-order mark, which is left out"),
        ("red ball, blue  cube ,", "has blanks beside its commas, which are left out"),
        ("green cube,red ball,blue cube,", "names 3 objects; the last 2 are taken"),
        ("red ball,blue cube,\r\n", None),
    ],
)
def test_an_odd_ordering_text_is_reported_and_does_not_reach_the_prompt(tmp_path, content, said):
    release = read_release(ordering(tmp_path, content.encode()))
    assert release.problems == (() if said is None else (("level1/TwoObjectOrdering/000.txt", said),))
    asked = next(row.text for row in release.rows if row.variant == "true")
    assert "on the table: red ball, blue cube. Is" in asked


def test_an_object_that_grasp_does_not_show_is_reported(tmp_path):
    release = read_release(ordering(tmp_path, b"red ball,mauve cone,"))
    assert [what for _, what in release.problems] == ["names 'mauve cone', which GRASP does not show; asked as written"]


def test_what_is_no_clip_and_no_scene_is_left_out_and_reported(tmp_path):
    folder = touch_release(tmp_path, ["P_Gravity", "P_Magic"], 2) / "videos/level2/P_Gravity"
    (folder / "002.mp4").mkdir()
    (folder / "003.mp4").symlink_to(folder / "nowhere.mp4")
    (folder / "notes.doc").touch()
    (folder / ".DS_Store").touch()
    release = read_release(tmp_path)
    assert [clip.path.name for clip in release.clips] == ["000.mp4", "001.mp4"]
    assert dict(release.problems) == {
        "level2/P_Gravity/002.mp4": "no file; left out",
        "level2/P_Gravity/003.mp4": "a link to nothing; left out",
        "level2/P_Gravity/notes.doc": "not a clip; left out",
        "level2/P_Magic": "not a scene of GRASP; left out",
    }


def whole_release(root):
    """Every scene with two clips of unique bytes."""
    touch_release(root, [folder for names in FOLDERS.values() for folder in names], 2)
    for clip in (root / "videos").rglob("*.mp4"):
        clip.write_text(str(clip))
        if clip.parent.name in ORDERINGS:
            names = "red ball,blue cube,green ball,black cube"
            clip.with_suffix(".txt").write_text(",".join(names.split(",")[: ORDERINGS[clip.parent.name].objects]) + ",")
    return root / "videos"


def rename(videos, old, new):
    (videos / old).rename(videos / new)


def twin(videos):
    (videos / "level2/IP_Gravity/001.mp4").write_bytes((videos / "level2/P_Gravity/001.mp4").read_bytes())


LEVEL1_LACKS = "is not there: none of its 17 scenes (Level1 is there: it must be called level1)"
TWINS = "the same bytes under contradictory answers: level2/P_Gravity/001"
NUMBERS = "2 numbers are not there up to 3: 001, 002"
UNEVEN = "2 plausible clips and 1 implausible ones"
SAME = "0.mp4 and 000.mp4 have the same number"
EMPTY = "1 of 98 clips are empty (0 bytes): level1/ShapeBall/000"


@pytest.mark.parametrize(
    ("damage", "gaps"),
    [
        (lambda r: None, {}),
        (lambda r: shutil.rmtree(r / "level1/ShapeBall"), {"level1": "1 of 17 scenes have no clips: ShapeBall"}),
        (lambda r: shutil.rmtree(r / "level2"), {"level2": "is not there: none of its 32 scenes"}),
        (lambda r: rename(r, "level1", "Level1"), {"level1": LEVEL1_LACKS}),
        (lambda r: rename(r, "level1/ColorRed/001.mp4", "level1/ColorRed/003.mp4"), {"level1/ColorRed": NUMBERS}),
        (lambda r: (r / "level2/IP_Gravity/001.mp4").unlink(), {"level2/*_Gravity": UNEVEN}),
        (lambda r: (r / "level1/ColorRed/0.mp4").write_text("another"), {"level1/ColorRed": SAME}),
        (twin, {"level2/IP_Gravity/001": TWINS}),
        (lambda r: (r / "level1/ShapeBall/000.mp4").write_bytes(b""), {"videos": EMPTY}),
    ],
)
def test_what_a_release_lacks_is_told(tmp_path, damage, gaps):
    damage(whole_release(tmp_path))
    assert dict(read_release(tmp_path).gaps) == gaps


@pytest.mark.parametrize(("written", "root"), [("", ""), ("", "videos"), ("data", "")])
def test_the_root_may_be_the_folder_or_what_is_around_it(tmp_path, written, root):
    touch_release(tmp_path / written, ["P_Gravity"], 1)
    assert [clip.key for clip in read_release(tmp_path / root).clips] == ["level2/P_Gravity/000"]


def test_the_misspelt_folder_is_accepted_and_reported(tmp_path):
    root = touch_release(tmp_path, ["RelationalPosiitionLeft"], 1)
    release = read_release(root)
    assert release.clips[0].key == "level1/RelationalPositionLeft/000"
    assert release.problems == (("level1/RelationalPosiitionLeft", "misspelt; read as RelationalPositionLeft"),)


def two_profiles(root):
    write_release(root, ["P_Gravity", "IP_Gravity"], 1)
    write_trajectories(root)
    facts = root / "trajectories/level2/P_Gravity/000.json"
    facts.write_text(facts.read_text().replace("corrected", "faithful"))


def text_named(root, name):
    """A release whose second ordering text is called so, or is not there."""
    text = ordering(root, b"red ball,blue cube,", b"red ball,blue cube,") / "videos/level1/TwoObjectOrdering/001.txt"
    text.rename(text.with_name(name)) if name else text.unlink()


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (lambda root: None, "no GRASP videos here|no scene folder"),
        (lambda root: (root / "level3").mkdir(), "no GRASP videos here|no scene folder"),
        (lambda root: (root / "videos/level1").mkdir(parents=True), "no GRASP videos here|no scene folder"),
        (lambda root: (root / "videos/level1/Nothing").mkdir(parents=True), "no GRASP videos here|no scene folder"),
        (lambda root: (root / "videos/Level1/ShapeBall").mkdir(parents=True), "expected .*, found videos/Level1$"),
        (lambda root: touch_release(root, ["RelationalPosiitionLeft", "RelationalPositionLeft"], 1), "exists twice"),
        (lambda root: text_named(root, ""), r"level1/TwoObjectOrdering/001\.txt is missing"),
        (lambda root: text_named(root, "001.TXT"), r"001\.TXT is there: it must be called 001\.txt"),
        (two_profiles, "corrected, faithful"),
    ],
)
def test_a_release_that_can_not_be_read_is_one_clear_sentence(tmp_path, write, said):
    write(tmp_path)
    with pytest.raises(BadRelease, match=said):
        read_release(tmp_path)


def test_splits_are_as_large_as_the_paper_where_the_pack_is_large_enough(tmp_path):
    folders = ("ShapeBall", "ShapeCube", "ColorRed", "ColorGreen", "ColorBlue", "ColorBlack", "TwoObjectOrdering")
    clips = {name: [f"{name}/{index:03}" for index in range(128)] for name in (*folders, "P_Gravity", "IP_Gravity")}
    splits = splits_by_clip(clips)
    sizes = {name: sum("paper" in splits[key] for key in keys) for name, keys in clips.items()}
    assert list(sizes.values()) == [64] * 2 + [32] * 4 + [128] * 3
    human = {name: sum("human" in splits[key] for key in keys) for name, keys in clips.items()}
    assert human == dict.fromkeys(folders, 0) | {"P_Gravity": 20, "IP_Gravity": 20}
    assert splits == splits_by_clip({name: reversed(keys) for name, keys in clips.items()})


def test_clips_of_one_draw_lie_in_the_same_splits_of_a_pack_made_here(tmp_path):
    write_release(tmp_path, ["P_Gravity", "IP_Gravity"], 23)
    official = {row.key.rpartition("/")[2] for row in read_release(tmp_path).rows if "human" in row.splits}
    assert len(official) > 20  # those of the official release are of different draws, and drawn one by one
    write_trajectories(tmp_path)
    human = [row.key for row in read_release(tmp_path).rows if "human" in row.splits]
    assert len(human) == 40
    assert {key for key in human if "/P_" in key} == {key.replace("/IP_", "/P_") for key in human if "/IP_" in key}


def test_a_smaller_pack_has_smaller_splits():
    assert splits_by_clip({"P_Gravity": ["a", "b"]}) == dict.fromkeys("ab", ("all", "paper", "human"))
