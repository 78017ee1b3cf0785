"""Heuristics fitted on a training split: their counts, their answers, and questions without an answer."""

from collections import Counter

import pytest
from django.core.management import call_command

from benchmarks.commands import CallerMistake
from benchmarks.definitions.papers.craft import OPTIONS
from evaluation.adapters.base import REPLY, Request, Turn
from evaluation.adapters.registry import open_model
from evaluation.errors import ModelMisused, RunMisused
from evaluation.models import Model, ModelResponse
from evaluation.runs.lifecycle import start_run
from evaluation.workers.loop import work_on
from extensions.training.frequencies import RULES, fit
from leaderboard.standings.refresh import refresh
from tests.factories import make_item, make_pack

pytestmark = pytest.mark.django_db

# Answer type, template, scene, answer, and its number of training questions in the easy setting.
TRAINING = (
    ("Boolean", "cause_0", "scene-1", "true", 4),
    ("Boolean", "cause_0", "scene-2", "false", 3),
    ("Boolean", "cause_1", "scene-1", "false", 5),
    ("Color", "descriptive_22", "scene-1", "red", 6),
    ("Color", "descriptive_22", "scene-2", "blue", 6),
    ("Count", "descriptive_3", "scene-2", "2", 1),
)


def put(pack, kind, template, scene, answer, *splits):
    facets = {"answer": (kind,), "template": (template,), "scene": (scene,), "split": ("all", *splits)}
    facets |= {"test": ("Cause",), "polarity": ()}
    return make_item(pack, kind="question", options=list(OPTIONS[kind]), expected=answer, facets=facets)


@pytest.fixture
def pack(db, settings, tmp_path):
    settings.VAR_DIR = tmp_path
    pack = make_pack(benchmark="craft", name="small")
    for *what, count in TRAINING:
        for number in range(count):
            put(pack, *what, "easy-train", "hard-train" if number else "hard-test")
    put(pack, "Boolean", "cause_0", "scene-1", "true", "easy-test", "hard-train")
    put(pack, "Boolean", "cause_1", "scene-9", "false", "easy-test", "hard-test")
    put(pack, "Color", "descriptive_22", "scene-9", "gray", "easy-test", "hard-test")
    put(pack, "Count", "descriptive_3", "scene-2", "2", "easy-test", "hard-test")
    return pack


def said(slug: str, kind: str, template: str, scene: str, seed: int = 0, split: str = "easy-test") -> str:
    facets = {"answer": (kind,), "template": (template,), "scene": (scene,)}
    request = Request((Turn("?"), REPLY), seed=seed, options=OPTIONS[kind], split=split, facets=facets)
    return next(iter(open_model(Model.objects.get(slug=slug)).answer([request]))).text


def test_one_command_registers_every_rule_for_both_settings_and_can_be_run_again(pack, capsys):
    call_command("train_baseline", "frequencies", benchmark="craft")
    line = "7 models fitted on 25 questions of easy-train and 20 questions of hard-train, pack small: craft-random,"
    assert line in capsys.readouterr().out
    before = {model.slug: model.revision for model in Model.objects.all()}
    assert len(before) == len(RULES) == 7
    fit("craft")
    assert before == {model.slug: model.revision for model in Model.objects.all()}
    model = Model.objects.get(slug="craft-at-mfa")
    assert (model.name, model.made_here) == ("AT-MFA", True)
    assert "25 questions of easy-train and 20 questions of hard-train, of the pack small" in model.card["what"]


RULES_SAY = [
    ("mfa", ("Count", "descriptive_3", "scene-1"), "false"),  # 8 of 25
    ("at-mfa", ("Boolean", "cause_0", "scene-1"), "false"),
    ("at-mfa", ("Color", "descriptive_22", "scene-1"), "blue"),  # as frequent as red
    ("template-mfa", ("Boolean", "cause_0", "scene-2"), "true"),
    ("scene-mfa", ("Color", "descriptive_22", "scene-1"), "red"),
    ("scene-template-mfa", ("Boolean", "cause_0", "scene-2"), "false"),
    ("scene-template-mfa", ("Boolean", "cause_0", "scene-11"), "true"),  # an unseen scene: by kind only
    ("scene-template-mfa", ("Boolean", "enable_0", "scene-11"), "false"),  # and an unseen kind
]


