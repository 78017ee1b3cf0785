"""A run is exported in other harnesses' formats, valid by their schemas, without withheld data, and re-imports."""

import json
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import jsonschema
import pytest
import yaml
from django.core.management import call_command

from benchmarks.definitions.definition import GroupRule
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure.readers import WITHHELD
from benchmarks.models import Item
from benchmarks.models.answers import ItemSeal
from evaluation.management.commands.export_run import LAYOUTS
from evaluation.models import ModelResponse, Score
from evaluation.replies import Ending
from evaluation.runs.official import kind_of
from evaluation.submissions.command_arguments import packed
from evaluation.submissions.store.submit import submit
from tests.evaluation.submissions.uploads import header, items_of, json_lines, small_pack, upload
from tests.factories import make_answer, make_clip, make_item, make_model, make_run

pytestmark = pytest.mark.django_db
SCHEMAS = Path(__file__).parent / "every_eval_ever"


@pytest.fixture
def run():
    pack = small_pack()
    model = make_model(name="A model", card={"organisation": "A Lab", "weights": "open"})
    made = make_run(pack, model=model, sampling={"temperature": 0.0, "max_new_tokens": 32})
    for item in items_of(pack):
        make_answer(made, item, "yes")
    return made


def written(run, layout, out):
    call_command("export_run", str(run.pk), layout=layout, out=out)
    return out


def valid(content, name):
    jsonschema.validate(content, json.loads((SCHEMAS / f"{name}.schema.json").read_text()))
    return content


def eee(run, tmp_path):
    (samples,) = written(run, "every-eval-ever", tmp_path).glob("data/grasp/a-lab/*/*_samples.jsonl")
    whole = json.loads(Path(str(samples).replace("_samples.jsonl", ".json")).read_text())
    rows = [json.loads(line) for line in samples.read_text().splitlines()]
    return valid(whole, "eval"), [valid(row, "instance_level_eval") for row in rows], samples


def test_every_eval_ever_is_valid_and_has_the_interval(run, tmp_path):
    first, *_, last = (cell.response for cell in run.cells.order_by("item__public_id"))
    ModelResponse.objects.filter(pk=first.pk).update(tokens_in=90, tokens_out=3)
    Score.objects.filter(reading__response=last).delete()  # as long as its referee has not come to it
    whole, rows, samples = eee(run, tmp_path)
    assert [row.get("token_usage", {}).get("total_tokens") for row in rows] == [93, None, None]
    arguments = whole["evaluation_results"][0]["generation_config"]["generation_args"]
    assert arguments == {"temperature": 0.0, "max_tokens": 32}
    details = whole["evaluation_results"][0]["score_details"]
    interval = details["uncertainty"]["confidence_interval"]
    assert details["score"] == pytest.approx(sum(row["evaluation"]["score"] for row in rows) / 3)
    assert 0 < interval["lower"] < 0.5 < interval["upper"] < 1
    assert whole["detailed_evaluation_results"]["file_path"] == str(samples.relative_to(tmp_path))


HEARD = (  # text, thoughts, how it ended
    ("Yes.", "", ""),
    ("<answer>no</answer>", "It is\nblue.", ""),
    ("", "So, let me", Ending.CUT_IN_THOUGHT),
    ("Well, it is a", "", Ending.CUT_OFF),
    ("I can't help with that.", "", Ending.REFUSED),
    ("", "", Ending.EMPTY),
    ("maybe", "", ""),
    ('=1+"2"', "", ""),
)


def rows_of(run):
    """(item, seed) -> reply, thoughts, ending, margin, counted reading and score."""
    found = ModelResponse.objects.filter(cell__run=run).prefetch_related("readings__scores").select_related("cell")
    return {
        (response.cell.item_id, response.cell.seed): (
            *(response.raw, response.thoughts, response.ended, response.margin),
            *((reading.answer, reading.problem, [score.value for score in reading.scores.all()])),
        )
        for response in found
        for reading in response.readings.all()
    }


def heard(*, has_ends):
    """Fields of replies for four items and two seeds; a format without words for the end has no thoughts either."""
    kept = [each for each in HEARD if has_ends or not (each[1] or each[2])]
    pairs = [{"reply": text, "thoughts": thoughts, "ended": ended} for text, thoughts, ended in kept]
    return [{name: value for name, value in fields.items() if value or name == "reply"} for fields in pairs]


