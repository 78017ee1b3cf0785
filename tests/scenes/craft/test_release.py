"""From finished videos to the files of a release: balance, splits, and the same again."""

import json
from collections import Counter

import pytest

from scenes.craft import making
from scenes.craft.audit import audit_folder
from scenes.craft.balancing import balanced
from scenes.craft.places import PER_SCENE, Place
from scenes.craft.splitting import easy_split, hard_split

pytestmark = pytest.mark.issue("H")

SMALL = {"size": (32, 32), "fps": 10}


def kept(*answers, cell=(1, "cause_0")) -> Counter:
    """How many of each answer stay."""
    numbered = dict(enumerate(answers))
    stay = balanced(((cell, number, answer) for number, answer in numbered.items()), seed=0)
    return Counter(numbered[number] for number in stay)


@pytest.mark.parametrize(
    ("answers", "left"),
    [
        ([True] * 5 + [False] * 2, {True: 2, False: 2}),
        ([True] * 5, {}),
        ([0] * 6 + [1] * 3 + [2] * 4, {0: 3, 1: 3, 2: 3}),
        ([0] * 4 + [2] * 3 + [3] * 7 + [5], {0: 3, 2: 3, 3: 7, 5: 1}),
        ([0] * 4 + [3] * 2, {0: 4, 3: 2}),
        ([4] * 3, {}),
        (["red"] * 3 + ["blue"], {"red": 1, "blue": 1}),
    ],
)
def test_each_cell_keeps_as_many_of_each_answer_as_of_the_rarest(answers, left):
    assert kept(*answers) == left


def test_cells_are_balanced_by_themselves_and_by_the_seed():
    asked = [((scene, "cause_0"), (scene, number), number % 3 == 0) for scene in (1, 2) for number in range(30)]
    assert balanced(asked, 1) == balanced(asked, 1) != balanced(asked, 2)
    assert len(balanced(asked, 1)) == 40
    assert {key for key in balanced(asked, 1) if key[0] == 1} == balanced(asked[:30], 1)


def test_the_hard_split_is_the_releases():
    split = hard_split()
    assert sorted(scene for scene in split if split[scene] == "validation") == [8, 12, 14, 16]
    assert sorted(scene for scene in split if split[scene] == "test") == [11, 13, 17, 18]


def test_the_easy_split_is_sixty_twenty_twenty_by_video():
    split = easy_split(range(103))
    assert Counter(split.values()) == {"train": 63, "validation": 20, "test": 20}
    assert split == easy_split(reversed(range(103)))


def test_videos_are_named_as_in_the_release():
    assert making.keys_of(1, ["14"]) == ["006500"] == making.keys_of(1, ["scene-14"])
    assert Place("006512").official == "./videos/sid_14/006512.mp4"
    assert (Place("009999").scene, Place("000500").scene, Place("000499").number) == (20, 2, 499)
    assert len(set(making.keys_of(PER_SCENE))) == 10_000
    assert making.keys_of(1) == making.keys_of(2)[:20]


@pytest.mark.parametrize(("count", "only"), [(0, ()), (501, ()), (1, ("21",)), (1, ("level1",))])
def test_what_there_is_no_scene_or_room_for_is_refused(count, only):
    with pytest.raises(ValueError):
        making.keys_of(count, only)


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """Four small videos of three scenes each."""
    folder = tmp_path_factory.mktemp("craft")
    for key in making.keys_of(4, ["1", "9", "11"]):
        assert not making.make(key, 5, folder, **SMALL)
    making.write_labels(5, folder)
    return folder


def read(path):
    return json.loads(path.read_text())


def test_a_release_holds_what_the_official_one_does(out):
    minimal, full = read(out / "dataset_minimal.json"), read(out / "dataset.json")
    assert {record["video_file_path"] for record in minimal} == {video["video_path"] for video in full}
    told = {
        (one["video_index"], one["question_index"]): one for video in full for one in video["questions"]["questions"]
    }
    assert len(told) == len(minimal)
    for record in minimal:
        own = told[record["video_index"], record["question_index"]]
        assert str(own["answer"]).capitalize() == record["answer"]
        assert own["question"] == record["question"]
        assert (
            record["template_id"] == f"{own['template_filename'].removesuffix('.json')}_{own['question_family_index']}"
        )
        assert (out / record["video_file_path"]).is_file()
    annotations = read(out / "annotations.json")
    assert {int(key) for key in annotations} >= {record["video_index"] for record in minimal}
    for name in ("split_info_random.json", "split_info_hard.json"):
        keys = [(one["video_index"], one["question_index"]) for part in read(out / name).values() for one in part]
        assert sorted(keys) == sorted(told)


def test_videos_that_nothing_is_asked_about_lie_apart(out):
    left = {int(path.stem) for path in out.glob("videos_with_no_questions/sid_*/*.mp4")}
    asked = {record["video_index"] for record in read(out / "dataset_minimal.json")}
    assert left == set(read(out / "videos_with_no_questions.json"))
    assert {int(path.stem) for path in out.glob("videos/sid_*/*.mp4")} == asked
    assert len(left | asked) == 12


def test_finished_videos_are_kept_and_others_made_anew(out):
    key = making.keys_of(1, ["9"])[0]
    assert making.make(key, 5, out, **SMALL)
    before = Place(key).questions(out).read_bytes(), Place(key).record(out).read_bytes()
    Place(key).questions(out).write_text('{"seed": 5, "profi')  # cut off, as by a full disk
    assert not making.make(key, 5, out, **SMALL)
    assert before == (Place(key).questions(out).read_bytes(), Place(key).record(out).read_bytes())


def test_the_audit_finds_nothing_and_then_what_was_put_there(out):
    assert [found for _, found in audit_folder(out)] == [[]] * len(list(audit_folder(out)))
    path = out / "dataset_minimal.json"
    whole = path.read_text()
    records = json.loads(whole)
    wrong = next(record for record in records if record["answer"] == "True")
    path.write_text(json.dumps([record | {"answer": "False"} if record is wrong else record for record in records]))
    found = [what for _, findings in audit_folder(out) for what in findings]
    path.write_text(whole)
    assert found == [f"question {wrong['question_index']}: answered False, and the events say true"]
