"""The data set of a trial as PACS' own files, and its import by PACS' importer."""

import io
import json
from zipfile import ZipFile

import pytest
from django.core.management import CommandError
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.definitions.importers.pacs import read_release
from benchmarks.disclosure import known_answers
from benchmarks.errors import BadRelease
from benchmarks.models import Item, Pack
from extensions.annotation.models import Candidate
from extensions.annotation.work.dataset import FRAME, dataset_of, scaled
from extensions.annotation.work.pacs_release import CannotExport, material_bank, material_points, write_release
from scenes.tapped.questions import TEMPLATES
from tests.commands import say, told
from tests.extensions.annotation.finished_trial import names_below, settled_trial
from tests.factories import make_trial

pytestmark = pytest.mark.django_db


def content(out, name):
    return json.loads((out / "json" / name).read_text(encoding="utf-8"))


def exported(out, **options):
    write_release(dataset_of(settled_trial(**options)), out, with_clips=options.get("files", False))
    return out


def test_the_files_are_those_of_pacs(tmp_path):
    out = exported(tmp_path / "out")
    seen = {"bounding_box": [128, 72, 640, 360], "materials": ["wood", "metal"]}
    assert content(out, "objects.json")["object0001"] == {"duration": 5.0, "fps": 30.0, **seen}
    question = {"properties": ["weight"], "question": "Which would ring?", "statement": "An object"}
    assert content(out, "questions.json")["question0001"] == question
    assert content(out, "youtube_info.json")["long.mp4"]["object0002"] == [600, 750, 675]
    assert content(out, "train_data.json") == {
        "object0001_object0000": {"question0000": {"label": 0, "text": "Which would float?"}}
    }
    assert content(out, "val_data.json")["object0003_object0002"]["question0001"]["label"] == 1
    texts = {"question0000": {"text": "Which would float?"}, "question0001": {"text": "Which would ring?"}}
    assert content(out, "test_data.json") == {"object0005_object0004": texts}  # its labels lie apart
    answers = json.loads((out / "answers" / "test_data.json").read_text(encoding="utf-8"))
    assert answers["object0005_object0004"]["question0001"]["label"] == 1
    assert "question0002" not in content(out, "questions.json")  # only what three people agree on
    assert "object0006" not in content(out, "objects.json")
    assert "simulated" not in (out / "DATASHEET.md").read_text(encoding="utf-8")
    assert content(out, "annotation.json")["simulated"] is False
    (asked,) = content(out, "train_data_mat.json").values()  # wood and metal against wood: metal alone
    ((key, point),) = asked.items()
    assert (point["label"], point["text"]) == (0, content(out, "mat_questions.json")[key])
    assert "metal" in point["text"]
    assert sorted(one["label"] for one in content(out, "val_data_mat.json")["object0003_object0002"].values()) == [0, 1]
    assert content(out, "test_data_mat.json") == {}  # stone against stone


MATERIALS = st.lists(st.sampled_from(["wood", "metal", "glass", "foam"]), min_size=1, max_size=4)


@given(first=MATERIALS, second=MATERIALS, seed=st.integers(0, 2**31))
def test_each_material_of_one_object_alone_is_asked_once(first, second, seed):
    points = list(material_points([("a", "b", "val")], {"a": first, "b": second}, seed))
    asked = {(point.label, name) for point in points for name in {*first, *second} if name in point.text}
    assert asked == {(0, name) for name in set(first) - set(second)} | {(1, name) for name in set(second) - set(first)}
    assert len(points) == len(asked)
    assert points == list(material_points([("a", "b", "val")], {"a": first, "b": second}, seed))


def test_every_template_is_drawn_and_each_text_has_one_key():
    pairs = [(f"a{number}", f"b{number}", "train") for number in range(60)]
    materials = {name: [("wood" if name[0] == "a" else "metal")] for pair in pairs for name in pair[:2]}
    points = list(material_points(pairs, materials, seed=3))
    bank = material_bank(points)
    assert sorted(bank.values()) == sorted({point.text for point in points})
    texts = {template.format(name) for template in TEMPLATES for name in ("wood", "metal")}
    assert {point.text for point in points} == texts