def filmed(pack):
    return make_item(pack, kind="plausibility", clip=make_clip(pack, seconds=2))


ANSWERS = {  # kind -> strategy, and the fields of its answers
    "reply": ("binary", heard(has_ends=True)),
    "plain": ("binary", heard(has_ends=False)),
    "answer": ("binary", [{"answer": "yes"}, {"answer": "no"}]),
    "prediction": ("binary", [{"prediction": "yes"}, {"prediction": "unread"}]),
    "log_probs": (
        "binary-likelihood",
        [{"log_probs": {"yes": -0.1, "no": -2.5}}, {"log_probs": {"yes": -1, "no": -1}}],
    ),
    "margin": ("binary-likelihood", [{"margin": 1.5}, {"margin": -0.25}]),
    "surprise": ("surprise", [{"surprise": [0.5, 2, 1], "times": [0.1, 0.2, 0.3]}, {"surprise": [1.0, 1.0]}]),
}
HOLDS = {"official": {"plain"}, "every-eval-ever": {*ANSWERS} - {"surprise"}}  # surprises have no score
ROUND_TRIPS = [
    (layout, kind)
    for layout in LAYOUTS
    for kind in ANSWERS
    if layout != "hugging-face" and kind in HOLDS.get(layout, ANSWERS)
]


@pytest.mark.parametrize(("layout", "kind"), ROUND_TRIPS)
def test_what_was_uploaded_comes_back_from_every_layout_with_the_same_rows(layout, kind, tmp_path, django_user_model):
    pack, (strategy, answers) = small_pack(), ANSWERS[kind]
    items = items_of(pack) if strategy != "surprise" else [filmed(pack) for _ in range(4)]
    cells = [(item, seed) for seed in (0, 1) for item in items]
    pairs = zip(cells, cycle(answers), strict=False)
    rows = [{"item": item.public_id, "seed": seed} | fields for (item, seed), fields in pairs]
    user, fields = django_user_model.objects.create_user("ada"), header(pack, strategy=strategy)
    run = submit(file=upload(json_lines(*rows)), user=user, header=fields)
    written(run, layout, tmp_path / "out.jsonl" if layout == "items" else tmp_path)
    (file,) = tmp_path.glob("**/*.jsonl") if layout != "official" else [None]
    content = upload(file.read_bytes()) if file else packed(tmp_path)
    back = submit(file=content, user=user, header=fields | {"model": "Again"})
    assert (back.seeds, back.parser, kind_of(back)) == (run.seeds, run.parser, kind_of(run))
    assert rows_of(back) == rows_of(run)
    assert len(rows_of(run)) == len(cells)


def test_withheld_answers_leave_with_nobody(run, tmp_path):
    hidden = items_of(run.pack)[0]
    ItemSeal.objects.create(item=hidden, by=WITHHELD)
    whole, rows, _ = eee(run, tmp_path)
    assert hidden.public_id not in {row["sample_id"] for row in rows}
    assert whole["evaluation_results"][0]["score_details"]["uncertainty"]["num_samples"] == 3


def test_hugging_face_has_one_value_a_file(run, tmp_path):
    out = written(run, "hugging-face", tmp_path)
    (file,) = (out / ".eval_results").iterdir()
    (result,) = yaml.safe_load(file.read_text())
    told = yaml.safe_load((out / "eval.yaml").read_text())
    assert (result["value"], result["dataset"]["task_id"]) == (50.0, "binary")
    assert "n=4" in result["notes"]
    assert result["dataset"]["task_id"] in {task["id"] for task in told["tasks"]}


def test_both_have_the_score_of_groups_with_its_interval(run, tmp_path, monkeypatch):
    monkeypatch.setitem(BENCHMARKS, "grasp", replace(BENCHMARKS["grasp"], groups=GroupRule("pair", "all")))
    for place, item in enumerate(items_of(run.pack)):
        Item.objects.filter(pk=item.pk).update(group=f"g{place // 2}", place=place % 2 + 1, rule="all")
    _, by_pair = eee(run, tmp_path)[0]["evaluation_results"]
    assert by_pair["evaluation_name"] == "GRASP by pair"
    assert by_pair["score_details"]["uncertainty"]["num_samples"] == 2
    names = sorted(file.name for file in (written(run, "hugging-face", tmp_path) / ".eval_results").iterdir())
    assert [name.endswith("-by-pair.yaml") for name in names] == [True, False]
