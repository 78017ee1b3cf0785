"""The official questions of PACS, with every oddity that the release has."""

import pytest
from django.core.management import CommandError

from benchmarks.definitions.importers.pacs import read_release
from benchmarks.definitions.importers.pacs_annotations import (
    material_groups,
    material_pairs,
    property_groups,
    property_names,
)
from benchmarks.errors import BadRelease
from benchmarks.models import Item, Pack
from tests.benchmarks.pacs_releases import official, small
from tests.commands import say, told


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    return read_release(official(tmp_path_factory.mktemp("pacs")))


def with_videos(folder, *names):
    """The folder with files in place of these objects' videos, which can't be read."""
    (folder / "videos").mkdir()
    for name in names:
        (folder / "videos" / f"{name}.mp4").write_bytes(b"no video at all")
    return folder


def problems_of(release) -> str:
    return "\n".join(f"{where}: {what}" for where, what in (*release.problems, *release.notes))


DEFECTS = [
    "train_data.json: is not there",
    "test_data.json: 1164 datapoints have no label",
    "40 datapoints ask another text than the bank (question0302, question0355, question0452, question0460, ",
    "one text under 2 ids (question0429, question1279): Which object would roll down a hill faster?",
    "q0124 names no material",
    "q0144 names no material",
    "q0197 names no material",
    "object1457 has no material",
    "1719 questions are listed, 866 of them asked here; the paper tells of 1377",
    "853 questions of the bank are asked about no pair here",
    "608 questions record no property",
    "35 properties are two written as one ('texturetexture', 'materialfragility', ",
    "81 properties have capitals ('Texture', 'Stickiness', ",
    "'Air Resistance' and 44 other spellings)",
    "28 properties have blanks around them ('absorbency ', ",
    "1 questions have an empty property (question0513)",
    "138 properties were brought into one spelling",
    "'soft candy?' is no name of a material (object0359)",
    "'unknown' is no name of a material (object0840)",
    "'gel / slime / mucous' is no name",
    "'synthetic fur/fiber' is no name",
    "'feather' and 'feathers' are one material under two names (object0888, object1234, object1344)",
    "23 objects have no source video (object0083",
    "15 videos name no object",
    "119 pairs name the larger id first",
    "302 of 302 objects have no clip",
    "3245 of 3245 questions stand without media",
]


def test_every_defect_of_the_release_is_reported(release):
    assert [defect for defect in DEFECTS if defect not in problems_of(release)] == []


def test_the_first_id_is_object_1_and_properties_are_in_one_spelling_and_as_typed(tmp_path):
    first, second, material = read_release(small(tmp_path)).rows
    assert (first.key, first.expected) == ("object0002_object0001/question0001", "object 1")
    assert first.facets["object"] == ("object0002", "object0001")
    assert (second.key, second.expected) == ("object0001_object0003/question0001", "object 2")
    assert (material.kind, material.expected) == ("material", "object 2")
    assert first.facets["property"] == ("weight", "other")
    assert first.facets["property-name"] == ("weight", "texture")
    assert first.facets["property-label"] == ("Weight ", "texturetexture")
    assert first.facets["material"] == ("Other", "Natural", "Metal")
    assert first.facets["material-label"] == ("soft candy?", "wood", "metal")
    assert first.facets["material-pair"] == ("Natural + Other", "Metal + Other")


@pytest.mark.parametrize(
    ("raw", "names", "groups"),
    [
        ([], (), ("none",)),
        ([""], (), ("none",)),
        (["hard", "Flex"], ("hard", "flex"), ("hard", "flex")),
        (["materialfragility"], ("material", "fragility"), ("other",)),
        (["densitysurface area"], ("density", "surface area"), ("other",)),
    ],
)
def test_properties(raw, names, groups):
    assert property_names(raw) == names
    assert property_groups(names) == groups


def test_materials_group_as_the_paper_reports_them():
    assert material_groups(["Wood", "ceramic", "gel / slime / mucous", ""]) == ("Natural", "Glass", "Other")
    assert material_pairs(("Metal",), ("Glass", "Metal")) == ("Glass + Metal", "Metal + Metal")


def test_clips_that_are_there_hang_on_the_questions_with_their_box(tmp_path):
    release = read_release(with_videos(small(tmp_path), "object0001", "object0002"))
    with_media, without, _ = release.rows
    uses = [(use.key, use.role, use.position) for use in with_media.uses]
    assert uses == [("object0002", "object", 0), ("object0001", "object", 1)]
    assert without.uses == ()
    assert "1 of 3 objects have no clip (object0003): 1 of 3 questions stand without media" in problems_of(release)
    assert release.clips[0].facts["box"] == [320, 180, 960, 540]


def test_a_pair_in_both_orders_is_kept_twice(tmp_path):
    turned = {f"{a}_{b}": {"question0001": {"label": 0, "text": "Which?"}} for a, b in (("a", "b"), ("b", "a"))}
    release = read_release(small(tmp_path, val_data=turned, val_data_mat=None))
    assert [row.key for row in release.rows] == ["a_b/question0001", "b_a/question0001"]
    assert "stands in the other order too (1)" in problems_of(release)