def test_what_a_rule_says(pack):
    fit("craft")
    for rule, asked, answer in RULES_SAY:
        assert said(f"craft-{rule}", *asked) == answer, (rule, asked)


def test_each_setting_goes_by_its_own_training_split(pack):
    put(pack, "Color", "descriptive_22", "scene-1", "purple", "hard-train")
    for _ in range(9):
        put(pack, "Color", "descriptive_22", "scene-1", "cyan", "hard-train")
    fit("craft")
    asked = ("Color", "descriptive_22", "scene-1")
    answers = {split: said("craft-at-mfa", *asked, split=split) for split in ("easy-validation", "hard-validation")}
    assert answers == {"easy-validation": "blue", "hard-validation": "cyan"}


def test_random_draws_evenly_among_what_was_right_there_and_the_same_again(pack):
    fit("craft")
    drawn = Counter(said("craft-random", "Color", "descriptive_22", "scene-1", seed) for seed in range(400))
    assert drawn.keys() == {"true", "false", "red", "blue", "2"}
    assert max(drawn.values()) < 1.6 * min(drawn.values())
    typed = {said("craft-at-random", "Color", "descriptive_22", "scene-1", seed) for seed in range(50)}
    assert typed == {"red", "blue"}
    assert len({said("craft-random", "Color", "descriptive_22", "scene-1", 7) for _ in range(5)}) == 1


def test_a_run_of_it_stands_on_the_board_and_is_not_asked_what_it_was_fitted_on(pack, client):
    fit("craft")
    how = {"model": Model.objects.get(slug="craft-at-mfa"), "pack": pack, "strategy": "craft"}
    how["condition"] = "question-only"
    for split in ("all", "easy-train", "hard-train"):
        there = f"can't be asked on '{split}'; there is: easy-test, easy-validation, hard-"
        with pytest.raises(RunMisused, match=there):
            start_run(**how, split=split)
    run = start_run(**how)
    work_on(run.pk)
    run.refresh_from_db()
    assert (run.state, run.split, run.reason) == ("finished", "easy-test", "")
    raw = ModelResponse.objects.filter(cell__run=run).values_list("raw", flat=True)
    assert sorted(raw) == ["2", "blue", "false", "false"]
    refresh()
    board = client.get("/leaderboard/craft/?split=easy-test&condition=question-only&format=json").json()
    row = next(row for row in board["rows"] if row["name"].startswith("AT-MFA"))
    assert (row["kind"], row["overall"]["score"], row["overall"]["n"]) == ("run", 0.5, 4)


def test_a_lost_or_broken_file_is_one_sentence(pack, tmp_path):
    fit("craft")
    model = Model.objects.get(slug="craft-mfa")
    path, lost = tmp_path / model.options["path"], "no counts of answers here"
    for content, words in (('{"facets": ["sc', lost), ("{}", "not counts of answers by nothing"), (None, lost)):
        path.write_text(content) if content else path.unlink()
        with pytest.raises(ModelMisused, match=words):
            open_model(model)


def test_a_question_without_what_it_is_told_is_an_error_of_that_question(pack):
    fit("craft")
    bare = Request((Turn("?"), REPLY), split="easy-test")
    elsewhere = Request((Turn("?"), REPLY), split="all", facets={"answer": ("Count",)})
    told, other = open_model(Model.objects.get(slug="craft-at-mfa")).answer([bare, elsewhere])
    assert told.error.startswith("this question has no answer, by which th")
    assert other.error.startswith("not fitted for the split 'all'; there is")


def test_the_command_names_the_callers_mistake(settings, tmp_path):
    settings.VAR_DIR = tmp_path
    for benchmark, words in (
        ("grasp", "frequencies are fitted on the settings of craft, not on grasp"),
        ("chess", "chess"),
        ("craft", "there is no pack of craft yet"),
    ):
        with pytest.raises(CallerMistake, match=words):
            call_command("train_baseline", "frequencies", benchmark=benchmark)
    put(make_pack(benchmark="craft", name="bare"), "Boolean", "cause_0", "scene-1", "true", "easy-test")
    with pytest.raises(CallerMistake, match="has no questions with answers in the splits easy-train, hard-train"):
        call_command("train_baseline", "frequencies", benchmark="craft")
    assert not Model.objects.exists()