@given(
    box=st.tuples(st.integers(0, 318), st.integers(0, 238), st.integers(1, 320), st.integers(1, 240)).filter(
        lambda box: box[0] < box[2] and box[1] < box[3]
    )
)
def test_a_box_stays_within_the_frame_and_has_an_area(box):
    left, top, right, bottom = scaled(box, 320, 240)
    assert 0 <= left < right <= FRAME[0]
    assert 0 <= top < bottom <= FRAME[1]
    assert abs(left - 4 * box[0]) <= 1
    assert abs(bottom - 3 * box[3]) <= 1


@pytest.mark.parametrize(("is_simulated", "profile"), [(True, "simulated"), (False, "annotated")])
def test_the_importer_of_pacs_reads_it_with_its_clips(tmp_path, is_simulated, profile):
    out = exported(tmp_path / "out", files=True, is_simulated=is_simulated)
    report = told("import_benchmark", "pacs", out, "--strict")
    assert (report["pack"], report["clips"], report["items"]) == (profile, 6, 8)
    (problem,) = report["problems"]
    assert problem == {"where": "test_data.json", "what": "2 datapoints have no label: their answers are withheld"}
    assert Pack.objects.get(name=profile).origin == "generated"
    say("import_benchmark", "--answers", "pacs", out / "answers" / "test_data.json")
    assert not Item.objects.filter(pack__name=profile).exclude(known_answers()).exists()


def test_a_release_that_does_not_say_who_annotated_it_is_refused(tmp_path):
    out = exported(tmp_path / "out")
    (out / "json" / "annotation.json").write_text("{}", encoding="utf-8")
    with pytest.raises(BadRelease, match="must say whether its people were simulated"):
        read_release(out)


def test_the_datasheet_tells_the_numbers_and_that_people_were_simulated(tmp_path):
    sheet = (exported(tmp_path / "out", is_simulated=True) / "DATASHEET.md").read_text(encoding="utf-8")
    assert "**The people of this data set were simulated.**" in sheet
    assert "| train | 2 | 1 | 1 | 1 / 0 | 1 | 1 |" in sheet
    assert "| test | 2 | 1 | 2 | 1 / 1 | 2 | 0 |" in sheet
    assert "- clips: 1 sound changed nothing: the same materials, and no more confidence" in sheet
    assert "| B, questions | 1 | 1 |" in sheet


def test_an_export_goes_over_its_own_and_over_nothing_else(tmp_path):
    dataset = dataset_of(settled_trial())
    write_release(dataset, tmp_path / "out", with_clips=False)
    first = {name: (tmp_path / "out" / name).read_bytes() for name in names_below(tmp_path / "out")}
    write_release(dataset, tmp_path / "out", with_clips=False)
    assert {name: (tmp_path / "out" / name).read_bytes() for name in names_below(tmp_path / "out")} == first
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("keep me")
    with pytest.raises(CannotExport, match="it has other content"):
        write_release(dataset, tmp_path / "mine", with_clips=False)
    assert names_below(tmp_path / "mine") == {"letter.txt"}


def test_the_command_says_what_it_wrote(tmp_path):
    settled_trial(files=True, is_simulated=True)
    facts = told("export_trial", "--format", "pacs", "made", "--out", tmp_path / "out")
    assert facts["datapoints"] == {"train": 1, "val": 2, "test": 2}
    assert (facts["simulated"], facts["clips"]) == (True, 6)


def test_a_mistake_of_the_caller_writes_nothing(tmp_path):
    settled_trial()
    Candidate.objects.all().delete()
    make_trial(slug="other")
    refused = {"made": "three people agree on no question yet", "other": "use --format psych-ds", "none": "none"}
    for slug, words in refused.items():
        with pytest.raises(CommandError, match=words) as error:
            say("export_trial", "--format", "pacs", slug, "--out", tmp_path / "out")
        assert error.value.returncode == 2
    assert not (tmp_path / "out").exists()


def test_the_desk_gives_the_files_without_clips(staff):
    settled_trial(is_simulated=True)
    answer = staff.get("/trials/made/annotation/data-set.zip")
    assert answer["Content-Disposition"] == 'attachment; filename="made-simulated.zip"'
    with ZipFile(io.BytesIO(answer.content)) as archive:
        assert {"DATASHEET.md", "json/val_data.json", "answers/test_data.json"} <= set(archive.namelist())
    Candidate.objects.all().delete()
    page = staff.get("/trials/made/annotation/data-set.zip", follow=True)
    assert "three people agree on no question yet" in page.content.decode()
