"""From finished videos to the files of a release: balance, splits, and reproducibility."""

import csv
import json
from collections import Counter

import pytest
from PIL import Image

from scenes.craft import generate
from scenes.craft.audit import audit_folder
from scenes.craft.places import PER_SCENE, VideoPlace
from scenes.craft.questions.shares import balanced
from scenes.craft.questions.statistics import arcs_of
from scenes.craft.records import run_record
from scenes.craft.release import easy_split, hard_split
from tests.scenes.craft.official_loader import frames_of, graph_of, load, tsv_rows
from tests.scenes.craft.rounds import SMALL, disagreements, made
from tests.scenes.craft.worlds import told


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
    stay = balanced((((1, "cause_0"), number, answer) for number, answer in enumerate(answers)), seed=0)
    assert Counter(answers[number] for number in stay) == left


def test_cells_are_balanced_by_themselves_and_by_the_seed():
    asked = [((scene, "cause_0"), (scene, number), number % 3 == 0) for scene in (1, 2) for number in range(30)]
    assert balanced(asked, 1) == balanced(asked, 1) != balanced(asked, 2)
    assert len(balanced(asked, 1)) == 40
    assert {key for key in balanced(asked, 1) if key[0] == 1} == balanced(asked[:30], 1)


def test_the_hard_split_is_the_releases_and_the_easy_one_goes_by_video():
    split = hard_split()
    assert sorted(scene for scene in split if split[scene] == "validation") == [8, 12, 14, 16]
    assert sorted(scene for scene in split if split[scene] == "test") == [11, 13, 17, 18]
    split = easy_split(range(103))
    assert Counter(split.values()) == {"train": 63, "validation": 20, "test": 20}
    assert split == easy_split(reversed(range(103)))


def test_videos_are_named_as_in_the_release():
    assert generate.keys_of(1, ["14"]) == ["006500"] == generate.keys_of(1, ["scene-14"])
    assert VideoPlace("006512").official == "./videos/sid_14/006512.mp4"
    assert (VideoPlace("009999").scene, VideoPlace("000500").scene, VideoPlace("000499").number) == (20, 2, 499)
    assert len(set(generate.keys_of(PER_SCENE))) == 10_000
    assert generate.keys_of(1) == generate.keys_of(2)[:20]


@pytest.mark.parametrize(("count", "only"), [(0, ()), (501, ()), (1, ("21",)), (1, ("level1",))])
def test_what_there_is_no_scene_or_room_for_is_refused(count, only):
    with pytest.raises(ValueError):
        generate.keys_of(count, only)


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    """Four small videos of three scenes each."""
    return made(tmp_path_factory.mktemp("craft"), 4, 5, ["1", "9", "11"])


def read(path):
    return json.loads(path.read_text())


def test_a_release_holds_what_the_official_one_does(out):
    minimal, full = read(out / "dataset_minimal.json"), read(out / "dataset.json")
    assert {record["video_file_path"] for record in minimal} == {video["video_path"] for video in full}
    questions = [one for video in full for one in video["questions"]["questions"]]
    told = {(one["video_index"], one["question_index"]): one for one in questions}
    assert len(told) == len(minimal)
    for record in minimal:
        own = told[record["video_index"], record["question_index"]]
        assert str(own["answer"]).capitalize() == record["answer"]
        assert own["question"] == record["question"]
        family = own["template_filename"].removesuffix(".json")
        assert record["template_id"] == f"{family}_{own['question_family_index']}"
        assert (out / record["video_file_path"]).is_file()
    annotations = read(out / "annotations.json")
    assert {int(key) for key in annotations} >= {record["video_index"] for record in minimal}
    for name in ("split_info_random.json", "split_info_hard.json"):
        keys = [(one["video_index"], one["question_index"]) for part in read(out / name).values() for one in part]
        assert sorted(keys) == sorted(told)


def test_statistics_count_the_questions_before_and_after_they_were_balanced(out):
    for name in ("imbalanced", "balanced"):
        records = read(out / f"{name}_dataset.json")
        folder = out / "stats" / name
        with (folder / "answers.csv").open() as file:
            rows = list(csv.DictReader(file))
        counted = Counter((one["question_type"], one["answer_type"], one["answer"]) for one in records)
        assert {(*list(row.values())[:3],): int(row["questions"]) for row in rows} == counted
        for table in ("templates", "scenes"):
            with (folder / f"{table}.csv").open() as file:
                assert sum(int(row["questions"]) for row in csv.DictReader(file)) == len(records)
        with Image.open(folder / "figure_4.png") as picture:
            assert len(picture.getcolors(1 << 20)) > 5
        assert (folder / "figure_4.pdf").read_bytes()[:5] == b"%PDF-"
    assert read(out / "balanced_dataset.json") == read(out / "dataset_minimal.json")
    assert len(read(out / "imbalanced_dataset.json")) > len(read(out / "balanced_dataset.json"))