def test_answers_of_the_withheld_split_are_left_out_whoever_wrote_them(tmp_path):
    release = read_release(small(tmp_path, test_data={"a_b": {"question0001": {"label": 1, "text": "Which?"}}}))
    assert next(row for row in release.rows if row.splits[0] == "test").expected is None
    assert "test_data.json: 1 answers of the withheld split" in problems_of(release)


TWICE = '{"a_b": {"q1": {"label": 0, "text": "?"}, "q1": {"label": 1, "text": "?"}}}'
ALSO = {"object0002_object0001": {"question0001": {"text": "Which?"}}}


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"val_data": "{"}, "val_data.json: not readable as JSON"),
        ({"val_data": []}, "val_data.json: a JSON object is expected, this is a list"),
        ({"val_data": {"object0001": {}}}, "val_data.json: 'object0001' is no pair of two objects"),
        ({"val_data": {"a_b": []}}, "val_data.json: a_b holds no questions by id"),
        ({"val_data": {"a_b": {"q": {"label": 0}}}}, "val_data.json: a_b, q: has no text"),
        ({"val_data": {"a_b": {"q": {"label": 2, "text": "Which?"}}}}, "val_data.json: a_b, q: the label is 2"),
        ({"val_data": {"a_b": {"q": {"label": True, "text": "Which?"}}}}, "the label is True"),
        ({"objects": {"object0001": 3}}, "objects.json: object0001 is no JSON object"),
        ({"objects": {"object0001": {"materials": "wood"}}}, "objects.json: object0001: materials must be a list"),
        ({"questions": {"question0001": {"properties": [1]}}}, "questions.json: question0001: properties must be"),
        ({"questions": {"question0009": {"properties": None}}}, "questions.json: question0009: properties must be"),
        ({"questions": {"question0009": {"question": ["Which?"]}}}, "questions.json: question0009: question must be"),
        ({"mat_questions": {"q0009": 3}}, "mat_questions.json: q0009: must be a text"),
        ({"objects": {"object0009": {"materials": [3]}}}, "objects.json: object0009: materials must be a list"),
        *(
            ({"objects": {"object0009": {"bounding_box": box}}}, f"objects.json: object0009: bounding_box {box} is no")
            for box in ([1, 2, 3], [5, 5, 5, 9], [0, 0, 1281, 9], ["0", 0, 3, 3])
        ),
        ({"val_data": None, "val_data_mat": None}, "no PACS questions here"),
        ({"val_data": TWICE}, "val_data.json: a_b: q1 appears twice"),
        ({"test_data": ALSO}, "test_data.json: object0002_object0001, question0001: stands in val_data.json too"),
        ({"val_data": '{"a_b": {}, "a_b": {}}'}, "val_data.json: a_b appears twice"),
        ({"objects": '{"object0001": {}, "object0001": {}}'}, "objects.json: object0001 appears twice"),
    ],
)
def test_a_broken_file_is_one_clear_error(tmp_path, files, said):
    with pytest.raises(BadRelease) as error:
        read_release(small(tmp_path, **files))
    assert said in str(error.value)


def test_an_unknown_object_is_named_with_its_file_and_pair_and_never_shown(tmp_path):
    folder = small(tmp_path, val_data={"object0001_object0009": {"question0001": {"label": 0, "text": "Which?"}}})
    release = read_release(with_videos(folder, "object0001", "object0009"))
    assert "val_data.json: object0001_object0009: object0009 is not described in objects.json" in problems_of(release)
    assert release.rows[0].uses == ()
    assert [clip.key for clip in release.clips] == ["object0001"]


@pytest.mark.django_db
def test_a_clip_that_can_t_be_read_is_named_with_the_reason(tmp_path):
    problems = told("import_benchmark", "pacs", with_videos(small(tmp_path), "object0001"))["problems"]
    (what,) = (problem["what"] for problem in problems if problem["where"] == "object0001")
    assert what.startswith("videos/object0001.mp4: not a readable video (In")


@pytest.mark.django_db
def test_import_benchmark_stores_the_questions_without_media_and_twice_is_once(tmp_path):
    folder = small(tmp_path)
    found, _again = (told("import_benchmark", "pacs", folder) for _ in range(2))
    assert (found["pack"], found["clips"], found["items"], Pack.objects.count()) == ("official", 0, 3, 1)
    assert any("questions stand without media" in problem["what"] for problem in found["problems"])
    assert Item.objects.in_split("val").count() == 3
    assert not Item.objects.filter(media__isnull=False).exists()


@pytest.mark.django_db
def test_strict_refuses_what_lacks_files_or_clips_and_takes_what_every_copy_has(release, tmp_path):
    assert [where for where, _ in release.problems] == ["train_data.json", "train_data_mat.json", "videos"]
    with pytest.raises(CommandError, match=r"0 gaps and \d problems, first train_data.json: is not there; nothing"):
        say("import_benchmark", "pacs", small(tmp_path), "--strict")
    assert not Pack.objects.exists()