def test_rings_hold_each_value_beside_its_own_kind():
    counts = {
        ("Prevent", "Count", "1"): 1,
        ("Descriptive", "Boolean", "True"): 2,
        ("Descriptive", "Count", "0"): 3,
        ("Descriptive", "Count", "2"): 4,
    }
    arcs = [(arc.ring, arc.label, round(10 * arc.start), round(10 * arc.end), arc.count) for arc in arcs_of(counts)]
    assert arcs == [
        (0, "Descriptive", 0, 9, 9),
        (1, "Count", 0, 7, 7),
        (2, "2", 0, 4, 4),
        (2, "0", 4, 7, 3),
        (1, "Boolean", 7, 9, 2),
        (2, "True", 7, 9, 2),
        (0, "Prevent", 9, 10, 1),
        (1, "Count", 9, 10, 1),
        (2, "1", 9, 10, 1),
    ]
    assert {arc.colour for arc in arcs_of(counts) if arc.ring and arc.label in ("Count", "0", "1", "2")} == {"#ffffb3"}
    assert arcs_of({}) == []


def test_videos_that_nothing_is_asked_about_lie_apart(out):
    left = {int(path.stem) for path in out.glob("videos_with_no_questions/sid_*/*.mp4")}
    asked = {record["video_index"] for record in read(out / "dataset_minimal.json")}
    assert left == set(read(out / "videos_with_no_questions.json"))
    assert {int(path.stem) for path in out.glob("videos/sid_*/*.mp4")} == asked
    assert len(left | asked) == 12


def test_finished_videos_are_kept_and_others_made_anew(out):
    key = generate.keys_of(1, ["9"])[0]
    assert generate.make(key, 5, out, **SMALL)
    before = VideoPlace(key).questions(out).read_bytes(), VideoPlace(key).record(out).read_bytes()
    VideoPlace(key).questions(out).write_text('{"seed": 5, "profi')  # cut off, as by a full disk
    assert not generate.make(key, 5, out, **SMALL)
    assert before == (VideoPlace(key).questions(out).read_bytes(), VideoPlace(key).record(out).read_bytes())


def test_a_second_evaluator_from_the_definitions_agrees_on_every_question(out):
    """Also before balancing; `make soak PART=craft` does it for 200 videos."""
    assert disagreements(out, "imbalanced_dataset.json") == disagreements(out) == []
    assert len({record["template_id"] for record in read(out / "imbalanced_dataset.json")}) > 40


def test_the_second_evaluator_sees_a_wrong_answer_and_another_video(out, tmp_path):
    records = read(out / "dataset_minimal.json")
    annotations = read(out / "annotations.json")
    wrong = {"True": "False", "False": "True"}
    swapped = [record | {"answer": wrong.get(record["answer"], "Purple")} for record in records]
    for name, content in (("annotations.json", annotations), ("dataset_minimal.json", swapped)):
        (tmp_path / name).write_text(json.dumps(content))
    assert len(disagreements(tmp_path)) >= len(records) - sum(record["answer"] == "Purple" for record in records)
    first, other = list(annotations)[:2]
    (tmp_path / "annotations.json").write_text(json.dumps(annotations | {first: annotations[other]}))
    (tmp_path / "dataset_minimal.json").write_text(json.dumps(records))
    assert disagreements(tmp_path)


@pytest.mark.parametrize("setting", ["random", "hard"])
def test_the_official_loader_said_again_takes_it(out, setting):
    loaded = load(out, setting)
    records = read(out / "dataset_minimal.json")
    assert sum(map(len, loaded.splits.values())) == len(records)
    assert loaded.answers[0] == "<PAD>"
    assert loaded.answers[-1] == "<UNK>"
    by_key = {(record["video_index"], record["question_index"]): record for record in records}
    for sample in (sample for split in loaded.splits.values() for sample in split):
        record = by_key[sample.video_index, sample.question_index]
        assert loaded.answers[sample.answer] == record["answer"].lower()
        assert loaded.words[sample.question[-1]] == "?"
    assert len(tsv_rows(out, setting)) == len(loaded.splits["test"])
    assert frames_of(loaded.splits["train"][0].video) == 50


def test_the_official_loader_said_again_takes_every_causal_graph(out):
    for annotation in read(out / "annotations.json").values():
        for run in (annotation["original_video_output"], *annotation["variations_outputs"].values()):
            assert graph_of(run)
    assert graph_of(run_record(told(()), "")) == {0: [1], 1: []}  # the original fails if nothing happens


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
